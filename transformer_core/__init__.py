"""The encoder-decoder Transformer of "Attention Is All You Need" (2017), one idea per file, usable without the app."""

from transformer_core import interrupted as interrupted  # isort: skip  # before all that takes long
from typing import TYPE_CHECKING, Any

from transformer_core.after_2017.continuing import CachedReader, cached_continued, continued
from transformer_core.after_2017.make import make_bert, make_gpt
from transformer_core.after_2017.one_stack import DecoderOnly, EncoderOnly
from transformer_core.attention import AttentionSteps, MultiHeadedAttention, attention, attention_steps
from transformer_core.copies import clones
from transformer_core.decoder import Decoder, DecoderLayer
from transformer_core.decoding.beam import Beam, beam_search, length_penalty
from transformer_core.decoding.cache import CachedDecoder, cached_decode
from transformer_core.decoding.greedy import DecodingStep, greedy_decode, greedy_steps
from transformer_core.decoding.sampling import SamplingSteps, SamplingTurn, sampled_turns, sampling_steps
from transformer_core.embeddings import Embeddings
from transformer_core.encoder import Encoder, EncoderLayer
from transformer_core.external.explain import explain
from transformer_core.external.explanation import Explanation
from transformer_core.feed_forward import PositionwiseFeedForward
from transformer_core.layer_norm import LayerNorm, layer_norm_steps
from transformer_core.learned_positions import LearnedPositions
from transformer_core.loss import LabelSmoothing, divergence_terms, smoothed_targets
from transformer_core.masks import (
    create_masks,
    padding_mask,
    query_row_mask,
    subsequent_mask,
    target_mask,
    valid_pairs,
)
from transformer_core.model import EncoderDecoder, Generator, make_model
from transformer_core.notes import (
    EpochStep,
    NoamOpt,
    SimpleLossCompute,
    data_generator,
    from_notes_names,
    get_std_opt,
    keeping_attn,
    run_epoch,
)
from transformer_core.positions import PositionalEncoding, position_code, shift_rotation, wavelengths
from transformer_core.residual import SublayerConnection
from transformer_core.schedule import noam_rate
from transformer_core.shell import RELEASE as __version__
from transformer_core.softmax import SoftmaxSteps, entropy, softmax_jacobian, softmax_steps
from transformer_core.tasks.batch import Batch
from transformer_core.tasks.copy_task import copy_sequences
from transformer_core.tasks.vocabulary import PAD, START
from transformer_core.trace import Change, Trace, intervene, record, tap

if TYPE_CHECKING:
    from transformer_core.training.config import TrainConfig
    from transformer_core.training.state_dict import load_any


def __getattr__(name: str) -> Any:
    """What brings files and settings along comes once it is asked for."""
    if name == "TrainConfig":
        from transformer_core.training.config import TrainConfig

        return TrainConfig
    if name == "load_any":
        from transformer_core.training.state_dict import load_any

        return load_any
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "PAD",
    "START",
    "AttentionSteps",
    "Batch",
    "Beam",
    "CachedDecoder",
    "CachedReader",
    "Change",
    "Decoder",
    "DecoderLayer",
    "DecoderOnly",
    "DecodingStep",
    "Embeddings",
    "Encoder",
    "EncoderDecoder",
    "EncoderLayer",
    "EncoderOnly",
    "EpochStep",
    "Explanation",
    "Generator",
    "LabelSmoothing",
    "LayerNorm",
    "LearnedPositions",
    "MultiHeadedAttention",
    "NoamOpt",
    "PositionalEncoding",
    "PositionwiseFeedForward",
    "SamplingSteps",
    "SamplingTurn",
    "SimpleLossCompute",
    "SoftmaxSteps",
    "SublayerConnection",
    "Trace",
    "TrainConfig",
    "__version__",
    "attention",
    "attention_steps",
    "beam_search",
    "cached_continued",
    "cached_decode",
    "clones",
    "continued",
    "copy_sequences",
    "create_masks",
    "data_generator",
    "divergence_terms",
    "entropy",
    "explain",
    "from_notes_names",
    "get_std_opt",
    "greedy_decode",
    "greedy_steps",
    "intervene",
    "keeping_attn",
    "layer_norm_steps",
    "length_penalty",
    "load_any",
    "make_bert",
    "make_gpt",
    "make_model",
    "noam_rate",
    "padding_mask",
    "position_code",
    "query_row_mask",
    "record",
    "run_epoch",
    "sampled_turns",
    "sampling_steps",
    "shift_rotation",
    "smoothed_targets",
    "softmax_jacobian",
    "softmax_steps",
    "subsequent_mask",
    "tap",
    "target_mask",
    "valid_pairs",
    "wavelengths",
]
