"""The lecture notes' own names, so that their programs run with nothing but the import changed.

    from transformer_core.notes import *            # the first document, and what the third calls otherwise
    from transformer_core.notes.notebook import *   # the third, its EncoderLayer, Encoder, DecoderLayer, Decoder too

Where their call differs from ours it is theirs here: `MultiHeadedAttention(head=, embedding_dim=)` keeps `.attn`,
`attention` returns the dropped weights, `make_model(source_vocab=, target_vocab=, head=)`, `data_generator(V, batch=,
num_batch=)`, `run_epoch` prints. Shapes and errors are in the help of each.
"""

from transformer_core.copies import clones
from transformer_core.decoder import Decoder, DecoderLayer
from transformer_core.decoding.greedy import greedy_decode
from transformer_core.embeddings import Embeddings
from transformer_core.encoder import Encoder, EncoderLayer
from transformer_core.feed_forward import PositionwiseFeedForward
from transformer_core.layer_norm import LayerNorm
from transformer_core.loss import LabelSmoothing
from transformer_core.notes.epoch import NoamOpt, SimpleLossCompute, from_notes_names, get_std_opt, keeping_attn
from transformer_core.notes.notebook import (
    FeedForward,
    InputEmbeddings,
    MultiHeadAttention,
    SelfAttention,
    Transformer,
    create_masks,
)
from transformer_core.notes.parts import NotesAttention as MultiHeadedAttention
from transformer_core.notes.parts import NotesGenerator as Generator
from transformer_core.notes.parts import NotesModel as EncoderDecoder
from transformer_core.notes.parts import NotesPositions as PositionalEncoding
from transformer_core.notes.parts import dropped_attention as attention
from transformer_core.notes.parts import notes_data as data_generator
from transformer_core.notes.parts import notes_model as make_model
from transformer_core.notes.parts import notes_subsequent_mask as subsequent_mask
from transformer_core.notes.parts import printed_epoch as run_epoch
from transformer_core.residual import SublayerConnection
from transformer_core.tasks.batch import Batch

__all__ = [
    "Batch",
    "Decoder",
    "DecoderLayer",
    "Embeddings",
    "Encoder",
    "EncoderDecoder",
    "EncoderLayer",
    "FeedForward",
    "Generator",
    "InputEmbeddings",
    "LabelSmoothing",
    "LayerNorm",
    "MultiHeadAttention",
    "MultiHeadedAttention",
    "NoamOpt",
    "PositionalEncoding",
    "PositionwiseFeedForward",
    "SelfAttention",
    "SimpleLossCompute",
    "SublayerConnection",
    "Transformer",
    "attention",
    "clones",
    "create_masks",
    "data_generator",
    "from_notes_names",
    "get_std_opt",
    "greedy_decode",
    "keeping_attn",
    "make_model",
    "run_epoch",
    "subsequent_mask",
]
