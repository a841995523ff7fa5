"""Who answers? The router's choice for each word, each expert's load, and what the balance loss changes."""

import numpy as np
import pytest

from tests.app.boards import matrices, panel, written
from tests.app.conftest import Open
from ui.chapters.gpt.experts import KINDS, routed
from ui.text import LANGUAGES


@pytest.mark.parametrize("layer", ["0", "1"])
@pytest.mark.parametrize("kind", KINDS)
def test_each_word_goes_to_its_most_probable_expert(open_link: Open, kind: str, layer: str) -> None:
    app = open_link("gpt", open="experts", routed="she drinks tea = 她喝茶", routed_by=kind, routed_layer=layer)
    shown = matrices(app, "gpt.experts")
    router, gates = shown["router"], shown["gates"]
    assert gates.shape == (8, 4)  # the start symbol, three words, the sign and three words
    np.testing.assert_array_equal(gates, np.where(router == router.max(1, keepdims=True), router, 0))
    counted = np.bincount(router.argmax(1), minlength=4) / 8
    np.testing.assert_allclose(shown["load"], [counted, router.mean(0)], rtol=1e-6)
    np.testing.assert_allclose(shown["balance"], 4 * (counted @ router.mean(0)), rtol=1e-5)
    np.testing.assert_allclose(matrices(app, "gpt.loads")["loads"].sum(1), 1, rtol=1e-6)


@pytest.mark.parametrize("pair", ["", "_es"])
def test_only_the_balance_loss_keeps_the_experts_alike(pair: str) -> None:
    found = {name: routed(kind + pair) for name, kind in KINDS.items()}
    assert min(each.right for each in found.values()) > 0.98
    assert 0.2 < float(found["with"].loads.min()) < float(found["with"].loads.max()) < 0.32
    assert float(found["without"].loads.min()) < 0.15 < 0.45 < float(found["without"].loads.max())
    assert float(found["with"].balance.max()) < 1.05 < 1.2 < float(found["without"].balance.max())


@pytest.mark.parametrize(("at_hand", "word"), [("spanish", "duermen"), ("trained", "睡觉")])
def test_the_row_is_of_the_languages_of_the_model_at_hand(open_link: Open, at_hand: str, word: str) -> None:
    app = open_link("gpt", open="experts", model=at_hand, lang="en")
    assert not app.exception
    assert word in str(panel(app, "gpt.experts", "gates"))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_section_counts_what_a_word_uses(open_link: Open, lang: str) -> None:
    app = open_link("gpt", open="experts", lang=lang, expert_work="one")
    assert not app.exception
    assert {"en": "Who answers?", "zh": "谁来回答？"}[lang] in [box.label for box in app.expander]
    assert "119,439" in written(app)
    assert "69,519" in written(app)


def test_what_cannot_be_is_the_default(open_link: Open) -> None:
    app = open_link("gpt", open="experts", routed="xyzzy", routed_by="0", routed_layer="-1")
    assert not app.exception
    default = matrices(open_link("gpt", open="experts"), "gpt.experts")
    np.testing.assert_array_equal(matrices(app, "gpt.experts")["gates"], default["gates"])
