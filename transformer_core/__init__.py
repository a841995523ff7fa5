"""The encoder-decoder Transformer of "Attention Is All You Need" (2017) in PyTorch, usable without the app.

    model = make_model(11, 11, N=2).eval()
    src, tgt = torch.arange(1, 11)[None], torch.tensor([[1, 2, 3]])
    with torch.no_grad(), record(model) as trace:
        model(src, tgt, None, subsequent_mask(3))
    trace["decoder.layers.1.src_attn.weights"]  # (1, 8, 3, 10)

Token ids are int64, (batch, length); vectors are (batch, length, d_model); a mask is True where a query may attend.
A name below has its shapes, errors and place in the paper in its own help: `help(transformer_core.attention)`.

Look inside a model, ours or another's
    record, Trace                 every value of a forward pass, by its path in the model
    intervene, Change             let the model go on with other values
    tap                           mark a value of your own module
    explain, Explanation          the same for torch.nn's encoder-decoders and Hugging Face's, held to their numbers

Get a model
    make_model, EncoderDecoder    the paper's, (src, tgt, src_mask, tgt_mask) -> (batch, T, d_model); Generator
    make_gpt, DecoderOnly, make_bert, EncoderOnly      one stack of the same layers, with the parts of later years
    load_any                      a file or a state dict, trained here or elsewhere
    train, TrainConfig            a run and its settings; `python -m transformer_core train --help`

Let it write
    greedy_decode, greedy_steps, DecodingStep          the most probable token each time
    beam_search, Beam, length_penalty                  several outputs at once
    sampled_turns, SamplingTurn, sampling_steps, SamplingSteps     temperature, top-k, top-p
    cached_decode, CachedDecoder  the greedy output with keys and values kept
    continued, cached_continued, CachedReader          a GPT's

Masks
    subsequent_mask, padding_mask, target_mask         look-ahead, padding, both; PAD and START are tokens
    create_masks, query_row_mask, valid_pairs          the lecture notes' forms

Parts, one idea a file
    Embeddings, PositionalEncoding, LearnedPositions, position_code, shift_rotation, wavelengths
    attention, attention_steps, AttentionSteps, MultiHeadedAttention, PositionwiseFeedForward
    softmax_steps, SoftmaxSteps, softmax_jacobian, entropy, LayerNorm, layer_norm_steps
    SublayerConnection, EncoderLayer, Encoder, DecoderLayer, Decoder, clones

Training
    LabelSmoothing, smoothed_targets, divergence_terms, noam_rate, Batch, copy_sequences
    data_generator, get_std_opt, NoamOpt, SimpleLossCompute, run_epoch, EpochStep      as the lecture notes train
    keeping_attn, from_notes_names                     their `.attn`, their parameters' names
"""

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
from transformer_core.notes.epoch import (
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
    from transformer_core.train import train
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
    if name == "train":
        from transformer_core.train import train

        return train
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _Offered(list[str]):
    """The names of `import *`. `help` asks whether a name is among them and hears no, for below the page above it would
    print all that each class has of `torch.nn.Module`: 15,000 lines."""

    def __contains__(self, name: object) -> bool:
        return False


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
    "train",
    "valid_pairs",
    "wavelengths",
]
__all__ = _Offered(__all__)  # noqa: PLE0605 - a list by its class; linters read the names in the literal above
