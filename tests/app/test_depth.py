"""Figures of depth: on the model at hand where it has layers to compare, else on the shipped one of three layers."""

import numpy as np
import pytest
import torch

from tests.app.conftest import Open
from ui.chapters.backward.by_layer import reaching
from ui.figures.figure import Figure
from ui.model.current_model import ModelAtHand, model_at_hand, with_layers
from ui.model.recorded import answer
from ui.model.shipped import shipped
from ui.settings.frame import Frame
from ui.text import Words

SECTIONS = {"layers": "readouts", "backward": "by_layer", "heads": "by_layer"}


@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        ({"model": "translate"}, "translate_deep"),
        ({"model": "spanish"}, "spanish_deep"),
        ({"model": "fresh_translate"}, "translate_deep"),
        ({"model": "spanish_deep"}, "spanish_deep"),
        ({"model": "trained"}, "trained"),
        ({"model": "spanish", "fault": "7"}, "spanish"),  # whoever looks for a fault looks at the model that has it
    ],
)
def test_depth_is_shown_on_a_model_that_reads_the_same_tokens_and_has_layers(frame: dict[str, str], kind: str) -> None:
    at_hand = model_at_hand(Frame.from_query(frame))
    shown = with_layers(at_hand)
    assert shown.kind == kind
    assert shown.source.names == at_hand.source.names
    assert shown.config.N > 1 or at_hand.fault


@pytest.mark.parametrize("chapter", SECTIONS)
@pytest.mark.parametrize(("model", "lang"), [("spanish", "en"), ("translate", "zh")])
def test_a_chapter_on_one_layer_shows_three_and_says_whose_they_are(
    open_link: Open, shown: list[Figure], chapter: str, model: str, lang: str
) -> None:
    app = open_link(chapter, model=model, lang=lang, only=SECTIONS[chapter])
    assert not app.exception
    shell = Words("shell", lang)
    assert shell("of_layers", layers=3) in [caption.value for caption in app.caption]
    (figure,) = (one for one in shown if one.name == SECTIONS[chapter])
    program: dict[str, torch.Tensor] = {}
    exec(figure.program, program)
    np.testing.assert_allclose(figure.data, np.asarray(program["shown"]), atol=1e-5)
    (link,) = (one.proto for one in app.get("page_link") if one.proto.label == shell("of_layers_open", layers=3))
    assert f"model={model}_deep" in link.query_string


@pytest.mark.parametrize("chapter", SECTIONS)
def test_a_model_of_three_layers_shows_its_own(open_link: Open, chapter: str) -> None:
    app = open_link(chapter, model="spanish_deep", lang="en", open="all", src="two white cats sleep")
    assert not app.exception
    assert Words("shell", "en")("of_layers", layers=3) not in [caption.value for caption in app.caption]


@pytest.mark.parametrize("seed", range(3))
def test_in_the_decoder_pre_norm_keeps_the_gradient_and_post_norm_makes_it_shorter_layer_by_layer(seed: int) -> None:
    """Whatever the first weights: of both arrangements from the last layer to the first."""
    config = shipped("spanish_deep").config
    at_hand = ModelAtHand("run", type(config).from_dict(config.to_dict() | {"seed": seed}), 0, seed)
    src = tuple(config.vocabularies[0].sequence(config.vocabularies[0].read("two white cats sleep")))
    target = answer(model_at_hand(Frame(model="spanish_deep")), src)
    _, pre, post = reaching(at_hand, src, target, 1)[: config.N].T
    assert pre[-1] / pre[0] > 0.8
    assert post[-1] / post[0] < 0.8
