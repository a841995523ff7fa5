"""What a reader can do wrong on a page: no traceback, a sentence where it happens, and nothing lost."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.app.answers import right
from tests.app.boards import boards
from tests.app.conftest import Open, in_turn
from tests.kinds import kind_of
from transformer_core.training.config import TrainConfig
from ui.components import matrix
from ui.figures.number import number
from ui.model import current_model as at_hand_module
from ui.model import shipped as shipped_models
from ui.model.shipped import shipped
from ui.settings.chapters import CHAPTERS, MAP
from ui.settings.fields import ChosenCell
from ui.text import Words
from ui.training_service.runs import Runs

pytestmark = pytest.mark.usefixtures("few_sequences")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_cell_of_every_matrix_can_be_chosen(open_link: Open, monkeypatch: pytest.MonkeyPatch, chapter: str) -> None:
    clicked: set[tuple[str, str]] = set()

    def click(*, key: str, data: tuple[str, Mapping[str, Any]], **_: object) -> dict[str, Any]:
        """A canvas whose reader clicks, run by run, the last cell of each matrix; one head is enough."""
        for panel in json.loads(data[0])["panels"]:
            where = (key, panel["key"].split(".")[0])
            if where not in clicked:
                clicked.add(where)
                row, column = (size - 1 for size in panel["shape"])
                return {"chosen": {"number": data[1]["heard"] + 1, "cell": [panel["key"], row, column]}}
        return {}

    monkeypatch.setattr(matrix, "_mount", click)
    before = -1
    while len(clicked) > before:
        before = len(clicked)
        assert not open_link(chapter, compare="untrained", **right(chapter)).exception
    assert clicked or not any(isinstance(kind, ChosenCell) for kind in kind_of(chapter).kinds().values())


# Chapter, setting, and what has to be set for its field to be on the page.
FIELDS = [
    ("tokens", "src_lengths", {"example": "lengths"}),
    ("tokens", "tgt_lengths", {"example": "lengths"}),
    ("tokens", "repeated", right("tokens", "equal")),
    ("positions", "slowest", {}),
    ("positions", "dims", {}),
    ("positions", "phrase", {}),
    ("masks", "pairs", {}),
    ("masks", "lengths", {}),
    ("scaling", "scores", {}),
    ("scaling", "src", {"which_scores": "model"}),
    ("scaling", "spread", {}),
    ("attention", "src", {}),
    ("attention", "tgt", {}),
    ("attention", "kept", {}),
    ("heads", "size", {}),
    ("layers", "ask_norm", {}),
    ("layers", "ask_drop", {}),
    ("walkthrough", "src", {}),
    ("walkthrough", "ask_shape", {}),
    ("decoding", "src", {}),
    ("ways", "src", {}),
    ("ways", "prefix", {}),
    ("loss", "targets", {}),
    ("loss", "src", {}),
    ("training", "src", {}),
    ("why_attention", "path", {}),
]


@pytest.mark.parametrize(("chapter", "name", "link"), FIELDS)
def test_typed_nonsense_is_quoted_in_a_sentence_and_never_read_as_markdown(
    open_link: Open, chapter: str, name: str, link: dict[str, str]
) -> None:
    app = open_link(chapter, **link, **{name: "**x**:red[y]`"})
    assert not app.exception
    quoted = [warning.value for warning in app.warning if "**x**" in warning.value]
    assert quoted
    assert all("`` **x**:red[y]` ``" in sentence for sentence in quoted)


@pytest.mark.parametrize(
    "run",
    ["h:3", "seed:" + "9" * 390, "seed:" + "[" * 390, "rate:NaN", "vocab:1e400", '{"seed":1}', ":,:", "steps:true"],
)
def test_a_link_to_a_run_that_cannot_be_says_so_and_shows_the_shipped_model(open_link: Open, run: str) -> None:
    app = open_link("decoding", model="run", run=run, lang="en", open="")
    assert not app.exception
    assert [warning.value for warning in app.warning] == [Words("shell", "en")("model_missing.config")]
    assert boards(app) == ["decoding.turn", "decoding.aligned"]


@pytest.mark.parametrize("chapter", [MAP, *CHAPTERS])
def test_a_link_to_a_long_run_does_not_keep_the_page_waiting(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, chapter: str
) -> None:
    asked: list[float] = []

    def model(self: Runs, config: TrainConfig, step: int, seconds: float = 0.0) -> None:
        if step:  # the model before training is nobody's run
            asked.append(seconds)

    monkeypatch.setattr(Runs, "model", model)
    app = open_link(chapter, model="run", run="steps:5000", lang="en")
    assert not app.exception
    assert [info.value for info in app.sidebar.info] == [Words("shell", "en")("model_awaited")]
    assert sorted(asked) == [
        0,
        at_hand_module.RUN_PATIENCE,
    ]  # once for the page, and one more look by the sentence that it waits for


@pytest.mark.parametrize("chapter", [MAP, *CHAPTERS])
def test_the_smallest_model_and_one_with_many_heads_are_shown(open_link: Open, chapter: str) -> None:
    small, large = "vocab:3,length:2,d_model:2,h:1,batch:1,steps:1", "h:16,d_model:32,N:3,vocab:50,batch:1,steps:1"
    for run, src in ((small, "1 2 1"), (large, "1 3 2 5")):
        app = open_link(chapter, model="run", run=run, src=src, phrase=src, **right(chapter))
        assert not app.exception


@pytest.mark.parametrize(
    ("file", "content", "lang"),
    [
        *((file, None, "en") for file in shipped_models.EVERY.values()),
        (shipped_models.PEEKING, b"", "zh"),
        (shipped_models.FILES["translate"], b"not a model", "en"),
    ],
)
def test_without_a_shipped_model_a_sentence_names_its_file_and_with_it_there_is_the_page(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str, content: bytes | None, lang: str
) -> None:
    for cached in (shipped_models._boot, shipped, shipped_models.peeking):
        cached.cache_clear()
    for other in (*shipped_models.EVERY.values(), shipped_models.PEEKING):
        (tmp_path / other).write_bytes((shipped_models.SHIPPED / other).read_bytes())
    (tmp_path / file).unlink()
    with monkeypatch.context() as patch:
        patch.setattr(shipped_models, "SHIPPED", tmp_path)
        if content is not None:
            (tmp_path / file).write_bytes(content)
        app = open_link("masks", lang=lang)
        assert not app.exception
        assert [error.value for error in app.error] == [Words("shell", lang)("model_broken", file=file)]
    assert app.run().title[0].value == Words("masks", lang)("title")


@in_turn("chapter", ["tokens", "attention", "decoding", "walkthrough"])
def test_a_start_symbol_that_was_not_typed_is_spoken_of(open_link: Open, chapter: str, lang: str) -> None:
    said = Words("shell", lang)("started", read="⟨s⟩ 7 8 9")
    assert said in [text.value for text in open_link(chapter, lang=lang, src="7 8 9").caption]
    assert said not in [text.value for text in open_link(chapter, lang=lang, src="1 7 8 9").caption]


def test_what_was_typed_is_what_is_counted_against_the_width(open_link: Open) -> None:
    app = open_link("tokens", lang="en", src="7 8 9", width="3")
    assert [box.value for box in app.warning] == [Words("tokens", "en")("too_narrow_started", typed=3, width=3)]


@in_turn(("name", "typed", "ends"), [("N", 99, "1 6"), ("rate", -1.0, "10⁻⁶ 1"), ("seed", -1, "0 9999")])
def test_a_number_out_of_range_is_refused_in_the_language_of_the_page(
    open_link: Open, lang: str, name: str, typed: float, ends: str
) -> None:
    app = open_link("training", lang=lang)
    before = app.number_input(key=f"training:{name}").value
    app.number_input(key=f"training:{name}").set_value(typed).run()
    (low, high), label = ends.split(), Words("training", lang)(name)
    sentence = Words("shell", lang)(
        "out_of_range", label=label, low=low, high=high, given=number(typed), kept=number(before or 0)
    )
    assert [box.value for box in app.warning] == [sentence]
    assert app.number_input(key=f"training:{name}").value == before
    assert not any(field.proto.has_min or field.proto.has_max for field in app.number_input)
