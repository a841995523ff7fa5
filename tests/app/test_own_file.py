"""A file that a reader gives: which kinds are taken, and in which words the others are refused."""

import argparse
import collections
import inspect
import pickle
import re

import pytest
import safetensors.torch
import torch

from tests.app.conftest import ROOT, Open, in_turn
from tests.app.test_own_model import CONFIG, OURS, file_of, in_menu, say, upload, weights_of
from transformer_core import make_model
from transformer_core.training import archive, checkpoint, config, kinds, names, not_a_model, state_dict, tensor_file
from transformer_core.training.models import fresh_model
from transformer_core.training.not_a_model import NotAModel
from ui import run_limits, upload_limits, uploads
from ui.text import LANGUAGES, Words, load
from ui.training_service.memory_budget import MB, SENT

BEFORE = {"format": 1, "config": CONFIG.to_dict(), "step": 20, "weights": dict(fresh_model(CONFIG).named_parameters())}
OTHERS = {
    "of the format before": file_of(BEFORE),
    "of safetensors": safetensors.torch.save(weights_of()),
    "a level down": file_of({"epoch": 3, "model_state_dict": weights_of()}),
    "beside a namespace and a counter": file_of(
        {"args": argparse.Namespace(lr=1.0), "words": collections.Counter("ab"), "model": weights_of()}
    ),
    "saved whole": file_of(make_model(12, 5, N=2, d_model=16, d_ff=12, h=4)),
    "of a module that holds it": file_of(
        {"state_dict": {f"model.{name}": value for name, value in weights_of().items()}}
    ),
}


@pytest.mark.parametrize("content", OTHERS.values(), ids=OTHERS)
def test_files_of_other_kinds_are_taken(open_link: Open, content: bytes) -> None:
    app = upload(open_link("training", open="own"), content)
    assert not app.error
    assert app.session_state["settings"]["frame"].model == "own"
    assert "d_model = 16" in in_menu(app)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_a_file_tells_of_its_training_is_said(open_link: Open, lang: str) -> None:
    app = upload(open_link("training", open="own", lang=lang), OURS)
    said = Words("training", lang)("own.history", first="2.35", last="0.125", step=20)
    assert said in [block.value for block in app.markdown]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_file_that_is_none_gets_a_sentence_and_the_model_stays(open_link: Open, lang: str) -> None:
    app = upload(open_link("training", open="own", lang=lang), OURS)
    for content, reason in {
        OURS[:-100]: "damaged",
        b"hello": "damaged",
        file_of([1]): "parts",
        file_of(weights_of() | {"encoder.norm.a_2": torch.full((16,), torch.nan)}): "values",
        file_of({"src_embed.0.lut.weight": torch.zeros(1).expand(10**9, 16)}): "missing",
        file_of(argparse.Namespace(lr=1.0)): "code",
        file_of({"conv1.weight": torch.zeros(2, 2)}): "names",
        file_of({"encoder.layers.0.slf_attn.w_qs.weight": torch.zeros(2, 2)}): "otherwise",
        file_of(make_model(5, 5, 1, 4, 4, 2).encoder.state_dict()): "part",
        file_of({f"{which}.{name}": value for which in "ab" for name, value in weights_of().items()}): "several",
        file_of(list(range(archive.MOST_OPERATIONS))): "long",
        pickle.dumps([1]): "kind",
        (ROOT / "assets/model/gpt.safetensors").read_bytes(): "one_stack",
        file_of(weights_of() | {"generator.proj.weight_g": torch.ones(5, 1)}): "split",
        file_of(weights_of(src_vocab=1200)): "vocabulary",
        archive.LEGACY + bytes(100): "legacy",
        OURS[:8] + b"{{": "damaged",
        file_of({"model.encoder.layers.0.self_attn.q_proj.weight": torch.zeros(2, 2)}): "elsewhere",
    }.items():
        upload(app, content)
        (said,) = [error.value for error in app.error]
        parts = re.split(r"\{\{\w+\}\}", load("training")[f"own.refused.{reason}"][lang])
        assert re.fullmatch(".+".join(map(re.escape, parts)), said), said
        assert app.session_state["settings"]["frame"].model == "own"
        assert "`model.pt`" in in_menu(app)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_part_of_a_model_in_several_files_is_called_so(open_link: Open, lang: str) -> None:
    app = upload(open_link("training", open="own", lang=lang), file_of(weights_of()), "model-00002-of-00003.bin")
    assert [error.value for error in app.error] == [Words("training", lang)("own.refused.shard", part=2, count=3)]


def test_what_a_file_calls_its_weights_is_shown_as_words(open_link: Open) -> None:
    named = {"`![x](https://example.org/x.png)<b>{{n}}": torch.zeros(1)}
    app = upload(open_link("training", open="own"), file_of(weights_of() | named))
    (said,) = [error.value for error in app.error]
    assert said == say("own.refused.extra", names="???x?(https?//example.org/x.png)?b???n??")


def test_every_reason_for_which_a_file_is_refused_has_its_sentence() -> None:
    for module in (archive, checkpoint, kinds, names, not_a_model, state_dict, tensor_file, uploads, upload_limits):
        for reason in re.findall(r'NotAModel\("(\w+)"', inspect.getsource(module)):
            assert f"own.refused.{reason}" in say
    for reason in re.findall(r'ConfigError\("(\w+)"', inspect.getsource(config) + inspect.getsource(run_limits)):
        of_settings = ("choice", "heads", "lengths", "unknown", "type", "pairs_empty", "no_positions", "tied")
        assert reason in of_settings or f"own.refused.{reason}" in say


@in_turn(("which", "limit"), [("own", upload_limits.OWN), ("all", SENT)])
def test_a_file_for_which_there_was_no_room_is_refused_in_words_and_the_model_stays(
    open_link: Open, which: str, limit: int, lang: str
) -> None:
    app = upload(open_link("training", open="own", lang=lang), OURS)
    app.file_uploader[0].set_value(("next.pt", b"", f"{upload_limits.REFUSED}{which}")).run()
    assert not app.exception
    wanted = Words("training", lang)(f"own.refused.waiting_{which}", limit=limit // MB)
    assert [error.value for error in app.error] == [wanted]
    assert "`model.pt`" in in_menu(app)


def too_large(weight: float) -> dict[str, torch.Tensor]:
    """A state dict of finite weights whose sums are not."""
    found = weights_of()
    found["decoder.layers.1.feed_forward.w_1.weight"] = torch.full_like(
        found["decoder.layers.1.feed_forward.w_1.weight"], weight
    )
    return found


@in_turn("weight", [3e38, -3e38, 1e25])
def test_weights_whose_sums_are_no_numbers_are_refused_in_words_and_the_model_stays(
    open_link: Open, lang: str, weight: float
) -> None:
    app = upload(open_link("training", open="own", lang=lang), OURS)
    upload(app, file_of(too_large(weight)))
    name = "decoder.layers.1.feed_forward.pre_activation"
    assert [error.value for error in app.error] == [Words("training", lang)("own.refused.overflow", name=name)]
    assert "`model.pt`" in in_menu(app)


@pytest.mark.parametrize("token", [1, 11])
def test_one_word_whose_row_is_too_large_is_enough(token: int) -> None:
    weights = weights_of()
    weights["src_embed.0.lut.weight"][token] = 1e30
    with pytest.raises(NotAModel, match=r"src_embed\.0"):
        uploads.take("model.pt", file_of(weights))


def test_a_model_that_overflows_when_it_is_otherwise_understood_is_refused_too(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = uploads.take("model.pt", file_of(weights_of()))
    monkeypatch.setattr(uploads, "TOO_LARGE", 1e-3)
    with pytest.raises(NotAModel, match="beyond"):
        uploads.taken_anew(taken, 2, norm_first=True)
    assert taken.model is not None
