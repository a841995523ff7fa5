"""The formulas of the paper in NumPy, position by position and head by head, for a pre-norm model: no torch in them.

Masks are keys left out, not scores overwritten.
The state dict has the names of the Annotated Transformer; those of the lecture notes' classes are beside it.
"""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from transformer_core.masks import create_masks
from transformer_core.model import EncoderDecoder, make_model
from transformer_core.notes.epoch import NOTES_NAMES, from_notes_names
from transformer_core.verify.broken import Break, broken
from transformer_core.verify.samples import gap

LAYERS, D_MODEL, HEADS, D_FF, SRC_VOCAB, TGT_VOCAB, MAX_LEN = 2, 12, 3, 20, 9, 8, 15
SRC = [[3, 8, 1, 5, 2, 7], [1, 6, 4, 0, 0, 0]]
TGT = [[1, 2, 7, 5], [1, 3, 0, 0]]

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
    result: Array = state[f"{name}.a_2"] * (x - mean) / (std + 1e-6) + state[f"{name}.b_2"]
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


def expected(state: State) -> Array:
    """Log-probabilities (2, 4, vocab) of the two pairs of sequences."""
    return np.stack([log_probabilities(*pair, state) for pair in zip(SRC, TGT)])


def computed(model: EncoderDecoder) -> Tensor:
    """The same by the model."""
    src, tgt = torch.tensor(SRC), torch.tensor(TGT)
    src_mask, tgt_mask = create_masks(src, tgt)
    with torch.no_grad():
        log_probs: Tensor = model.generator(model(src, tgt, src_mask, tgt_mask))
    return log_probs


def empty_model() -> EncoderDecoder:
    """A model that such a state dict fits, in evaluation mode; the global seed is left as it was."""
    with torch.random.fork_rng(devices=[]):
        return make_model(SRC_VOCAB, TGT_VOCAB, LAYERS, D_MODEL, D_FF, HEADS, max_len=MAX_LEN).eval()


def notes_state(state: State) -> dict[str, Tensor]:
    """The same weights as the notes' classes name them: self.w1, self.w2, self.a2, self.b2, self.project."""
    theirs = {ours: notes for notes, ours in NOTES_NAMES.items()}
    return {
        ".".join(theirs.get(part, part) for part in name.split(".")): torch.tensor(value)
        for name, value in state.items()
    }


def notes_classes(how: Break = "none") -> float:
    """A state dict of the notes' classes, loaded into our model: its log-probabilities beside those of the formulas."""
    state = state_dict(np.random.default_rng(1))
    model = empty_model().double()
    model.load_state_dict(from_notes_names(notes_state(state)), strict=True)
    return gap(computed(broken(model, how)), torch.from_numpy(expected(state)))
