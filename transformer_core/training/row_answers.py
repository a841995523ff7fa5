"""What a trained model of one stack makes of a text: a GPT goes on with it, a BERT fills in what is covered."""

import torch

from transformer_core.after_2017.continuing import cached_continued
from transformer_core.after_2017.one_stack import DecoderOnly
from transformer_core.tasks.one_row import COVER
from transformer_core.tasks.vocabulary import END, START
from transformer_core.training.row_file import OneStackCheckpoint

TYPED_COVER = COVER.replace("⟨", "<").replace("⟩", ">")


class NotAnswered(ValueError):
    """A text that a model of one stack has no answer to: `reason` and `values` say the same in another language."""

    def __init__(self, reason: str, message: str, **values: int) -> None:
        super().__init__(message)
        self.reason = reason
        self.values = values


def row_answer(checkpoint: OneStackCheckpoint, text: str) -> str:
    """The words after the prompt, or the text with its covered words.

    ValueError for what has no answer: UnknownWord for a word that the task does not have, NotAnswered for a text that
    leaves no room or has no covered word, and for a model that has no words of ours.
    """
    model, config, _ = checkpoint
    if config is None:
        raise NotAnswered("numbers", "the model's tokens are numbers, and the file does not say which words they are")
    task = config.task
    words = task.vocabulary
    if isinstance(model, DecoderOnly):
        prompt = task.prompt(text)
        _check_room(len(prompt), task.longest - 1)
        (row,) = cached_continued(model, torch.tensor([prompt]), task.longest, END).tolist()
        return words.text(words.until_end(row[len(prompt) :]))
    tokens = torch.tensor([[START, *words.read(text), END]])
    covered = tokens == task.cover
    if not covered.any():
        raise NotAnswered("cover", f"no word is covered: write {TYPED_COVER} in its place")
    _check_room(tokens.size(1), task.longest)
    with torch.inference_mode():
        likeliest = model.generator(model(tokens)).argmax(-1)
    (row,) = torch.where(covered, likeliest, tokens).tolist()
    return words.text(row)


def _check_room(tokens: int, most: int) -> None:
    if tokens > most:
        raise NotAnswered(
            "long", f"a text of {tokens} tokens has no room here: at most {most} fit", tokens=tokens, most=most
        )
