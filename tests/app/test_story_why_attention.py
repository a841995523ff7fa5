"""What the story of the ways says of their lengths and prices is so."""

import math

import pytest

from tests.app.conftest import Open
from tests.app.telling import telling
from transformer_core.experiments.complexity import layer_cost


@pytest.mark.parametrize(
    ("link", "n"),
    [
        ({"model": "translate"}, 7),
        ({"model": "translate", "src": "two white cats sleep"}, 4),
        ({"model": "trained"}, 9),
        ({"model": "translate", "src": "not a word of it"}, 7),  # its example
    ],
)
def test_the_first_word_is_as_far_from_the_last_as_it_says(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, link: dict[str, str], n: int
) -> None:
    _, _, scenes = telling("why_attention", open_link, monkeypatch, **link)
    said = {scene.name: wide for scene, wide, _ in scenes}
    assert said["recurrent"].said["steps"] == n
    assert said["convolution"].said["steps"] == max(1, math.ceil(math.log(n, 3) - 1e-9))
    ways = [actor for actor in said["attention"].beats[-1].actors if actor.name.startswith("arc")]
    assert len(ways) == n - 1
    # In the tree of a convolution the last one's top is joined to the first one's word.
    taps = {actor.name for actor in said["convolution"].beats[-1].actors if actor.name.startswith("tap 1.0.")}
    assert taps


def test_its_price_is_that_of_table_1(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    page, _, scenes = telling("why_attention", open_link, monkeypatch, model="translate")
    said, d = scenes[-1][1].said, page.at_hand.config.d_model
    long = int(str(said["long"]))
    assert layer_cost("attention", long, d) == int(str(said["times"])) * layer_cost("recurrent", long, d)
    share = layer_cost("attention", 7, d) / layer_cost("recurrent", 7, d)
    assert float(str(said["share"])) == pytest.approx(float(share), rel=0.05)
