"""What the story of GPT and BERT is made of: a row that the GPT writes, and one that the BERT fills in."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from transformer_core.tasks.vocabulary import END
from ui.chapters.gpt.reading import labels, probabilities, typed_row
from ui.inputs.gloss import glosses_for
from ui.model.rows import continued_row, row_example, row_kind, row_recorded, task_of
from ui.model.shipped import one_stack, shipped
from ui.sections import AnyChapter, Choice
from ui.sections.inquiry import Inquiry, Version, one_of
from ui.settings.chapters import OF_ENGLISH, TRANSLATOR

BEST = 4  # words that are listed


@dataclass(frozen=True)
class SourceLook:
    """In a head, what the place before a word of the translation attends to most: a word of the sentence."""

    layer: int
    head: int
    place: int  # the place that attends; its output predicts the word after it
    key: int
    weight: float


class GptStoryValues:
    """Of a prompt that ends with "="."""

    def __init__(self, chapter: AnyChapter) -> None:
        self.say, self.gpt, self.bert = chapter.say, *(row_kind(kind, chapter.at_hand) for kind in ("gpt", "bert"))
        task, words = task_of(self.gpt), typed_row(row_example(chapter.say, "prompt.example", self.gpt), self.gpt)
        self.glosses = glosses_for(chapter.lang, task.translation.source, task.translation.target)
        self.row = tuple(token for token in continued_row(self.gpt, words) if token != END)
        self.names = labels(self.gpt, self.row)[1:]  # without the start symbol
        self.equals = self.row.index(task.equals) - 1  # its place among the names
        self.prompt = task.vocabulary.text(words)
        trace = row_recorded(self.gpt, self.row)
        layers = range(one_stack(self.gpt).model.shape.N)
        self.weights = np.stack([trace[f"decoder.layers.{at}.self_attn.weights"][0].numpy() for at in layers])
        translator = shipped(OF_ENGLISH if chapter.at_hand.beside_english == "es" else TRANSLATOR)
        models = translator.model, one_stack(self.gpt).model
        self.sizes = [sum(parameter.numel() for parameter in model.parameters()) for model in models]

    @cached_property
    def looks(self) -> list[SourceLook]:
        """Of each word of the translation, the clearest of all heads; those to whom it is clear."""
        found = []
        for place in range(self.equals, len(self.names) - 1):
            sources = self.weights[:, :, place + 1, 1 : self.equals + 1]  # (layers, heads, words)
            layer, head, key = np.unravel_index(int(sources.argmax()), sources.shape)
            weight = float(sources[layer, head, key])
            if weight > 0.5:
                found.append(SourceLook(int(layer), int(head), place, int(key), weight))
        return found

    @cached_property
    def look(self) -> SourceLook:
        return max(self.looks, key=lambda look: (look.place > self.equals, look.weight))

    def next_words(self, place: int) -> list[tuple[str, float]]:
        """The most probable words after this place."""
        shares = probabilities(self.gpt, self.row)[place + 1]
        names = task_of(self.gpt).vocabulary.names
        return [(names[token], float(shares[token])) for token in np.argsort(-shares, kind="stable")[:BEST].tolist()]

    @cached_property
    def covered(self) -> int:
        """The word of the sentence that the BERT finds covered: what the clearest look was at."""
        return self.look.key

    @cached_property
    def filled(self) -> tuple[list[tuple[str, float]], np.ndarray]:
        """The most probable words in the place of the covered one, and the weights from there, mean of the last layer's
        heads: (words,)."""
        row = [*self.row, END]
        row[self.covered + 1] = task_of(self.bert).cover
        trace, shares = row_recorded(self.bert, tuple(row)), probabilities(self.bert, tuple(row))[self.covered + 1]
        names, best = task_of(self.bert).vocabulary.names, np.argsort(-shares, kind="stable")[:BEST].tolist()
        last = one_stack(self.bert).model.shape.N - 1
        weights = trace[f"encoder.layers.{last}.self_attn.weights"][0, :, self.covered + 1, 1:-1].mean(0).numpy()
        return [(names[token], float(shares[token])) for token in best], weights


# What the story asks: how a model without cross-attention knows what to translate; and the same of a word.

REACH = Choice("story_reach", ("self", "encoder", "memory"), right="self")


def of_a_word(v: GptStoryValues, seed: int) -> Version | None:
    return one_of(seed, [look for look in v.looks if look != v.look], lambda look: _of(v, look))


def _of(v: GptStoryValues, look: SourceLook) -> Version | None:
    """What a head attends to most; beside it two other words of the sentence, or "="."""
    others = [name for name in v.names[: v.equals + 1] if name != v.names[look.key]][-2:]
    labels_ = {"self": v.names[look.key], "encoder": others[0], "memory": others[1]}
    said = {"word": v.names[look.place + 1], "layer": look.layer, "head": look.head, "share": f"{look.weight:.0%}"}
    return Version("self", said, dict(sorted(labels_.items(), key=lambda one: v.names.index(one[1]))))


REACHED = Inquiry(REACH, ("row", "long", "order"), "row", of_a_word)
