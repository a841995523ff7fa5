"""The whole encoder-decoder (paper, section 3, figure 1)."""

import copy

from torch import Tensor, nn

from transformer_core.attention import MultiHeadedAttention
from transformer_core.decoder import Decoder, DecoderLayer
from transformer_core.devices import check_devices
from transformer_core.embeddings import Embeddings
from transformer_core.encoder import Encoder, EncoderLayer
from transformer_core.feed_forward import PositionwiseFeedForward
from transformer_core.layer_norm import LayerNorm
from transformer_core.learned_positions import LearnedPositions
from transformer_core.positions import PositionalEncoding
from transformer_core.residual import Norm
from transformer_core.softmax import log_softmax
from transformer_core.trace import tap


class Generator(nn.Module):
    """Linear layer, then log-softmax (section 3.4): (…, d_model) -> log-probabilities of the next token (…, vocab).

    ValueError for vectors of another size.
    """

    def __init__(self, d_model: int, vocab: int) -> None:
        super().__init__()
        self.proj = nn.Linear(d_model, vocab)

    def forward(self, x: Tensor) -> Tensor:
        if x.size(-1) != self.proj.in_features:
            raise ValueError(f"this generator takes vectors of size {self.proj.in_features}, not {x.size(-1)}")
        logits = tap(self, "logits", self.proj(x))
        return tap(self, "log_probs", log_softmax(logits))


class EncoderDecoder(nn.Module):
    """src (batch, S), tgt (batch, T), src_mask (batch, 1, S), tgt_mask (batch, T, T) -> (batch, T, d_model).

    The output goes through `generator` to become log-probabilities: training needs all positions, decoding the last.
    So `forward` stops before it, like the Annotated Transformer's, whose loss applies the generator itself. The lecture
    notes' own `forward` ends with it, although the result they print has d_model numbers per token.
    ValueError where source and target are not as many.
    """

    def __init__(
        self, encoder: Encoder, decoder: Decoder, src_embed: nn.Module, tgt_embed: nn.Module, generator: Generator
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.src_embed = src_embed
        self.tgt_embed = tgt_embed
        self.generator = generator

    def forward(self, src: Tensor, tgt: Tensor, src_mask: Tensor | None, tgt_mask: Tensor | None) -> Tensor:
        return self.decode(self.encode(src, src_mask), src_mask, tgt, tgt_mask)

    def encode(self, src: Tensor, src_mask: Tensor | None) -> Tensor:
        """The memory: (batch, S) -> (batch, S, d_model)."""
        return self.encoder(self.src_embed(src), src_mask)

    def decode(self, memory: Tensor, src_mask: Tensor | None, tgt: Tensor, tgt_mask: Tensor | None) -> Tensor:
        """(batch, T) -> (batch, T, d_model), looking at the memory."""
        check_devices(memory=memory, target_tokens=tgt)
        if memory.size(0) != tgt.size(0):
            raise ValueError(f"{memory.size(0)} source sequences for {tgt.size(0)} target sequences")
        return self.decoder(self.tgt_embed(tgt), memory, src_mask, tgt_mask)


def make_model(
    src_vocab: int,
    tgt_vocab: int,
    N: int = 6,
    d_model: int = 512,
    d_ff: int = 2048,
    h: int = 8,
    dropout: float = 0.1,
    *,
    norm_first: bool = True,
    norm: Norm | None = None,
    scale: bool = True,
    positions: bool = True,
    learned_positions: bool = False,
    max_len: int = 5000,
    tied: bool = False,
) -> EncoderDecoder:
    """Build the model of the paper's base size unless told otherwise; every matrix starts Xavier-uniform.

    norm_first=True is the form of the Annotated Transformer's code: normalise before each sub-layer, and once more
    after the stack, with `LayerNorm`. norm_first=False is the paper's: normalise after each residual sum, no last
    normalisation, with `torch.nn.LayerNorm`. `norm` overrides which of the two formulas is used; `scale=False` leaves
    out 1/√d_k, `positions=False` the position code: zeros are added in its place. `learned_positions=True` gives each
    side a table of `max_len` learned rows instead of the sinusoids. Both embeddings and the generator have a matrix
    each; `tied=True` lets them share one, as the paper does (section 3.4): a token has one row on every side.
    ValueError if h does not divide d_model, if sinusoids are to fill an odd d_model, if positions are to be learned and
    left out, or if a matrix is to be shared by vocabularies of two sizes.
    """
    norm = norm or (LayerNorm if norm_first else nn.LayerNorm)
    attn = MultiHeadedAttention(h, d_model, dropout, scale=scale)
    feed_forward = PositionwiseFeedForward(d_model, d_ff, dropout)
    if tied and src_vocab != tgt_vocab:
        raise ValueError(f"one matrix has no room for {src_vocab} tokens of the source and {tgt_vocab} of the target")
    if learned_positions and not positions:
        raise ValueError("positions cannot be learned and left out at once")
    position = (
        LearnedPositions(d_model, dropout, max_len)
        if learned_positions
        else PositionalEncoding(d_model, dropout, max_len, silent=not positions)
    )
    c = copy.deepcopy
    encoder_layer = EncoderLayer(d_model, c(attn), c(feed_forward), dropout, norm_first, norm)
    decoder_layer = DecoderLayer(d_model, c(attn), c(attn), c(feed_forward), dropout, norm_first, norm)
    source, target = Embeddings(d_model, src_vocab), Embeddings(d_model, tgt_vocab)
    generator = Generator(d_model, tgt_vocab)
    if tied:
        target.lut.weight = generator.proj.weight = source.lut.weight
    model = EncoderDecoder(
        Encoder(encoder_layer, N, norm(d_model) if norm_first else nn.Identity()),
        Decoder(decoder_layer, N, norm(d_model) if norm_first else nn.Identity()),
        nn.Sequential(source, c(position)),
        nn.Sequential(target, c(position)),
        generator,
    )
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)
    return model
