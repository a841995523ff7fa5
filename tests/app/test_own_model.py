"""A model from the reader's own file: taken or refused in words, shown by every chapter, and lost with a sentence."""

import io
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx
from streamlit.testing.v1 import AppTest

from tests.app import boards
from tests.app.conftest import AGES, Open, in_turn
from tests.app.test_figures import computed, figures
from transformer_core import make_model
from transformer_core.training import checkpoint, state_dict
from transformer_core.training.checkpoint import to_bytes
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import EMPTY
from transformer_core.training.models import fresh_model
from transformer_core.training.state_dict import load_any
from transformer_core.verify import formulas
from ui import session as session_module
from ui import state, uploads
from ui.cache import cached
from ui.chapters.shared.model_program import model_snippet
from ui.chapters.training import offer
from ui.chapters.verify.formulas import EVERY
from ui.chapters.verify.values import Examined
from ui.figures.evaluated import furthest
from ui.figures.figure import Board, Drawing, Figure
from ui.model.current_model import ModelAtHand
from ui.model.shipped import shipped
from ui.settings.chapters import CHAPTERS, MAP
from ui.text import LANGUAGES, Words
from ui.training_service.runs import all_runs
from ui.uploads import Upload, take

__all__ = ["figures"]  # a fixture of the law of all figures

CONFIG = TrainConfig(vocab=12, length=6, N=2, d_model=16, h=2, d_ff=12, steps=30)
TOLD: dict[str, list[float | None]] = {
    "step": [0, 20],
    "loss": [2.345678, 0.125],
    "rate": [0.0, 1e-3],
    "exact_match": [None, 0.5],
}
OURS = to_bytes(fresh_model(CONFIG), CONFIG, 20, TOLD)
SRC = "1 3 2 5 4"
say, shell = Words("training", "en"), Words("shell", "en")


def file_of(value: object) -> bytes:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


def weights_of(**sizes: Any) -> dict[str, torch.Tensor]:
    torch.manual_seed(0)
    model = make_model(**{"src_vocab": 12, "tgt_vocab": 5, "N": 2, "d_model": 16, "d_ff": 12, "h": 4} | sizes)
    return {name: value for name, value in model.state_dict().items() if not name.endswith(".pe")}


FOREIGN = file_of(weights_of())


def sit_down(open_link: Open, content: bytes, name: str = "model.pt") -> Upload:
    """As if this session had taken the file in the chapter on training."""
    open_link("loss", open="")
    (mine,) = session_module._sessions.values()
    upload = take(name, content)
    mine.take(upload)
    return upload


def upload(app: AppTest, content: bytes, name: str = "model.pt") -> AppTest:
    app.file_uploader[0].set_value((name, content, "application/octet-stream")).run()
    assert not app.exception
    return app


def in_menu(app: AppTest) -> str:
    return app.sidebar.caption[-1].value


@pytest.mark.parametrize("chapter", [MAP, *CHAPTERS])
@pytest.mark.usefixtures("few_sequences")
def test_every_chapter_opens_with_the_model_of_a_file(open_link: Open, chapter: str) -> None:
    """Of a foreign one; one of ours is opened by all in tests/app/test_own_pairs.py."""
    sit_down(open_link, FOREIGN)
    app = open_link(chapter, model="own", src=SRC)
    assert not app.exception
    assert "`model.pt`" in in_menu(app)
    assert "d_model = 16" in in_menu(app)
    assert not app.sidebar.warning


def test_a_model_of_few_tokens_reads_an_example_that_it_knows(open_link: Open) -> None:
    sit_down(open_link, file_of(weights_of(src_vocab=5)))
    app = open_link("attention", model="own")
    assert not app.exception
    assert not app.warning
    assert app.session_state["settings"]["frame"].src == "1 3 2 4"


def test_a_file_of_ours_is_taken_and_is_the_model_at_hand(open_link: Open) -> None:
    app = upload(open_link("training", open="own"), OURS)
    assert app.session_state["settings"]["frame"].model == "own"
    assert "· step 20 · seed 0" in in_menu(app)
    assert not app.error
    app.switch_page("pages/heads.py").run()
    assert not app.exception
    assert "`model.pt`" in in_menu(app)


def test_a_run_that_streamlit_cuts_short_while_a_file_is_taken_loses_nothing_of_it(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, put = open_link("training", open="own"), state.put
    cut: list[object] = []

    def cut_short(owner: str, name: str, value: object, **options: bool) -> None:
        if (name, value) == ("model", "own") and not cut:
            cut.append(value)
            context = get_script_run_ctx()
            assert context is not None
            raise RerunException(
                RerunData(page_script_hash=context.page_script_hash)
            )  # as at any touch of its state, where a page asks again meanwhile
        put(owner, name, value, **options)

    monkeypatch.setattr(state, "put", cut_short)
    upload(app, OURS)
    assert cut
    assert app.session_state["settings"]["frame"].model == "own"
    assert "`model.pt`" in in_menu(app)


def test_a_run_is_saved_as_a_file_that_can_be_opened_again_unless_it_is_too_large(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = {"d_model": "8", "h": "2", "batch": "4", "steps": "20", "vocab": "7", "length": "6"}
    app = open_link("training", open="", task="copy", **link)
    (start,) = [button for button in app.button if button.label in (say("start"), say("anew"))]
    start.click().run()
    (mine,) = session_module._sessions.values()
    assert mine.run is not None
    all_runs.wait(mine.run, lambda seen: not seen.active, AGES)
    assert not app.run().exception
    (offered,) = app.get("download_button")
    assert offered.proto.label == say("save", step=20)
    monkeypatch.setattr(offer, "MOST", 1000)
    assert not app.run().exception
    assert not app.get("download_button")
    assert [caption for caption in app.caption if "transformer_core.train --out" in caption.value]
    small, seen = TrainConfig(vocab=7, length=6, d_model=8, h=2, batch=4, steps=20), mine.seen
    assert seen is not None
    saved = load_any(offer._file(all_runs, small, 5, seen.history))
    assert isinstance(saved, checkpoint.Checkpoint)
    assert saved.step == 5
    assert saved.history == seen.history.columns(5)
    assert saved.history["step"] == list(range(6))
    assert saved.history["loss"] == pytest.approx(seen.history.loss[:6].tolist(), rel=1e-6)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_step_that_takes_long_to_be_trained_again_is_said_to_and_waited_for_but_shortly(
    monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    words: dict[str, Any] = {}
    monkeypatch.setattr(offer, "say_within", lambda selector, said: words.update(said))
    monkeypatch.setattr("streamlit.download_button", lambda label, file, *rest, **options: words.update(file=file))
    chapter: Any = SimpleNamespace(say=Words("training", lang))
    asked: list[float] = []
    busy = SimpleNamespace(runs=SimpleNamespace(model=lambda config, step, seconds: asked.append(seconds)))
    monkeypatch.setattr(offer, "session", lambda: busy)
    offer.save(chapter, CONFIG, 20, EMPTY)
    assert words["not_yet"] == chapter.say("save_not_yet", step=20)
    with pytest.raises(TimeoutError):
        words["file"]()
    assert asked[0] <= 5  # a server of two processors has six places for clicks that wait


def test_of_a_state_dict_heads_and_form_are_guessed_said_and_changed(open_link: Open) -> None:
    app = upload(open_link("training", open="own"), FOREIGN)
    assert "h = 8 (heads)" in in_menu(app)
    settings = app.session_state["settings"]["training"]
    assert (settings.own_h, settings.own_form) == (8, "pre")
    app.number_input(key="training:own_h").set_value(4).run()
    assert not app.exception
    assert "h = 4 (heads)" in in_menu(app)
    app.number_input(key="training:own_h").set_value(5).run()
    assert say("refused.heads", h=5, d_model=16) in [warning.value for warning in app.warning]
    assert "h = 4 (heads)" in in_menu(app)
    app.number_input(key="training:own_h").set_value(2).run()
    (form,) = [group for group in app.button_group if group.key == "training:own_form"]
    form.set_value("post").run()
    assert not app.exception
    (mine,) = session_module._sessions.values()
    assert mine.own is not None
    assert (mine.own.config.h, mine.own.config.norm_first) == (2, False)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_where_there_is_no_such_file_a_sentence_says_so(open_link: Open, lang: str) -> None:
    app = open_link("attention", model="own", src=SRC, lang=lang)
    assert not app.exception
    assert app.sidebar.warning[0].value == Words("shell", lang)("model_missing.not_here")
    sit_down(open_link, OURS).forget()
    for chapter in ("attention", "training"):
        app = open_link(chapter, model="own", src=SRC, lang=lang)
        assert not app.exception
        assert app.sidebar.warning[0].value == Words("shell", lang)("model_missing.gave_way")


def test_a_model_that_gives_way_while_a_page_is_open_is_missed_with_a_sentence(open_link: Open) -> None:
    sit_down(open_link, OURS)
    app = open_link("attention", model="own", src=SRC)
    cached.clear()
    app.run()
    assert not app.exception
    assert app.sidebar.warning[0].value == shell("model_missing.gave_way")


def test_no_page_says_what_a_model_of_an_unknown_task_should_say(open_link: Open) -> None:
    sit_down(open_link, FOREIGN)
    app = open_link("decoding", model="own", src=SRC)
    shown = " ".join(block.value for block in app.markdown)
    assert "no answer to compare with" in shown
    tokens = " ".join(block.proto.body for block in app.get("html"))
    assert 'class="token right' not in tokens
    assert 'class="token wrong' not in tokens
    app = open_link("positions", model="own", src=SRC, open="beyond")
    assert Words("positions", "en")("beyond.unknown") in [block.value for block in app.markdown]
    app = open_link("heads", model="own", src=SRC)
    assert [info.value for info in app.info].count(shell("task_unknown")) == 3
    assert [info.value for info in app.info].count(shell("task_unasked")) == 1


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_model_of_unknown_steps_is_compared_under_the_name_of_its_file(open_link: Open, lang: str) -> None:
    taken = sit_down(open_link, FOREIGN, "mine.pt")
    app = open_link("heads", model="own", src=SRC, compare="axis", lang=lang)
    assert not app.exception
    wanted = Words("shell", lang)("difference.panel_file", letter="A", file=taken.file)
    assert boards.panel(app, "heads.difference", "first")["title"] == wanted
    assert not [block.value for block in app.markdown if "None" in block.value]


@in_turn("compare", ["untrained", "step"])
def test_a_model_of_unknown_steps_has_no_earlier_one(open_link: Open, compare: str, lang: str) -> None:
    sit_down(open_link, FOREIGN)
    app = open_link("heads", model="own", src=SRC, compare=compare, other_step="3", lang=lang)
    assert not app.exception
    assert Words("shell", lang)("compare_missing.elsewhere") in [block.value for block in (*app.info, *app.warning)]


@pytest.mark.parametrize("norm_first", [True, False])
def test_every_claim_is_checked_on_the_model_of_a_file_and_holds(open_link: Open, norm_first: bool) -> None:
    sit_down(open_link, file_of(weights_of(norm_first=norm_first)))
    app = open_link("verify", model="own", src=SRC)
    (button,) = [button for button in app.button if button.label == Words("verify", "en")("run")]
    button.click().run()
    assert not app.exception
    assert not app.error
    assert len(app.success) == 1


def test_of_a_model_that_says_paddings_alone_a_broken_mask_is_noticed_as_well(open_link: Open) -> None:
    weights = weights_of()
    weights["generator.proj.bias"] = torch.tensor([9.0, 0, 0, 0, 0])
    taken = sit_down(open_link, file_of(weights))
    at_hand = ModelAtHand("own", taken.config, taken.step, 0, taken)
    examined = Examined(at_hand, (1, 3, 2, 5, 4), "mask")
    assert set(examined.decoder_input()) == {1}
    (causality,) = [check for check in EVERY if check.name == "causality"]
    assert not causality.holds(examined.measure(causality, at_hand.load()))


@pytest.mark.parametrize(("content", "numbers"), [(OURS, "step 20 · seed 0"), (FOREIGN, "")], ids=["ours", "foreign"])
def test_a_figure_says_the_file_it_comes_from_and_its_program_reads_that_file(
    open_link: Open, content: bytes, numbers: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = sit_down(open_link, content, "my <b>model</b>.pt")
    at_hand = ModelAtHand("own", taken.config, taken.step, 0, taken)
    assert taken.file == "my__b_model__b_.pt"
    assert at_hand.provenance("x", 3) == " · ".join(filter(None, ["x", "3", taken.file, numbers]))
    (tmp_path / taken.file).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    values: dict[str, Any] = {}
    exec(model_snippet(at_hand), values)
    assert taken.model is not None
    for name, value in taken.model.state_dict().items():
        assert torch.equal(value, values["model"].state_dict()[name])


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("chapter", ["heads", "layers", "verify", "walkthrough"])
def test_a_chapter_opens_whatever_ends_the_stacks(open_link: Open, chapter: str, norm_first: bool) -> None:
    """Pre-norm without a norm at the end, and post-norm with one: no shape forbids it."""
    torch.manual_seed(0)
    model = make_model(12, 5, 2, 16, 12, 2)
    if norm_first:
        model.encoder.norm = model.decoder.norm = torch.nn.Identity()
    taken = sit_down(open_link, file_of(model.state_dict()))
    anew = uploads.taken_anew(taken, 2, norm_first)
    (mine,) = session_module._sessions.values()
    assert anew is not None
    mine.take(anew)
    assert isinstance(anew.config, state_dict.ImportedConfig)
    assert anew.config.shape.last_norm != norm_first
    app = open_link(chapter, model="own", src=SRC)
    assert not app.exception
    assert "`model.pt`" in in_menu(app)


@pytest.mark.parametrize("chapter", ["attention", "decoding", "layers", "walkthrough"])
def test_formulas_and_programs_give_the_numbers_of_a_files_model(
    figures: Callable[[str, str], list[Figure]],
    open_link: Open,
    chapter: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken = sit_down(open_link, FOREIGN, f"{chapter}.pt")
    (tmp_path / taken.file).write_bytes(FOREIGN)
    shown = figures(chapter, f"model=own&src={SRC}")
    assert shown
    monkeypatch.chdir(tmp_path)
    for figure in shown:
        board = figure.picture.board if isinstance(figure.picture, Drawing) else figure.picture
        assert isinstance(board, Board)
        found = furthest(board)
        assert found is None or found < 1e-5, (figure.name, found)
        if taken.file in str(figure.origin):
            assert taken.file in figure.program
            np.testing.assert_allclose(computed(figure.program), figure.data, atol=1e-5, rtol=1e-4)


def test_what_the_chapters_compute_of_a_state_dict_is_what_the_formulas_say(open_link: Open) -> None:
    written = formulas.state_dict(np.random.default_rng(0))
    taken = sit_down(open_link, file_of({name: torch.tensor(value).float() for name, value in written.items()}))
    app = open_link("training", open="own", model="own", own_h=str(formulas.HEADS))
    (mine,) = session_module._sessions.values()
    assert mine.own is not None
    assert mine.own != taken
    assert mine.own.model is not None
    np.testing.assert_allclose(formulas.computed(mine.own.model).numpy(), formulas.expected(written), rtol=0, atol=1e-5)
    assert not app.exception


@pytest.mark.parametrize(
    ("model", "written"), [("trained", "3 2 5"), ("spanish", "yo compro dos flores rojas cada día")]
)
def test_a_saved_model_is_used_in_three_lines(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], model: str, written: str
) -> None:
    (lines,) = [
        block.value for block in open_link("training", open="own", model=model).code if "predicted" in block.value
    ]
    assert lines.count("\n") == 2
    monkeypatch.setattr("transformer_core.load_any", lambda file: {"model.safetensors": shipped(model)}[file])
    exec(lines, {})
    assert capsys.readouterr().out == f"{written}\n"
