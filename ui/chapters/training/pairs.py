"""Pairs of the reader's own: given by hand, by a file or as an example, and what was read in them."""

from functools import partial

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from transformer_core.tasks import NotPairs, OwnPairs, pairs_task
from transformer_core.tasks.own_pairs import MOST_BYTES
from transformer_core.tasks.own_vocabulary import OwnVocabulary, Unit
from transformer_core.tasks.pair_encoding import decoded, encoding_of
from transformer_core.tasks.pair_examples import EXAMPLES, example
from transformer_core.tasks.pair_lines import Look, Reason, look_at, pairs_of
from transformer_core.tasks.vocabulary import END
from transformer_core.training.config import TrainConfig
from transformer_core.training.not_a_model import NotAModel
from ui import state, upload_limits
from ui.chapters.shared.output import boxes, row
from ui.chapters.training.recipe import AUTO, COLUMNS, PAIRS, Recipe, settings_of
from ui.figures.markup import Markup, element
from ui.frame.style import say_within
from ui.own_pairs import SessionPairs
from ui.run_limits import OWN_PAIRS
from ui.sections import AnyChapter, Chapter, controls
from ui.session import drop_file, known_pairs, pairs_of_all_readers, session
from ui.text import Typed
from ui.training_service.memory_budget import MB
from ui.training_service.queue import Refused

SIGNS = {"\t": "tab", ",": "comma", ";": "semicolon", "json": "json"}  # as the texts call them
USUAL = ("", "utf-8", "utf-8-sig")
LONG, SHORT = 60, 18  # letters of a cell, and of one in a menu
MOST = {"long": OWN_PAIRS.longest, "long_token": OWN_PAIRS.longest_token, "rare": OWN_PAIRS.tokens}


def preview(chapter: Chapter[Recipe], session_pairs: SessionPairs) -> None:
    """Nothing while no lines were read."""
    look = session_pairs.look
    if look is None:
        return
    say = chapter.say
    with st.container(border=True, gap="small", key="pairs-preview"):
        form = say(f"pairs.look.form.{SIGNS[look.form]}")
        chapter.write("pairs.look.read", lines=f"{look.lines:,}", width=look.width, form=form)
        if session_pairs.encoding not in USUAL:
            chapter.write("pairs.look.encoded", encoding=session_pairs.encoding.upper())
        if look.seed is not None:
            chapter.write("pairs.look.sample", seed=look.seed)
        st.html(_table(chapter, look))
        if not session_pairs.plain:
            _choices(chapter, look)
        _left_out(chapter, session_pairs.left, look)


def _choices(chapter: Chapter[Recipe], look: Look) -> None:
    names = [f"{at}: {_cut_to(cell, SHORT)}" for at, cell in enumerate(_row(look.head[0], look.width), 1)][:COLUMNS]
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        for name, found in zip(("source_column", "target_column"), look.columns):
            controls.named(chapter, name, [chapter.say("pairs.look.found", column=found), *names])
        if look.seed is not None:
            controls.number(chapter, "sample", width=112)
    if not look.named:
        controls.choose(chapter, "header")


def _table(chapter: AnyChapter, look: Look) -> Markup:
    taken = dict(zip(look.columns, (("source", "enc"), ("target", "dec"))))
    heads, cells = list[Markup](), list[Markup]()
    for at in range(1, look.width + 1):
        name, colour = taken.get(at, ("aside", "aside"))
        heads.append(element("th", chapter.say(f"pairs.look.{name}"), class_=colour, scope="col"))
    for line, kind in zip(look.head, look.kinds):
        row = [
            element(
                "td", _cut_to(cell, LONG), class_="aside" if kind != "pair" or at not in taken else None, dir="auto"
            )
            for at, cell in enumerate(_row(line, look.width), 1)
        ]
        said = chapter.say(f"pairs.look.{kind}")
        cells.append(element("tr", element("th", said, class_="aside", scope="row"), *row))
    head = element("tr", element("th", chapter.say("pairs.look.as"), class_="aside", scope="col"), *heads)
    return element("table", element("thead", head), element("tbody", *cells), class_="pairs-look")


def _left_out(chapter: AnyChapter, left: tuple[Reason, ...], look: Look) -> None:
    if not left:
        chapter.write("pairs.look.all" if look.seed is None else "pairs.look.none_left_out")
        return
    count = sum(one.lines for one in left)
    reasons = [
        chapter.say(
            f"pairs.look.why.{one.name}",
            count=f"{one.lines:,}",
            lines=chapter.shell("comma").join(map(str, one.first)) + (" …" if one.lines > len(one.first) else ""),
            most=MOST.get(one.name, 0),
        )
        for one in left
    ]
    told = chapter.say("pairs.look.left_out", count=f"{count:,}", lines=f"{look.lines:,}")
    (st.warning if count * 2 > look.lines else st.info)("\n".join([told, "", *(f"- {one}" for one in reasons)]))


def _row(cells: tuple[str, ...], width: int) -> tuple[str, ...]:
    return (*cells, *[""] * width)[:width]


def _cut_to(cell: str, most: int) -> str:
    return cell if len(cell) <= most else f"{cell[: most - 1]}…"


FIELD, FILE = "training.pairs", "training.pairs_file"  # the widgets
HIGH = 180  # px
IN_FIELD = 100_000  # letters that the field shows of what a file or an example has
UNITS: dict[str, Unit | None] = {AUTO: None, "words": "words", "letters": "letters"}
HEADERS = {AUTO: None, "names": True, "pair": False}
OF_FILE = ("source_column", "target_column", "header", "sample")  # what is set of one file, and not of the next
WORDS = ("choose", "too_large")  # what stands in the file's field


def given_pairs(chapter: Chapter[Recipe]) -> None:
    """Where the reader gives pairs to the task that learns them, and what they are."""
    if chapter.settings.task != PAIRS:
        return
    session_pairs = session().own_pairs
    _recall(chapter, session_pairs)
    refused = _from_file(chapter, session_pairs)
    _by_hand(session_pairs)
    _read(chapter, session_pairs)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(chapter.say("pairs.examples"), width="content")
        for name in EXAMPLES:
            show = partial(_show, session_pairs, name)
            st.button(chapter.say(f"pairs.example.{name}"), on_click=show, type="tertiary", key=f"pairs.{name}")
    with st.expander(chapter.say("pairs.title"), expanded=not known_pairs(chapter.settings.own_pairs)):
        _fields(chapter, session_pairs)
    if refused:
        st.error(refused)
    preview(chapter, session_pairs)
    _about(chapter, session_pairs)


def _recall(chapter: Chapter[Recipe], session_pairs: SessionPairs) -> None:
    """The pairs that are set, where others stand in the field: a file has brought them, or the reader's way back."""
    digest = chapter.settings.own_pairs
    text = known_pairs(digest)
    if text and session_pairs.now != digest:
        session_pairs.recall(text, digest, _how(chapter.settings))
        _put_into_field(session_pairs)


def _show(session_pairs: SessionPairs, name: str) -> None:
    session_pairs.give(example(name))
    _put_into_field(session_pairs)


def _put_into_field(session_pairs: SessionPairs) -> None:
    session_pairs.shown = session_pairs.lines if len(session_pairs.lines) <= IN_FIELD else ""
    state.prepare(FIELD, session_pairs.shown)


def _from_file(chapter: Chapter[Recipe], session_pairs: SessionPairs) -> str:
    """The lines of a file that the reader has just given; why one without any leaves what stood there."""
    file, why = state.picked(FILE), ""
    if not isinstance(file, UploadedFile) or file.file_id == session_pairs.taken:
        return why
    session_pairs.taken = file.file_id
    try:
        upload_limits.check(file.type)
        content = file.getvalue()
        lines = decoded(content, OWN_PAIRS)
        if not lines.strip():
            raise NotPairs("empty", "there are no lines in the file")
        session_pairs.give(lines, encoding_of(content))
        _put_into_field(session_pairs)
    except NotPairs as problem:
        why = _why(chapter, problem)
    except NotAModel as problem:
        why = chapter.say(f"pairs.refused.{problem.reason}", **problem.values)
    drop_file(file.file_id)
    return why


def _by_hand(session_pairs: SessionPairs) -> None:
    typed = state.picked(FIELD)
    if typed is not None and typed != session_pairs.shown:
        session_pairs.shown = typed
        session_pairs.give(typed)


def _fields(chapter: Chapter[Recipe], session_pairs: SessionPairs) -> None:
    """Of the lines, of a file, and of how the lines are cut."""
    most, largest, stands = MOST_BYTES // MB, OWN_PAIRS.text // MB, state.picked(FIELD)
    if stands is None:  # not on the page the last time
        session_pairs.shown = stands = session_pairs.lines if len(session_pairs.lines) <= IN_FIELD else ""
    chapter.write("pairs.how", pairs=f"{OWN_PAIRS.pairs:,}", tokens=OWN_PAIRS.tokens, longest=OWN_PAIRS.longest)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.text_area(
            chapter.say("pairs.field", most=most),
            stands if len(stands) <= IN_FIELD else "",
            key=state.prepare(FIELD, stands),
            height=HIGH,
            max_chars=MOST_BYTES,  # what is longer the browser does not take
            placeholder="2+2, 4\n2+3, 5",
        )
    with right, st.container(key="pairs-file"):
        st.file_uploader(chapter.say("pairs.file", most=largest), key=FILE, max_upload_size=largest)
        controls.choose(chapter, "split")
        said = {name: chapter.say(f"pairs.{name}", most=largest) for name in WORDS}
        say_within(".st-key-pairs-file .stFileUploader", said)


def _read(chapter: Chapter[Recipe], session_pairs: SessionPairs) -> None:
    """What has not been read yet; new pairs bring their recipe along."""
    if session_pairs.how is None and session_pairs.anew:
        for name in OF_FILE:
            chapter.put(name, getattr(Recipe.default(), name))
    set_ = chapter.settings
    if session_pairs.how == _how(set_):
        return
    session_pairs.how, session_pairs.look, before = _how(set_), None, session_pairs.now
    columns, header = (set_.source_column, set_.target_column), HEADERS[set_.header]
    try:
        session_pairs.admit(pairs_of_all_readers())
        look = look_at(
            session_pairs.lines,
            UNITS[set_.split],
            columns=(1, 2) if session_pairs.plain else columns,
            header=False if session_pairs.plain else header,
            seed=set_.sample,
            limits=OWN_PAIRS,
        )
        session_pairs.read(look)
        session_pairs.learn(pairs_of(look), pairs_of_all_readers())
    except (NotPairs, Refused) as problem:
        session_pairs.refuse(problem if session_pairs.lines.strip() or isinstance(problem, Refused) else None)
        if not before and not session_pairs.lines.strip():  # nothing has been given yet
            return
    if session_pairs.now != chapter.settings.own_pairs:
        chapter.put("own_pairs", session_pairs.now)
        take_pairs(chapter)


def _how(recipe: Recipe) -> tuple[object, ...]:
    return tuple(getattr(recipe, name) for name in ("split", *OF_FILE))


def take_pairs(chapter: Chapter[Recipe]) -> None:
    """The recipe for the pairs that are set or, where none are, that were read last."""
    session_pairs = session().own_pairs
    text = known_pairs(chapter.settings.own_pairs) or session_pairs.texts.get(session_pairs.now, "")
    if text:
        for name, value in settings_of(TrainConfig.of_task(PAIRS, pairs=text)).items():
            chapter.put(name, value)


def _about(chapter: Chapter[Recipe], session_pairs: SessionPairs) -> None:
    if session_pairs.problem:
        st.error(_why(chapter, session_pairs.problem))
        return
    text = known_pairs(chapter.settings.own_pairs)
    if not text:
        return
    pairs = pairs_task(text)
    chapter.write(
        "pairs.read" if pairs.unseen else "pairs.read_all",
        pairs=f"{pairs.count:,}",
        sources=_cut(chapter, pairs.source),
        targets=_cut(chapter, pairs.target),
        trained=f"{pairs.trained:,}",
        held=f"{pairs.unseen:,}",
    )
    notes = session_pairs.notes if session_pairs.now == pairs.digest else {}
    for name, count in notes.items():
        if count:
            chapter.write(f"pairs.{name}", count=f"{count:,}")
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        _vocabulary(chapter, pairs)
        st.download_button(
            chapter.say("pairs.save"),
            pairs.text,
            "pairs.tsv",
            "text/tab-separated-values",
            on_click="ignore",
            icon=":material/download:",
            type="tertiary",
            key="pairs.save",
        )
        st.caption(chapter.say("pairs.stay", digest=pairs.digest), width="content")


def _vocabulary(chapter: Chapter[Recipe], pairs: OwnPairs) -> None:
    sizes = {"source": len(pairs.source.words), "target": len(pairs.target.words)}
    listed = st.popover(
        chapter.say("pairs.vocabulary", **sizes), icon=":material/list:", type="tertiary", key="pairs.words",
        on_change="rerun", width="content",
    )  # fmt: skip
    if not listed.open:
        return
    with listed:
        for side, kind, vocabulary in (("source", "enc", pairs.source), ("target", "dec", pairs.target)):
            st.html(row(kind, chapter.say(f"pairs.{side}"), boxes(vocabulary.every[END + 1 :], {})))


def _cut(chapter: AnyChapter, vocabulary: OwnVocabulary) -> str:
    """By what a side is cut, and into how many different tokens: by digits, where none of its letters is one."""
    digits = vocabulary.by_letters and not any(word.isalpha() for word in vocabulary.words)
    return chapter.say(f"pairs.by.{'digits' if digits else vocabulary.unit}", count=len(vocabulary.words))


def _why(chapter: AnyChapter, problem: NotPairs | Refused) -> str:
    if isinstance(problem, Refused):
        return chapter.say(f"pairs.refused.{problem.reason}", limit=problem.limit)
    values = {name: Typed(value) if isinstance(value, str) else value for name, value in problem.values.items()}
    return chapter.say(f"pairs.refused.{problem.reason}", **values)
