"""A translation that ends at once."""

import torch
from torch import Tensor

from transformer_core import EncoderDecoder, padding_mask, subsequent_mask
from transformer_core.exercises.symptoms.filled import FULL, filled, filled_run
from transformer_core.exercises.symptoms.symptom import CheckedCause, ShippedModels, State, Symptom
from transformer_core.exercises.symptoms.translated import translation_task, unseen_pairs
from transformer_core.tasks.vocabulary import END, START

ROWS = ("right", "end")


def healthy(seed: int, models: ShippedModels) -> State:
    return _decoded(models.translate, seed)


def one_step(seed: int, models: ShippedModels) -> State:
    """The loop has as many steps as the batch has sentences: the wrong axis of the source."""
    return _decoded(models.translate, seed, axis=0)


def one_symbol(seed: int, models: ShippedModels) -> State:
    """One symbol stands for start and end: the loop sees the end before its first step."""
    return _decoded(models.translate, seed, start=END)


def end_for_padding(seed: int, models: ShippedModels) -> State:
    """Targets were filled up with the end symbol, which counted in the loss: almost every answer was the end."""
    return _decoded(filled_run(seed, END), seed, full=True)


def probabilities(state: State) -> Tensor:
    """(2, tokens of the answer) of the right token and of the end, at each step; 0 where the loop is over."""
    found: Tensor = state["shown"]
    return found


def words(state: State) -> float:
    """How many are written before the end."""
    return float((state["written"] != END).sum())


def _decoded(model: EncoderDecoder, seed: int, axis: int = 1, start: int = START, full: bool = False) -> State:
    pairs, length = unseen_pairs(seed)
    src, answers = pairs.src[:1], pairs.tgt[0, 1 : length + 1]
    max_len = src.size(axis)
    ys, shown = torch.full((1, 1), start), torch.zeros(len(ROWS), length)
    with torch.no_grad():
        memory = model.encode(src, padding_mask(src))
        for step in range(max_len):
            if ys[0, -1] == END:
                break
            decoded = model.decode(memory, padding_mask(src), ys, subsequent_mask(ys.size(1)))
            log_probs = model.generator(decoded[:, -1])
            if step < length:
                shown[:, step] = log_probs[0, [answers[step], END]].exp()
            ys = torch.cat([ys, log_probs.argmax(-1)[:, None]], 1)
    trained_on = filled(pairs.tgt, END, FULL) if full else pairs.tgt
    return {
        "shown": shown,
        "written": ys[0, 1:],
        "src": src,
        "max_len": max_len,
        "tgt_y": trained_on[:, 1:],
        "bos_token_id": start,
        "eos_token_id": END,
        "labels": translation_task().target.labels(answers.tolist()),
    }


ENDS = Symptom(
    "ends",
    healthy,
    (
        CheckedCause("one_step", one_step, "max_len < src.size(1)"),
        CheckedCause("one_symbol", one_symbol, "bos_token_id == eos_token_id"),
        CheckedCause("end_for_padding", end_for_padding, "(tgt_y == eos_token_id).float().mean() > 0.5"),
    ),
    probabilities,
    {"words": words},
)
