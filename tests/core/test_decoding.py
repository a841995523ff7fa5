"""Greedy decoding, one token at a time."""

import itertools

import torch

from tests.core.build import BATCH, SRC_VOCAB, TGT_VOCAB, S, assert_within, padded, small_model
from transformer_core import greedy_decode, greedy_steps, padding_mask, subsequent_mask
from transformer_core.tasks import Vocabulary
from transformer_core.verify.laws import step_by_step

LENGTH = 6


def test_the_output_begins_with_the_start_symbol_and_has_the_length_asked_for() -> None:
    src = padded([4, 7, 6], S, SRC_VOCAB)
    for start in (1, 5):
        ys = greedy_decode(small_model(), src, padding_mask(src), LENGTH, start)
        assert ys.shape == (BATCH, LENGTH)
        assert (ys[:, 0] == start).all()


def test_a_length_of_one_is_the_start_symbol_alone() -> None:
    assert greedy_decode(small_model(), padded([S], S, SRC_VOCAB), None, max_len=1, start_symbol=2).tolist() == [[2]]


def test_step_by_step_decoding_chooses_what_teacher_forcing_ranks_first() -> None:
    model, src = small_model(), padded([4, 7, 6], S, SRC_VOCAB)
    src_mask = padding_mask(src)
    ys = greedy_decode(model, src, src_mask, LENGTH)

    forced = model.generator(model(src, ys[:, :-1], src_mask, subsequent_mask(LENGTH - 1)))

    assert torch.equal(forced.argmax(-1), ys[:, 1:])
    assert step_by_step(model, src, LENGTH) < 1e-5


def test_with_an_end_symbol_it_stops_once_every_output_has_one() -> None:
    model, src = small_model(), padded([4, 7, 6], S, SRC_VOCAB)
    whole = greedy_decode(model, src, padding_mask(src), 12)
    for end in range(TGT_VOCAB):
        ys = greedy_decode(model, src, padding_mask(src), 12, end=end)
        steps = list(greedy_steps(model, src, padding_mask(src), 12, end=end))
        places = [row.index(end) if end in row else 11 for row in whole.tolist()]
        assert torch.equal(ys, whole[:, : max(places) + 1])
        assert len(steps) == max(places)
        assert all(torch.equal(step.choice, ys[:, t]) for t, step in enumerate(steps, start=1))


def test_an_output_that_ends_alone_ends_as_it_does_in_a_batch() -> None:
    model, src = small_model(), padded([4, 7, 6], S, SRC_VOCAB)
    words = Vocabulary.of_words("abcdefgh")
    together = greedy_decode(model, src, padding_mask(src), 12, end=words.end)
    for row, output in enumerate(together.tolist()):
        (alone,) = greedy_decode(model, src[row : row + 1], padding_mask(src)[row : row + 1], 12, end=words.end)
        assert words.until_end(alone.tolist()) == words.until_end(output)


def test_every_step_shows_its_input_mask_and_choice() -> None:
    model, src = small_model(), padded([4, 7, 6], S, SRC_VOCAB)
    steps = list(greedy_steps(model, src, padding_mask(src), LENGTH))

    assert [step.ys.size(1) for step in steps] == [1, 2, 3, 4, 5]
    for step, following in itertools.pairwise(steps):
        assert torch.equal(following.ys, torch.cat([step.ys, step.choice.unsqueeze(1)], dim=1))
    for t, step in enumerate(steps, start=1):
        assert torch.equal(step.tgt_mask, subsequent_mask(t))
        assert step.log_probs.shape == (BATCH, TGT_VOCAB)
        assert torch.equal(step.choice, step.log_probs.argmax(-1))
        assert step.trace["decoder.layers.1.src_attn.weights"].shape == (BATCH, 4, t, S)
        assert torch.equal(step.trace["generator.log_probs"], step.log_probs)


def test_steps_are_made_one_at_a_time_as_they_are_asked_for() -> None:
    model = small_model()
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    model.decoder.register_forward_pre_hook(count)
    steps = greedy_steps(model, padded([S], S, SRC_VOCAB), None, LENGTH)
    next(steps)
    next(steps)
    assert calls == 2


def test_a_padded_source_decodes_as_it_would_alone() -> None:
    model, src = small_model(), padded([4, 7, 6], S, SRC_VOCAB)
    together = greedy_decode(model, src, padding_mask(src), LENGTH)
    alone = greedy_decode(model, src[:1, :4], None, LENGTH)
    assert torch.equal(together[:1], alone)


def test_decoding_leaves_no_gradient_and_the_mode_as_it_was() -> None:
    model, src = small_model(), padded([S], S, SRC_VOCAB)
    step = next(greedy_steps(model, src, None, LENGTH))
    assert not step.log_probs.requires_grad
    model.train()
    greedy_decode(model, src, None, 2)
    assert model.training


def test_an_output_that_is_begun_goes_on_from_there() -> None:
    model, src = small_model(), padded([4, 7, 6], S, SRC_VOCAB)
    prefix = [5, 3]
    steps = list(greedy_steps(model, src, padding_mask(src), LENGTH, prefix=prefix))

    assert [step.ys[0, 1:].tolist() for step in steps[:3]] == [[], [5], [5, 3]]
    forced = model.generator(model(src, steps[-1].ys, padding_mask(src), subsequent_mask(LENGTH - 1)))
    for t, step in enumerate(steps):
        assert torch.equal(step.choice, step.log_probs.argmax(-1))  # also where another was written
        assert_within(step.log_probs, forced[:, t].detach(), 1e-5)
