"""What is computed once for many figures and readers."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, fields

import pytest
import torch

from transformer_core import EncoderDecoder
from ui.cache import cached
from ui.chapters.decoding.values import turns_of
from ui.chapters.ways.values import beam_of
from ui.model.current_model import ModelAtHand, model_at_hand
from ui.model.recorded import forward, output_of, recorded
from ui.settings.frame import Frame

SRC = (1, 4, 2)


def test_a_recording_is_made_once_per_model_and_sequences() -> None:
    trained, fresh = model_at_hand(Frame()), model_at_hand(Frame(model="fresh"))
    src, tgt = (1, 4, 2), (1, 4)
    first = recorded(trained, src, tgt)
    assert recorded(trained, src, tgt) is first
    expected = forward(trained.load(), src, tgt)[1]
    assert first.keys() == expected.keys()
    assert all(torch.equal(first[name], expected[name]) for name in expected)
    for other in (recorded(fresh, src, tgt), recorded(trained, src, (1, 5))):
        assert not torch.equal(other["decoder.output"], first["decoder.output"])


def test_no_part_of_the_model_is_kept_with_a_recording() -> None:
    at_hand = model_at_hand(Frame())
    weights = {weight.untyped_storage().data_ptr() for weight in at_hand.load().state_dict().values()}
    values = recorded(at_hand, (1, 4, 2), (1, 4))
    assert not weights & {value.untyped_storage().data_ptr() for value in values.values()}


@dataclass(frozen=True)
class Awaited(ModelAtHand):
    """A model that had to make room, and is there once others have got what they asked for."""

    def load(self) -> EncoderDecoder:
        other = threading.Thread(target=cached.get_or_make, args=("what another reader asks for", object))
        other.start()
        other.join(20)
        assert not other.is_alive(), "the other reader waits"
        return super().load()


@pytest.mark.parametrize(
    "ask",
    [
        lambda at_hand: recorded(at_hand, SRC, (1, 4)),
        lambda at_hand: output_of(at_hand, SRC),
        lambda at_hand: turns_of(at_hand, SRC, 1),
        lambda at_hand: beam_of(at_hand, SRC, 2, 0.0),
    ],
    ids=["recorded", "output_of", "turns", "beam"],
)
def test_who_waits_for_a_model_keeps_nobody_else_waiting(ask: Callable[[ModelAtHand], object]) -> None:
    shown = model_at_hand(Frame(model="fresh", fresh=11))
    cached.drop("what another reader asks for")
    ask(Awaited(**{field.name: getattr(shown, field.name) for field in fields(shown)}))
