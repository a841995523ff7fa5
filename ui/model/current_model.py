"""The model at hand, with the fault that a link may hide in it, and the one that it is compared with."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import streamlit as st

from transformer_core import PAD, EncoderDecoder
from transformer_core.exercises.faults.which_fault import drawn, hidden, shows_all
from transformer_core.tasks import Translation, Vocabulary, WordTask
from transformer_core.tasks.copy_task import Copy
from transformer_core.training.config import ConfigError, TrainConfig
from transformer_core.training.state_dict import ModelConfig
from transformer_core.verify.broken import BROKEN, Break, broken
from ui.model.run_link import config_of
from ui.model.shipped import EVERY, FILES, shipped
from ui.session import session
from ui.settings.chapters import DEEP, OF_ENGLISH, TRANSLATOR
from ui.settings.frame import END, LATEST, Frame
from ui.text import is_han
from ui.training_service.eta import Eta
from ui.training_service.queue import Refused
from ui.training_service.runs import all_runs
from ui.uploads import Upload

SENTENCES = 60  # that nobody has trained on, one of which is read


def seed_of(text: str) -> int:
    """What a link or a field says, if it is a whole number of one to ten digits above 0; else 0."""
    return int(text) if re.fullmatch("[0-9]{1,10}", text.strip(), re.ASCII) else 0


def with_fault(model: EncoderDecoder, seed: int) -> EncoderDecoder:
    """The model itself where nothing is hidden, for 0."""
    return hidden(model, seed) if seed else model


@lru_cache(maxsize=256)
def source_of(seed: int, config: TrainConfig, lang: str) -> str:
    """The source that a seed means, as it is typed: of the reader's language, where the model knows that."""
    task, vocabulary = config.words or Copy(config.vocab, config.length, config.min_length), config.vocabularies[0]
    rows = [row[row != PAD].tolist() for row in task.held_out(SENTENCES).src]
    fit = [row for row in rows if shows_all(row)]
    texts = [" ".join(map(str, row)) if config.words is None else vocabulary.text(row) for row in fit]
    own = [text for text in texts if is_han(text) == (lang == "zh")] or texts
    return own[drawn(seed, "sentence", len(own))]


RUN_PATIENCE = 4.0  # seconds a page waits for a run that a link names, before it shows the shipped model


@dataclass(frozen=True)
class ModelAtHand:
    """Which model the chapters show, and where it comes from. It holds no weights: pages outlive their readers."""

    kind: str  # of EVERY shipped one, or fresh, fresh_translate, notes, run, own
    config: ModelConfig
    step: int | None  # updates it has seen; of a model that was trained elsewhere nobody knows that
    seed: int
    own: Upload | None = None  # the reader's file that it comes from
    awaited: bool = False  # it stands in for a run that is still being trained
    trouble: str = ""  # why it stands in for a run that cannot be had: the key of a sentence
    how: Break = "none"  # what is broken in it
    fault: int = 0  # seed of the one that is hidden in it; 0: none
    eta: Eta | None = field(default=None, compare=False)  # how long the run that is awaited takes

    def load(self) -> EncoderDecoder:
        """The model, in evaluation mode. Shared by all readers: never changed, only recorded. Untrained, it is step 0
        of a run. A broken one, or one that hides a fault, is a copy, made for whoever asks, which shares the weights.

        One that has had to make room for others is trained again, for which this waits RUN_PATIENCE seconds; if that
        takes longer, the page begins again, and says so.
        """
        return broken(with_fault(self.load_whole(), self.fault), self.how)

    @property
    def healthy(self) -> "ModelAtHand":
        return replace(self, fault=0) if self.fault else self

    @property
    def run(self) -> TrainConfig:
        """The run that it is a moment of. Only a model that was trained elsewhere has none; its step is None."""
        assert isinstance(self.config, TrainConfig)
        return self.config

    def load_whole(self) -> EncoderDecoder:
        if self.kind in EVERY:
            return shipped(self.kind).model
        try:
            model = self.own.model if self.own else all_runs.model(self.run, self.step or 0, RUN_PATIENCE)
        except Refused:
            model = None
        if model is None:
            st.rerun()
        return model

    @property
    def source(self) -> Vocabulary:
        return self.config.vocabularies[0]

    @property
    def target(self) -> Vocabulary:
        return self.config.vocabularies[1]

    @property
    def words(self) -> WordTask | None:
        """The task, if it has words of its own; None for rows of numbers."""
        return self.config.words

    @property
    def beside_english(self) -> str:
        return _beside_english(self.words)

    def most(self, src: Sequence[int]) -> int:
        """Tokens that an output is given room for, the start symbol included; with an end symbol it may be shorter."""
        return len(src) if self.words is None else self.words.longest[1]

    def provenance(self, tensor: str, *shape: int, head: int | None = None) -> str:
        """The line under a figure: `decoder.layers.0.src_attn.weights · head 2 · 10 × 10 · step 145 · seed 0`."""
        parts = [tensor, None if head is None else f"head {head}", " × ".join(map(str, shape))]
        parts += [self.own.file] if self.own else []
        parts += [] if self.step is None else [f"step {self.step}", f"seed {self.seed}"]
        parts += [f"fault {self.fault}"] if self.fault else []
        return " · ".join(filter(None, parts))


def model_at_hand(frame: Frame, seconds: float | None = None) -> ModelAtHand:
    """The model that the frame names: the shipped one, an untrained one, or a moment of a run.

    A moment that nobody has trained here is trained now. Where that cannot be, or takes longer than `seconds` (by
    default RUN_PATIENCE), it is the shipped model instead; `awaited` and `trouble` tell.
    """
    if frame.model in EVERY:
        return replace(_shipped(frame.model), fault=seed_of(frame.fault))
    if frame.model == "own":
        return _own()
    if frame.model != "run":
        kind = "translate" if frame.model == "fresh_translate" else "trained"
        # Untrained, the notes' model is the same at any rate; a later step of it is what links have always meant by it.
        config = TrainConfig.notes(rate="quick") if frame.model == "notes" else shipped(kind).config
        return ModelAtHand(frame.model, replace(config, seed=frame.fresh), 0, frame.fresh)
    return _of_run(frame.run, END if frame.step == LATEST else frame.step, seconds)


def compared(frame: Frame, at_hand: ModelAtHand, seconds: float | None = None) -> ModelAtHand | None:
    """What the frame compares the model at hand with: itself before training, at another step or broken, a shipped
    model, or another run; no fault is hidden in any. None for nothing; where it cannot be had yet, or at all, `awaited`
    and `trouble` tell."""
    if frame.compare in FILES:
        return _shipped(frame.compare)
    if frame.compare in BROKEN:
        return replace(at_hand.healthy, how=frame.compare, awaited=False, trouble="")
    if frame.compare in ("untrained", "step") and at_hand.step is None:
        return replace(_shipped("trained"), trouble="elsewhere")
    match frame.compare:
        case "untrained":
            return ModelAtHand("run", at_hand.run, 0, at_hand.run.seed)
        case "step":
            step = min(frame.other_step, at_hand.run.steps)
            return at_hand.healthy if step == at_hand.step else _moment(at_hand.run, step, seconds)
        case "run":
            return _of_run(frame.other, frame.other_step, seconds)
    return None


def with_layers(at_hand: ModelAtHand) -> ModelAtHand:
    """The model at hand if it has several layers, else the shipped one of three that reads the same tokens.

    It is the model at hand, too, where none reads them, and where a fault of its own is looked for.
    """
    if at_hand.config.N > 1 or at_hand.words is None or at_hand.fault or at_hand.how != "none":
        return at_hand
    other = _shipped(DEEP[at_hand.beside_english])
    same = [one.names for one in other.config.vocabularies] == [one.names for one in at_hand.config.vocabularies]
    return other if same else at_hand


def _of_run(text: str, step: int, seconds: float | None) -> ModelAtHand:
    """A moment of the run that `text` names, beyond its last step that one; or a shipped model instead."""
    try:
        config = config_of(text)
    except ConfigError as problem:
        return replace(_shipped("trained"), trouble="pairs" if problem.reason == "pairs_elsewhere" else "config")
    if config.architecture != "transformer":  # the chapters would look in it for attention
        return replace(_shipped("trained"), trouble="config")
    return _moment(config, min(step, config.steps), seconds)


def _moment(config: TrainConfig, step: int, seconds: float | None) -> ModelAtHand:
    instead = _shipped(_shipped_alike(config))
    try:
        model = all_runs.model(config, step, RUN_PATIENCE if seconds is None else seconds)
    except Refused as refused:
        return replace(instead, awaited=refused.passing, trouble=refused.reason)
    eta = all_runs.eta_of(config, step)
    return replace(instead, awaited=True, eta=eta) if model is None else ModelAtHand("run", config, step, config.seed)


def _shipped_alike(config: TrainConfig) -> str:
    """The shipped model that stands in for a run: of its languages, if it translates any."""
    if config.words is None:
        return "trained"
    return OF_ENGLISH if _beside_english(config.words) == "es" else TRANSLATOR


def _beside_english(words: WordTask | None) -> str:
    """The language that a task has beside English; Chinese where it has none."""
    return words.language if isinstance(words, Translation) else "zh"


def _shipped(kind: str) -> ModelAtHand:
    checkpoint = shipped(kind)
    return ModelAtHand(kind, checkpoint.config, checkpoint.step, checkpoint.config.seed)


def _own() -> ModelAtHand:
    """The model of the reader's file: only the browser that has brought it knows it."""
    own = session().upload
    if own is None:
        return replace(_shipped("trained"), trouble="not_here" if session().own is None else "gave_way")
    seed = own.config.seed if isinstance(own.config, TrainConfig) else 0
    return ModelAtHand("own", own.config, own.step, seed, own)
