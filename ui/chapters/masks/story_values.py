"""What the story of masks is made of: an answer that the decoder reads, and what models make of it."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch.nn.functional import pad

from transformer_core import PAD, START, Batch, EncoderDecoder, Trace, greedy_decode, padding_mask, record
from transformer_core.experiments.probes import PrefixProbe, prefix_probe
from transformer_core.tasks import Vocabulary
from ui.chapters.masks.probes import causality, drift
from ui.chapters.shared.word_choice import speaking_row
from ui.inputs.sequence import example, parse
from ui.model import ModelAtHand, answer, measured, recorded
from ui.model.shipped import peeking
from ui.sections import AnyChapter, Choice
from ui.sections.inquiry import Inquiry, Version, one_of, ranked
from ui.sections.sequence_fields import typed

LEARNED = 0.1  # below this a loss is near 0
LONGEST = 40  # tokens that are read


@dataclass(frozen=True)
class Peek:
    sentence: str  # that is translated
    right: list[str]  # each next word
    shares: np.ndarray  # (T,) its probability with the card lifted
    written: list[str]  # what is written alone, up to the end symbol, at most as many words
    loss: float

    @property
    def hits(self) -> int:
        return sum(said == word for said, word in zip(self.written, self.right))

    @property
    def cheats(self) -> bool:
        """Whether it has learned to read what it is to guess, and nothing else."""
        return self.loss < LEARNED and self.hits < len(self.right)


def peek(vocabulary: Vocabulary, src: tuple[int, ...], lang: str, most: int) -> Peek:
    """Of the source at hand, if it is a sentence of that model's language, or else of an example; at `most` so many
    words."""
    config, model = peeking().config, peeking().model
    source, target = config.vocabularies
    if vocabulary.names != source.names or config.answer(src) is None:
        src = parse(example(config, "", lang), source, LONGEST)
    answer = config.answer(src)
    assert answer is not None, "an example is a sentence of the language"
    padded = torch.tensor([[*answer, PAD]])  # as beside longer ones in a batch, where it was trained
    batch = Batch(torch.tensor([src]), padded, look_ahead=False)
    with torch.inference_mode():
        log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
        right = log_probs.gather(-1, batch.tgt_y.unsqueeze(-1))[0, :-1, 0]
        written = greedy_decode(model, batch.src, batch.src_mask, len(answer), START, target.end)[0]
    words, said = (target.labels(row)[1 : most + 1] for row in (answer, written.tolist()))
    return Peek(source.text(src), words, right[:most].exp().numpy(), said, -float(right.mean()))


# What the story of masks is made of: an answer that the decoder reads, and what models make of it.

MOST = 12  # words of a sequence that have room; the first ones are told of
PADDINGS = 2  # that are appended
HEAD = "decoder.layers.0.self_attn"
ENCODER = "encoder.layers.0.self_attn"


class MasksStoryValues:
    """Of the source `src`, whose answer is `tgt`; `peeked` is what a model that peeks makes of it."""

    def __init__(self, chapter: AnyChapter, src: tuple[int, ...], tgt: tuple[int, ...], peeked: Peek) -> None:
        self.say, self.glosses, at_hand = chapter.say, chapter.glosses, chapter.at_hand
        given, guessed = tgt[:-1], tgt[1:]
        trace = recorded(at_hand, src, given)
        head, _, _ = speaking_row(trace[f"{HEAD}.weights"][0].numpy(), given)
        self.sentence = at_hand.source.text(src) if at_hand.words else " ".join(at_hand.source.labels(src))
        self.words = at_hand.target.labels(given)  # what the decoder reads
        self.guesses = at_hand.target.labels((given[0], *guessed))[1:]  # what it has to predict, row by row
        of_head = (trace[f"{HEAD}.{name}"][0, head].numpy() for name in ("masked", "scores", "weights"))
        self.masked, self.scores, self.weights = of_head  # (T, T) each; scores are those before the mask
        self.under, self.lifted = (causality(at_hand, src, given, look_ahead) for look_ahead in (True, False))
        # The word that is replaced: the one that moves an earlier row most, with the card lifted; the first has none.
        self.changed = max(1, int(self.lifted.difference.triu(1).amax(0).argmax()))
        self.instead = at_hand.target.every[int(self.under.replaced[self.changed])]
        self.alone_under, self.alone_lifted = (_prefixes(at_hand, src, given, ahead) for ahead in (True, False))
        self.peek = peeked
        self.sources = at_hand.source.labels((*src, *[PAD] * PADDINGS))  # what the encoder reads
        read, unread = (_weights(at_hand, src, masked) for masked in (False, True))
        greedy = int(read[:, :, len(src) :].sum((1, 2)).argmax())  # the head that gives paddings most
        self.read, self.unread = read[greedy], unread[greedy]  # (S, S + PADDINGS), padding like words, and masked
        self.padded_lifted, self.padded_under = (drift(at_hand, src, PADDINGS, masked=on) for on in (False, True))
        self.origins = (
            at_hand.provenance(f"{HEAD}.scores", *self.scores.shape, head=head),
            at_hand.provenance(f"{ENCODER}.weights", *self.read.shape, head=greedy),
        )


def values(chapter: AnyChapter) -> MasksStoryValues | None:
    """None where there are fewer than two rows: nothing is to be covered then."""
    at_hand, src = chapter.at_hand, typed(chapter, "src")
    tgt = answer(at_hand, src)[: MOST + 1]
    if len(tgt) < 3:
        return None
    return MasksStoryValues(chapter, src[:MOST], tgt, peek(at_hand.source, src, chapter.lang, MOST))


def _prefixes(at_hand: ModelAtHand, src: tuple[int, ...], given: tuple[int, ...], look_ahead: bool) -> PrefixProbe:
    def probe(model: EncoderDecoder) -> Trace:
        return prefix_probe(model, torch.tensor([src]), torch.tensor([given]), look_ahead=look_ahead)._asdict()

    return PrefixProbe(**measured(at_hand, ("prefixes", src, given, look_ahead), probe))


def _weights(at_hand: ModelAtHand, src: tuple[int, ...], masked: bool) -> np.ndarray:
    """(h, S, S + PADDINGS): what each head of the encoder's first layer gives to words and paddings."""
    found = measured(at_hand, ("padded", src, masked), partial(_padded, src, masked))
    return np.asarray(found["weights"].numpy()[:, : len(src)])


def _padded(src: tuple[int, ...], masked: bool, model: EncoderDecoder) -> Trace:
    tokens = pad(torch.tensor([src]), (0, PADDINGS), value=PAD)
    with torch.inference_mode(), record(model) as trace:
        model.encode(tokens, padding_mask(tokens, PAD) if masked else None)
    return {"weights": trace[f"{ENCODER}.weights"][0]}


# What the story of masks asks: which rows a word of the answer changes; and the same of another word.

LATER = Choice("story_later", ("from", "before", "all"), right="from")


def of_another(v: MasksStoryValues, seed: int) -> Version | None:
    places = [place for place in range(1, len(v.words)) if place != v.changed]
    return one_of(seed, places, lambda place: _of(v, place))


def _of(v: MasksStoryValues, place: int) -> Version | None:
    """Its rows are counted: those that compute something else with another word there."""
    rows, changed = len(v.words), int((v.under.difference[:, place] > 0).sum())
    labels = ranked({"from": changed, "before": place, "all": rows})
    said = {"word": v.words[place], "place": place + 1, "rows": rows, "changed": changed, "above": place}
    return Version("from", said, labels) if labels else None


COVERED = Inquiry(LATER, ("loss", "turns", "uncovered"), "uncovered", of_another)
