"""Where cross-attention looks, beside the reference alignment."""

import math

import pytest
import torch

from tests.core.build import unsettle
from transformer_core import PAD, make_model, padding_mask, record, target_mask
from transformer_core.experiments.alignment import chance, looks_at_reference, reference_alignment, words_looked_at
from transformer_core.tasks import Copy, Letters, RandomAnswers, Task, Translation

TRANSLATION = Translation("both")


def sentence(text: str) -> tuple[list[int], list[int]]:
    source = TRANSLATION.source.sequence(TRANSLATION.source.read(text))
    target = TRANSLATION.answer(source)
    assert target is not None
    return source, target


def test_a_row_is_about_the_word_that_it_predicts_and_symbols_do_not_count() -> None:
    source, target = sentence("two white cats sleep")  # 两 只 白色 的 猫 睡觉
    reference = reference_alignment(TRANSLATION, source, target)
    assert reference is not None
    places = [row.nonzero()[:, 0].tolist() for row in reference]
    assert places == [[1], [3], [2], [], [3], [4], []]  # 的 stands for no word, the last row predicts the end


def test_the_gold_of_a_copy_is_the_diagonal_one_to_the_right() -> None:
    reference = reference_alignment(Copy(9), [1, 5, 5, 8, PAD], [1, 5, 5, 8, PAD])
    assert reference is not None
    assert torch.equal(reference, torch.eye(5, dtype=torch.bool)[1:] & torch.tensor([True] * 4 + [False]))


@pytest.mark.parametrize("task", [Copy(9), Letters("sort"), TRANSLATION, RandomAnswers(9)], ids=lambda task: task.name)
def test_of_a_target_that_is_not_the_answer_no_gold_is_known(task: Task) -> None:
    assert reference_alignment(task, [1, 5, 6, 2], [1, 6, 6, 2]) is None


def test_a_head_looks_right_where_its_largest_weight_lies_on_an_aligned_word() -> None:
    reference = torch.tensor([[1, 0, 0], [0, 1, 1], [0, 1, 1], [0, 0, 0]], dtype=torch.bool)
    weights = torch.tensor([[0.4, 0.3, 0.3], [0.4, 0.3, 0.3], [0.2, 0.3, 0.5], [0.2, 0.3, 0.5]])
    assert looks_at_reference(weights, reference).tolist() == [True, False, True, False]
    heads = torch.stack([weights, reference.float()])
    assert looks_at_reference(heads, reference)[1].tolist() == [True, True, True, False]


def test_chance_is_the_share_of_positions_that_are_aligned() -> None:
    reference = torch.tensor([[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0]], dtype=torch.bool)
    assert chance(reference, 4).tolist() == [0.25, 0.5, 0.0]


def test_over_many_sentences_each_word_is_measured_as_it_is_by_itself() -> None:
    torch.manual_seed(0)
    task = Letters("reverse", 5, 6, 2)
    model = make_model(len(task.source), len(task.target), N=2, d_model=12, d_ff=8, h=3).eval()
    unsettle(model)
    found = words_looked_at(model, task, 20)
    pairs = task.held_out(20)
    words = int((pairs.tgt > 2).sum())
    assert found.right.shape == found.entropy.shape == (2, 3, words)
    assert found.chance.shape == found.token.shape == found.sentence.shape == (words,)
    for at in (0, 7, 19):
        source, target = ([token for token in side[at].tolist() if token] for side in pairs)
        reference = reference_alignment(task, source, target)
        assert reference is not None
        src, tgt = torch.tensor([source]), torch.tensor([target[:-1]])
        with torch.no_grad(), record(model) as trace:
            model(src, tgt, padding_mask(src), target_mask(tgt))
        own = found.sentence == at
        assert found.token[own].tolist() == target[1:-1]
        torch.testing.assert_close(found.chance[own], torch.full((len(target) - 2,), 1 / len(source)))
        for layer in range(2):
            weights = trace[f"decoder.layers.{layer}.src_attn.weights"][0, :, :-1]  # the last row predicts the end
            assert torch.equal(found.right[layer][:, own], looks_at_reference(weights, reference[:-1]))
            expected = -(weights * weights.log()).sum(-1)
            torch.testing.assert_close(found.entropy[layer][:, own], expected, atol=1e-5, rtol=1e-4)
    assert float(found.entropy.max()) <= math.log(pairs.src.size(1)) + 1e-5


def test_a_task_without_alignment_is_refused() -> None:
    task = RandomAnswers(7, 5)
    with pytest.raises(ValueError, match="alignment"):
        words_looked_at(make_model(7, 7, N=1, d_model=8, d_ff=8, h=2).eval(), task, 3)
