"""Beam search: a tree whose scores add up, between greedy decoding and a look at every output."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.core.build import SRC_VOCAB, S, padded
from transformer_core import EncoderDecoder, greedy_steps, make_model, padding_mask, subsequent_mask
from transformer_core.decoding.beam import Beam, beam_search, length_penalty
from transformer_core.verify.samples import drawn, small_model

LENGTH, END = 5, 2
WORDS = 4  # of the tiny model


def source(seed: int = 3) -> Tensor:
    return padded([5], S, SRC_VOCAB, torch.Generator().manual_seed(seed))


def tiny(seed: int) -> EncoderDecoder:
    """A model of few words, so that all its outputs can be looked at."""
    model = make_model(SRC_VOCAB, WORDS, N=1, d_model=8, d_ff=8, h=2).double()
    return drawn(model, seed).eval()


def score_of(model: EncoderDecoder, src: Tensor, output: list[int]) -> float:
    """The sum of an output's log-probabilities, all in one pass."""
    ys = torch.tensor([output])
    with torch.no_grad():
        out = model.generator(model(src, ys[:, :-1], padding_mask(src), subsequent_mask(ys.size(1) - 1)))
    return float(out[0].gather(1, ys[0, 1:, None]).sum())


def every_output(words: int, length: int, prefix: tuple[int, ...] = (1,)) -> Iterator[list[int]]:
    """All that end with the end symbol or have no room for more."""
    for token in range(words):
        if token == END or len(prefix) + 1 == length:
            yield [*prefix, token]
        else:
            yield from every_output(words, length, (*prefix, token))


def search(model: EncoderDecoder, src: Tensor, width: int, **how: Any) -> Beam:
    return beam_search(model, src, padding_mask(src), LENGTH, width, **({"end": END} | how))


@pytest.mark.parametrize("prefix", [(), (5, 3)])
@pytest.mark.parametrize("seed", [3, 4, 5])
def test_a_beam_of_one_is_greedy_decoding(seed: int, prefix: tuple[int, ...]) -> None:
    model, src = small_model(), source(seed)
    *_, last = greedy_steps(model, src, padding_mask(src), LENGTH, end=END, prefix=prefix)
    beam = search(model, src, 1, prefix=prefix)
    assert [beam.output(at) for at in beam.finished(0.6)] == [[*last.ys[0].tolist(), int(last.choice)]]
    assert all(len(turn.parents) == 1 for turn in beam.turns)


def test_as_wide_as_there_are_outputs_it_finds_the_best_of_all() -> None:
    for seed in range(3):
        model, src = tiny(seed), source(seed)
        scores = {tuple(output): score_of(model, src, output) for output in every_output(WORDS, LENGTH)}
        for alpha in (0.0, 0.6, 1.5):
            by_score = {output: score / length_penalty(len(output) - 1, alpha) for output, score in scores.items()}
            best = max(by_score, key=by_score.__getitem__)
            beam = search(model, src, len(scores), alpha=alpha)
            winner = beam.finished(alpha)[0]
            assert tuple(beam.output(winner)) == best
            assert beam.nodes[winner].score == pytest.approx(scores[best])


def test_a_narrow_beam_may_miss_the_best_and_a_wider_one_finds_it() -> None:
    missed = 0
    for seed in range(20):
        scores = []
        for width in (1, WORDS**LENGTH):
            beam = search(tiny(seed), source(seed), width, alpha=0.0)
            scores.append(beam.nodes[beam.finished(0.0)[0]].score)
        assert scores[0] <= scores[1] + 1e-9
        missed += scores[0] < scores[1] - 1e-9
    assert missed


@pytest.mark.parametrize("prefix", [(), (5, 3)])
def test_the_scores_of_the_tree_add_up_from_the_root_to_every_end(prefix: tuple[int, ...]) -> None:
    model, src = small_model(), source()
    beam = search(model, src, 3, prefix=prefix)
    assert beam.output(len(prefix)) == [1, *prefix]
    assert (beam.nodes[0].score, beam.nodes[0].turn) == (0, 0)
    for at, node in enumerate(beam.nodes[1:], 1):
        way = beam.way(at)
        assert node.score == pytest.approx(sum(beam.nodes[place].log_prob for place in way))
        assert node.score == pytest.approx(score_of(model, src, beam.output(at)))
        assert [beam.nodes[place].turn for place in way] == list(range(1, node.turn + 1))
        assert beam.output(at)[: len(prefix) + 1] == [1, *prefix][: node.turn + 1]
        assert beam.normalised(at, 0.6) == node.score / length_penalty(node.turn, 0.6)


@pytest.mark.parametrize("width", [1, 2, 4])
def test_of_all_continuations_of_a_turn_the_largest_sums_stay(width: int) -> None:
    beam = search(small_model(), source(), width)
    grown = 1  # the root
    for number, turn in enumerate(beam.turns, 1):
        children = [beam.nodes[at] for at in turn.children]
        assert turn.children == tuple(range(grown, grown + len(children)))
        grown += len(children)
        stay = sorted((child.score for child in children if child.fate != "pruned"), reverse=True)
        torch.testing.assert_close(torch.tensor(stay).double(), turn.sums.flatten().topk(len(stay)).values)
        assert len(stay) == min(width, turn.sums.numel())
        for row, parent in enumerate(turn.parents):
            assert beam.nodes[parent].fate == "kept"
            torch.testing.assert_close(turn.sums[row], beam.nodes[parent].score + turn.log_probs[row])
        assert {child.turn for child in children} == {number}
        for child in children:
            ends = child.token == END or number == LENGTH - 1
            assert child.fate in ("pruned", "ended" if ends else "kept")
    assert grown == len(beam.nodes)


def test_the_length_penalty_by_hand() -> None:
    assert length_penalty(1, 0.6) == 1
    assert length_penalty(7, 1.0) == 2
    assert length_penalty(19, 0.5) == 2
    assert length_penalty(30, 0.0) == 1


def test_the_larger_alpha_the_longer_the_winner() -> None:
    lengths = []
    for seed in range(20):
        beam = search(tiny(seed), source(seed), WORDS**LENGTH, alpha=0.0)
        winners = [beam.finished(alpha)[0] for alpha in (0.0, 0.6, 3.0)]
        lengths.append([beam.nodes[at].turn for at in winners])
        assert lengths[-1] == sorted(lengths[-1])
    assert any(one[0] < one[2] for one in lengths)


def test_without_an_end_symbol_all_outputs_are_as_long_as_there_is_room() -> None:
    beam = search(small_model(), source(), 3, end=None)
    assert {len(beam.output(at)) for at in beam.finished(0.6)} == {LENGTH}
    assert len(beam.finished(0.6)) == 3


def test_a_padded_source_is_searched_as_it_would_be_alone() -> None:
    model, src = small_model(), source()
    alone = beam_search(model, src[:, :5], None, LENGTH, 3, end=END)
    assert [node[2] for node in alone.nodes] == [node[2] for node in search(model, src, 3).nodes]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"width": 0}, "at least 1 output, not 0"),
        ({"alpha": -1.0}, "from 0 on, not -1"),
        ({"alpha": float("nan")}, "from 0 on, not nan"),
        ({"alpha": float("inf")}, "from 0 on, not inf"),
        ({"prefix": (4, END)}, "nothing is left to decide"),
        ({"prefix": (4,) * (LENGTH - 1)}, "nothing is left to decide"),
    ],
)
def test_what_cannot_be_searched_is_said(how: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        search(small_model(), source(), **({"width": 2} | how))
    with pytest.raises(ValueError, match="one source, not 2"):
        search(small_model(), source().expand(2, -1), 2)


def test_a_model_that_says_no_numbers_is_searched_to_the_end_of_the_room() -> None:
    model = small_model()
    with torch.no_grad():
        model.generator.proj.weight.fill_(float("nan"))
    beam = search(model, source(), 2)
    assert {beam.nodes[at].turn for at in beam.finished(0.6)} <= set(range(1, LENGTH))
    assert beam.finished(0.6)
