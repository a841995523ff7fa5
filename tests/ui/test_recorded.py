"""What is computed once for many figures and readers."""

import torch

from ui import session
from ui.recorded import recorded
from ui.settings.frame import Frame


def test_a_recording_is_made_once_per_model_and_sequences() -> None:
    trained, fresh = session.model_at_hand(Frame()), session.model_at_hand(Frame(model="fresh"))
    src, tgt = (1, 4, 2), (1, 4)
    first = recorded(trained, src, tgt)
    assert recorded(trained, src, tgt) is first
    expected = session.forward(trained.model, src, tgt)[1]
    assert first.keys() == expected.keys()
    assert all(torch.equal(first[name], expected[name]) for name in expected)
    for other in (recorded(fresh, src, tgt), recorded(trained, src, (1, 5))):
        assert not torch.equal(other["decoder.output"], first["decoder.output"])


def test_no_part_of_the_model_is_kept_with_a_recording() -> None:
    at_hand = session.model_at_hand(Frame())
    weights = {weight.untyped_storage().data_ptr() for weight in at_hand.model.state_dict().values()}
    values = recorded(at_hand, (1, 4, 2), (1, 4))
    assert not weights & {value.untyped_storage().data_ptr() for value in values.values()}
