"""A model of the notes' third document: its structure, built here of `torch.nn`, and what ours makes of its file."""

import io
import math

import pytest
import torch
from torch import Tensor, nn

from tests.core.build import unsettle
from transformer_core import EncoderDecoder, from_notes_names, make_model, padding_mask, target_mask
from transformer_core.training.state_dict import Imported, load_any

SRC, TGT, WIDTH, INNER, HEADS, LAYERS, ROOM = 9, 7, 12, 20, 3, 2, 16


class Vectors(nn.Module):
    def __init__(self, tokens: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(tokens, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        return self.embedding(x) * math.sqrt(WIDTH)


class Places(nn.Module):
    pe: Tensor

    def __init__(self) -> None:
        super().__init__()
        at = torch.arange(ROOM)[:, None] * torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(10000.0) / WIDTH))
        self.register_buffer("pe", torch.stack([at.sin(), at.cos()], dim=-1).flatten(1)[None])

    def forward(self, x: Tensor) -> Tensor:
        return x + self.pe[:, : x.size(1)]


class Projections(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, query: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        q, k, v = (
            linear(x).unflatten(-1, (HEADS, -1)).transpose(1, 2)
            for linear, x in ((self.W_Q, query), (self.W_K, memory), (self.W_V, memory))
        )
        scores = (q @ k.mT / math.sqrt(WIDTH // HEADS)).masked_fill(mask == 0, -1e9)
        return self.W_O((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.self_attention, self.layer_norm = Projections(), nn.LayerNorm(WIDTH)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        return self.layer_norm(self.self_attention(x, memory, mask) + x)


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear_1, self.linear_2 = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.layer_norm = nn.LayerNorm(WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer_norm(self.linear_2(self.linear_1(x).relu()) + x)


class EncoderLayer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.multi_head_attention, self.feed_forward = Attention(), Network()

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return self.feed_forward(self.multi_head_attention(x, x, mask))


class DecoderLayer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.masked_multi_head_attention, self.encoder_decoder_attention = Attention(), Attention()
        self.feed_forward = Network()

    def forward(self, x: Tensor, memory: Tensor, src_mask: Tensor, tgt_mask: Tensor) -> Tensor:
        x = self.masked_multi_head_attention(x, x, tgt_mask)
        return self.feed_forward(self.encoder_decoder_attention(x, memory, src_mask))


class Stack(nn.Module):
    def __init__(self, layer: type[nn.Module]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layer() for _ in range(LAYERS))

    def forward(self, x: Tensor, *rest: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x, *rest)
        return x


class Notebook(nn.Module):
    """The third document's model under its own names."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder_input_embedding, self.decoder_input_embedding = Vectors(SRC), Vectors(TGT)
        self.positional_encoding = Places()
        self.encoder, self.decoder = Stack(EncoderLayer), Stack(DecoderLayer)
        self.projection = nn.Linear(WIDTH, TGT)

    def forward(self, src: Tensor, tgt: Tensor, src_mask: Tensor, tgt_mask: Tensor) -> Tensor:
        memory = self.encoder(self.positional_encoding(self.encoder_input_embedding(src)), src_mask)
        read = self.positional_encoding(self.decoder_input_embedding(tgt))
        return self.projection(self.decoder(read, memory, src_mask, tgt_mask))


@pytest.fixture
def theirs() -> nn.Module:
    torch.manual_seed(3)
    model = Notebook().double().eval()
    unsettle(model)
    return model


def batch() -> tuple[Tensor, Tensor]:
    """Sources with paddings at their end, and targets without."""
    src = torch.tensor([[1, 5, 2, 8, 3], [4, 4, 7, 0, 0]])
    return src, torch.tensor([[1, 6, 2, 5], [1, 3, 3, 4]])


def of_theirs(model: nn.Module) -> Tensor:
    src, tgt = batch()
    return model(src, tgt, (src != 0)[:, None, None], torch.ones(4, 4).tril()[None, None].bool()).log_softmax(-1)


def of_ours(model: EncoderDecoder) -> Tensor:
    src, tgt = batch()
    out: Tensor = model.generator(model(src, tgt, padding_mask(src), target_mask(tgt)))
    return out


def test_its_parameters_load_and_the_outputs_do_not_differ(theirs: nn.Module) -> None:
    model = make_model(SRC, TGT, LAYERS, WIDTH, INNER, HEADS, dropout=0.0, norm_first=False, max_len=ROOM)
    state = from_notes_names(theirs.state_dict())
    state.pop("src_embed.1.pe")
    assert set(state) == {name for name, _ in model.named_parameters()}, "every parameter has its place, and no more"
    model.double().eval().load_state_dict(state, strict=False)
    with torch.no_grad():
        expected = of_theirs(theirs)
        assert expected.std() > 0.3
        torch.testing.assert_close(of_ours(model), expected, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("prefix", ["", "module."])
def test_its_file_opens_as_what_it_is(theirs: nn.Module, prefix: str) -> None:
    file = io.BytesIO()
    torch.save({f"{prefix}{name}": value.float() for name, value in theirs.state_dict().items()}, file)
    found = load_any(file.getvalue(), h=HEADS)
    assert isinstance(found, Imported)
    config = found.config
    assert (config.N, config.d_model, config.d_ff, config.vocab, config.tgt_vocab) == (LAYERS, WIDTH, INNER, SRC, TGT)
    assert (config.norm_first, config.shape.notes_norm, config.shape.last_norm) == (False, False, False)
    with torch.no_grad():
        torch.testing.assert_close(of_ours(found.model).double(), of_theirs(theirs), rtol=0.0, atol=2e-5)


def test_no_two_of_its_names_become_one(theirs: nn.Module) -> None:
    assert len(from_notes_names(theirs.state_dict())) == len(theirs.state_dict())


@pytest.mark.parametrize(
    "name",
    [
        "encoder.layers.0.self_attn.linears.3.weight",
        "encoder.layers.0.multi_head_attention.self_attention.W_X.weight",
        "decoder.layers.1.feed_forward.linear_3.bias",
        "encoder.norm.weight",
        "decoder.layers.0.elsewhere.layer_norm.weight",
    ],
)
def test_other_names_stay_as_they_are(name: str) -> None:
    assert list(from_notes_names({name: 0})) == [name]
