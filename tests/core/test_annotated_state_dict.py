"""A state dict of the Annotated Transformer loads unchanged, one of the notes renamed, and means what its formulas say.

The expected numbers are worked out here in numpy from the formulas of the paper, position by position and head by
head, with masks by leaving keys out: nothing of transformer_core takes part in them. The eps of LayerNorm is left out
on both sides: what it does is tested with LayerNorm.
"""

import numpy as np
import numpy.typing as npt
import pytest
import torch

from transformer_core import EncoderDecoder, LayerNorm, create_masks, from_notes_names, make_model

LAYERS, D_MODEL, HEADS, D_FF, SRC_VOCAB, TGT_VOCAB, MAX_LEN = 2, 12, 3, 20, 9, 8, 15

Array = npt.NDArray[np.float64]
State = dict[str, Array]


def state_dict(rng: np.random.Generator) -> State:
    """Every key of the Annotated Transformer, spelled out."""
    shapes: dict[str, tuple[int, ...]] = {
        "src_embed.0.lut.weight": (SRC_VOCAB, D_MODEL),
        "tgt_embed.0.lut.weight": (TGT_VOCAB, D_MODEL),
        "generator.proj.weight": (TGT_VOCAB, D_MODEL),
        "generator.proj.bias": (TGT_VOCAB,),
    }
    for stack, attentions in {"encoder": ["self_attn"], "decoder": ["self_attn", "src_attn"]}.items():
        shapes |= {f"{stack}.norm.a_2": (D_MODEL,), f"{stack}.norm.b_2": (D_MODEL,)}
        for layer in (f"{stack}.layers.{i}" for i in range(LAYERS)):
            for attention in attentions:
                for i in range(4):
                    shapes[f"{layer}.{attention}.linears.{i}.weight"] = (D_MODEL, D_MODEL)
                    shapes[f"{layer}.{attention}.linears.{i}.bias"] = (D_MODEL,)
            shapes |= {
                f"{layer}.feed_forward.w_1.weight": (D_FF, D_MODEL),
                f"{layer}.feed_forward.w_1.bias": (D_FF,),
                f"{layer}.feed_forward.w_2.weight": (D_MODEL, D_FF),
                f"{layer}.feed_forward.w_2.bias": (D_MODEL,),
            }
            for i in range(len(attentions) + 1):
                shapes[f"{layer}.sublayer.{i}.norm.a_2"] = (D_MODEL,)
                shapes[f"{layer}.sublayer.{i}.norm.b_2"] = (D_MODEL,)
    state = {key: rng.normal(0.0, 0.4, shape) for key, shape in shapes.items()}
    state["src_embed.1.pe"] = state["tgt_embed.1.pe"] = positions()[None]
    return state


def positions() -> Array:
    code = np.zeros((MAX_LEN, D_MODEL))
    for pos in range(MAX_LEN):
        for i in range(0, D_MODEL, 2):
            code[pos, i] = np.sin(pos / 10000 ** (i / D_MODEL))
            code[pos, i + 1] = np.cos(pos / 10000 ** (i / D_MODEL))
    return code


def linear(x: Array, state: State, name: str) -> Array:
    result: Array = x @ state[f"{name}.weight"].T + state[f"{name}.bias"]
    return result


def normalise(x: Array, state: State, name: str) -> Array:
    mean, std = x.mean(-1, keepdims=True), x.std(-1, ddof=1, keepdims=True)
    result: Array = state[f"{name}.a_2"] * (x - mean) / std + state[f"{name}.b_2"]
    return result


def attend(x: Array, memory: Array, allowed: list[list[int]], state: State, name: str) -> Array:
    """`allowed[t]` are the keys that query t may see."""
    q, k, v = (linear(source, state, f"{name}.linears.{i}") for i, source in enumerate([x, memory, memory]))
    heads = np.zeros_like(q)
    d_k = D_MODEL // HEADS
    for head in range(HEADS):
        part = slice(head * d_k, (head + 1) * d_k)
        for t, keys in enumerate(allowed):
            exponentials = np.exp(k[keys, part] @ q[t, part] / np.sqrt(d_k))
            heads[t, part] = exponentials / exponentials.sum() @ v[keys, part]
    return linear(heads, state, f"{name}.linears.3")


def feed_forward(x: Array, state: State, name: str) -> Array:
    return linear(np.maximum(linear(x, state, f"{name}.w_1"), 0), state, f"{name}.w_2")


def embed(tokens: list[int], state: State, side: str) -> Array:
    rows: Array = state[f"{side}.0.lut.weight"][tokens] * np.sqrt(D_MODEL) + positions()[: len(tokens)]
    return rows


def log_probabilities(src: list[int], tgt: list[int], state: State) -> Array:
    """Log-probabilities (target length, vocab) of one pair of sequences; token 0 is padding."""
    real_src = [s for s, token in enumerate(src) if token]
    past = [[u for u in range(t + 1) if tgt[u]] for t in range(len(tgt))]

    x = embed(src, state, "src_embed")
    for layer in (f"encoder.layers.{i}" for i in range(LAYERS)):
        y = normalise(x, state, f"{layer}.sublayer.0.norm")
        x = x + attend(y, y, [real_src] * len(src), state, f"{layer}.self_attn")
        x = x + feed_forward(normalise(x, state, f"{layer}.sublayer.1.norm"), state, f"{layer}.feed_forward")
    memory = normalise(x, state, "encoder.norm")

    x = embed(tgt, state, "tgt_embed")
    for layer in (f"decoder.layers.{i}" for i in range(LAYERS)):
        y = normalise(x, state, f"{layer}.sublayer.0.norm")
        x = x + attend(y, y, past, state, f"{layer}.self_attn")
        y = normalise(x, state, f"{layer}.sublayer.1.norm")
        x = x + attend(y, memory, [real_src] * len(tgt), state, f"{layer}.src_attn")
        x = x + feed_forward(normalise(x, state, f"{layer}.sublayer.2.norm"), state, f"{layer}.feed_forward")
    logits = linear(normalise(x, state, "decoder.norm"), state, "generator.proj")
    result: Array = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    return result


SRC = [[3, 8, 1, 5, 2, 7], [1, 6, 4, 0, 0, 0]]
TGT = [[1, 2, 7, 5], [1, 3, 0, 0]]


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.float64, 1e-12)])
def test_the_names_load_and_the_log_probabilities_are_those_of_the_formulas(
    dtype: torch.dtype, tolerance: float
) -> None:
    state = state_dict(np.random.default_rng(0))
    model = make_model(SRC_VOCAB, TGT_VOCAB, LAYERS, D_MODEL, D_FF, HEADS, max_len=MAX_LEN).to(dtype).eval()
    model.load_state_dict({key: torch.tensor(value, dtype=dtype) for key, value in state.items()}, strict=True)

    actual = computed(model)
    expected = np.stack([log_probabilities(*pair, state) for pair in zip(SRC, TGT)])
    assert expected.shape == (2, 4, TGT_VOCAB)
    assert np.ptp(expected) > 1
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance)


def computed(model: EncoderDecoder) -> Array:
    for module in model.modules():
        if isinstance(module, LayerNorm):
            module.eps = 0.0
    src, tgt = torch.tensor(SRC), torch.tensor(TGT)
    src_mask, tgt_mask = create_masks(src, tgt)
    result: Array = model.generator(model(src, tgt, src_mask, tgt_mask)).detach().numpy()
    return result


def test_the_names_of_the_lecture_notes_code_load_through_one_mapping_and_compute_the_same() -> None:
    state = state_dict(np.random.default_rng(1))
    theirs = {}  # as their classes name what they keep: self.w1, self.w2, self.a2, self.b2, self.project
    for key, value in state.items():
        for ours, notes in ((".w_", ".w"), (".norm.a_", ".norm.a"), (".norm.b_", ".norm.b"), (".proj.", ".project.")):
            key = key.replace(ours, notes)
        theirs[key] = torch.tensor(value)
    assert {"encoder.layers.1.feed_forward.w1.bias", "decoder.norm.a2", "generator.project.weight"} < set(theirs)
    model = make_model(SRC_VOCAB, TGT_VOCAB, LAYERS, D_MODEL, D_FF, HEADS, max_len=MAX_LEN).double().eval()
    with pytest.raises(RuntimeError):
        model.load_state_dict(theirs)
    model.load_state_dict(from_notes_names(theirs), strict=True)
    expected = np.stack([log_probabilities(*pair, state) for pair in zip(SRC, TGT)])
    np.testing.assert_allclose(computed(model), expected, rtol=0, atol=1e-12)


def test_the_names_and_shapes_are_exactly_these() -> None:
    state = state_dict(np.random.default_rng(0))
    model = make_model(SRC_VOCAB, TGT_VOCAB, LAYERS, D_MODEL, D_FF, HEADS, max_len=MAX_LEN)
    assert {key: tuple(value.shape) for key, value in model.state_dict().items()} == {
        key: value.shape for key, value in state.items()
    }


def test_printing_the_model_shows_the_whole_tree() -> None:
    tree = str(make_model(SRC_VOCAB, TGT_VOCAB, LAYERS, D_MODEL, D_FF, HEADS, max_len=MAX_LEN))
    for line in (
        "(encoder): Encoder(",
        "(self_attn): MultiHeadedAttention(",
        "(0-3): 4 x Linear(in_features=12, out_features=12, bias=True)",
        "(w_1): Linear(in_features=12, out_features=20, bias=True)",
        "(src_attn): MultiHeadedAttention(",
        "(norm): LayerNorm()",
        "(lut): Embedding(9, 12)",
        "(proj): Linear(in_features=12, out_features=8, bias=True)",
    ):
        assert line in tree
