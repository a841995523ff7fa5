"""What the notes' first document builds, where its calls differ from ours: other keywords, or another result."""

import copy
from collections.abc import Iterable, Iterator

import torch
from torch import Tensor, nn

from transformer_core.attention import AttentionSteps, MultiHeadedAttention, attention_steps
from transformer_core.decoder import Decoder, DecoderLayer
from transformer_core.embeddings import Embeddings
from transformer_core.encoder import Encoder, EncoderLayer
from transformer_core.feed_forward import PositionwiseFeedForward
from transformer_core.masks import subsequent_mask
from transformer_core.model import EncoderDecoder, Generator
from transformer_core.notes import epoch
from transformer_core.positions import PositionalEncoding
from transformer_core.tasks.batch import Batch

PRINTED = 50  # batches from one printed line to the next


def notes_subsequent_mask(size: int) -> Tensor:
    """`subsequent_mask` in ones and zeros, (1, size, size) uint8, as the notes print it."""
    return subsequent_mask(size).to(torch.uint8)


def dropped_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: nn.Module | None = None
) -> tuple[Tensor, Tensor]:
    """Output (…, T, d_v) and the weights (…, T, S) that it was made with, those after dropout, as the notes return.

    `transformer_core.attention` returns the weights before dropout.
    """
    steps = attention_steps(query, key, value, mask, dropout)
    return steps.output, steps.dropped


class NotesAttention(MultiHeadedAttention):
    """`MultiHeadedAttention` of `head` heads over vectors of `embedding_dim`. `attn` is the weights of the last call,
    (batch, head, T, S) after dropout, without gradients; so a model of these is one thread's.

    A mask of three axes goes to every head, (batch, T, S), unless its first axis fits the heads alone, as in the notes'
    examples: (head, T, S).
    """

    attn: Tensor | None

    def __init__(self, head: int, embedding_dim: int, dropout: float = 0.1) -> None:
        super().__init__(head, embedding_dim, dropout)
        self.head, self.attn = head, None

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        if mask is not None and mask.dim() == 3 and mask.size(0) == self.head != query.size(0):
            mask = mask.unsqueeze(0)
        return super().forward(query, key, value, mask)

    def attend(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> AttentionSteps:
        steps = super().attend(query, key, value, mask)
        self.attn = steps.dropped.detach()
        return steps


class NotesPositions(PositionalEncoding):
    """`PositionalEncoding(d_model, dropout, max_len)`, and the third document's `PositionalEncoding(d_model, max_len)`:
    a second number above 1 is no probability but the length."""

    def __init__(self, d_model: int, dropout: float = 0.0, max_len: int = 5000) -> None:
        if dropout > 1:
            dropout, max_len = 0.0, int(dropout)
        super().__init__(d_model, dropout, max_len)


class NotesGenerator(Generator):
    """`Generator` by the notes' keyword."""

    def __init__(self, d_model: int, vocab_size: int) -> None:
        super().__init__(d_model, vocab_size)


class NotesModel(EncoderDecoder):
    """`EncoderDecoder` by the notes' keywords. `forward` gives (batch, T, d_model), which is what they print.

    Their code applies the generator there, and `SimpleLossCompute` would a second time: RuntimeError.
    """

    def __init__(
        self, encoder: Encoder, decoder: Decoder, source_embed: nn.Module, target_embed: nn.Module, generator: Generator
    ) -> None:
        super().__init__(encoder, decoder, source_embed, target_embed, generator)

    def forward(self, source: Tensor, target: Tensor, source_mask: Tensor | None, target_mask: Tensor | None) -> Tensor:
        return super().forward(source, target, source_mask, target_mask)


def notes_model(
    source_vocab: int,
    target_vocab: int,
    N: int = 6,
    d_model: int = 512,
    d_ff: int = 2048,
    head: int = 8,
    dropout: float = 0.1,
) -> NotesModel:
    """`make_model` by the notes' keywords, of `NotesAttention`. As in the notes `dropout` is not that of the attention,
    which stays at 0.1."""
    c = copy.deepcopy
    attn = NotesAttention(head, d_model)
    ff = PositionwiseFeedForward(d_model, d_ff, dropout)
    position = NotesPositions(d_model, dropout)
    model = NotesModel(
        Encoder(EncoderLayer(d_model, c(attn), c(ff), dropout), N),
        Decoder(DecoderLayer(d_model, c(attn), c(attn), c(ff), dropout), N),
        nn.Sequential(Embeddings(d_model, source_vocab), c(position)),
        nn.Sequential(Embeddings(d_model, target_vocab), c(position)),
        NotesGenerator(d_model, target_vocab),
    )
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)
    return model


def notes_data(V: int, batch: int, num_batch: int) -> Iterator[Batch]:
    """`data_generator` by the notes' keywords: `num_batch` batches of the copy task with `batch` rows each."""
    return epoch.data_generator(V, batch, num_batch)


def printed_epoch(data_iter: Iterable[Batch], model: EncoderDecoder, loss_compute: epoch.SimpleLossCompute) -> float:
    """`run_epoch`, printing the second batch of every 50 as the notes' does; the mean loss per token."""

    def told(step: epoch.EpochStep) -> None:
        if (step.step - 1) % PRINTED == 1:
            print(f"Epoch Step: {step.step - 1} Loss: {step.loss:f} Tokens per Sec: {step.tokens_per_second:f}")

    return epoch.run_epoch(data_iter, model, loss_compute, told)
