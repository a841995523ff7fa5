"""What a trained model of one stack makes of a text: a GPT goes on with it, a BERT fills in what is covered."""

import torch

from transformer_core.after_2017.continuing import cached_continued
from transformer_core.after_2017.one_stack import DecoderOnly
from transformer_core.tasks.one_row import COVER
from transformer_core.tasks.vocabulary import END, START
from transformer_core.training.row_file import OneStackCheckpoint


def row_answer(checkpoint: OneStackCheckpoint, text: str) -> str:
    """The words after the prompt, or the text with its covered words.

    ValueError (UnknownWord) for a word that the task does not have, for a text that leaves no room, for one without a
    covered word, and for a model that has no words of ours.
    """
    model, config, _ = checkpoint
    if config is None:
        raise ValueError("the model's tokens are numbers, and the file does not say which words they are")
    task = config.task
    words = task.vocabulary
    if isinstance(model, DecoderOnly):
        prompt = task.prompt(text)
        (row,) = cached_continued(model, torch.tensor([prompt]), task.longest, END).tolist()
        return words.text(words.until_end(row[len(prompt) :]))
    tokens = torch.tensor([[START, *words.read(text), END]])
    covered = tokens == task.cover
    if not covered.any():
        raise ValueError(f"no word is covered: write {COVER.replace('⟨', '<').replace('⟩', '>')} in its place")
    with torch.inference_mode():
        likeliest = model.generator(model(tokens)).argmax(-1)
    (row,) = torch.where(covered, likeliest, tokens).tolist()
    return words.text(row)
