"""Encoder-decoders of Hugging Face's `transformers`, known by their modules: the library itself is not needed here.

Marian, BART and those built like them (`layers`, `q_proj`, `fc1`), and T5's kind (`block`, `SelfAttention.q`, `wi`).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from transformer_core.external.changes import GIVEN, OUTPUT, Border, place
from transformer_core.external.embed import Embedded, border_of, same
from transformer_core.external.layers import FEED_FORWARD, AttentionKind, Built, Seen, Stack, Sublayer, difference
from transformer_core.external.projected import INSIDE, attended, borders, changed_output
from transformer_core.external.watch import Calls, ModuleCall

SIGNS = {"layers": "self_attn.q_proj", "block": "layer.0.SelfAttention.q"}  # by what such a stack calls its layers
MARIAN = {"self_attn": "self_attn", "src_attn": "encoder_attn"}
READ = "Marian, BART, T5 and those built like them"
OWN_WEIGHTS = (
    '; its own attention weights: model.set_attn_implementation("eager"), then model(…, output_attentions=True)'
)
T5 = {"self_attn": "SelfAttention", "src_attn": "EncDecAttention"}


class Pretrained(NamedTuple):
    """A model of theirs: its stacks, and how it is called with source and target (batch, length)."""

    stacks: dict[str, Stack]
    run: Callable[[Tensor, Tensor], object]


def pretrained(model: Any, known: dict[nn.Module, str]) -> Pretrained | None:
    """The model's stacks, if it has an `encoder` and a `decoder` of either kind; `known` are its modules' paths.
    ValueError for one whose encoder reads no tokens."""
    for module in model.modules():
        pair = {name: getattr(module, name, None) for name in ("encoder", "decoder")}
        stacks = {name: _stack(each, known) for name, each in pair.items() if isinstance(each, nn.Module)}
        if len(stacks) == 2 and all(stacks.values()):
            if (reads := getattr(model, "main_input_name", "input_ids")) != "input_ids":
                kind = type(model).__name__
                raise ValueError(f"the encoder of {kind} reads {reads}, and `explain` names what is done to tokens")
            return Pretrained({name: each for name, each in stacks.items() if each}, _run(model))
    return None


def refuse_others(model: nn.Module) -> None:
    """ValueError, with what to write instead, for a model of theirs without a stack of either kind or of PyTorch's."""
    stacks = (nn.TransformerEncoder, nn.TransformerDecoder)
    if _is_theirs(model) and not any(isinstance(module, stacks) for module in model.modules()):
        alone = getattr(getattr(model, "config", None), "is_encoder_decoder", None) is False
        kind = (
            "a single stack: explain(model, tokens) reads a GPT-2, BERT, Llama, Mistral or Mixtral, and with a target"
            if alone
            else "none of the models that `explain` reads,"
        )
        raise ValueError(f"{type(model).__name__} is {kind} {READ}{OWN_WEIGHTS}")


def _is_theirs(model: nn.Module) -> bool:
    kinds = {kind for module in model.modules() for kind in type(module).__mro__}
    return any(kind.__module__.partition(".")[0] == "transformers" for kind in kinds)


@contextmanager
def as_built(model: nn.Module) -> Iterator[None]:
    """What is said in the block of a part that is built otherwise is said of the model, with what to write instead."""
    try:
        yield
    except ValueError as problem:
        kind = type(model).__name__
        raise ValueError(
            f"{kind} does otherwise than the models that `explain` reads, {READ}: {problem}"
            f"{OWN_WEIGHTS if _is_theirs(model) else ''}"
        ) from problem


def _run(model: Any) -> Callable[[Tensor, Tensor], object]:
    """The source's padding is masked, as its tokenizer would have it; nothing is kept for a next token."""

    def run(source: Tensor, target: Tensor) -> object:
        pad = getattr(getattr(model, "config", None), "pad_token_id", None)
        mask = None if pad is None else (source != pad).long()
        return model(input_ids=source, attention_mask=mask, decoder_input_ids=target, use_cache=False)

    return run


def _stack(module: nn.Module, known: dict[nn.Module, str]) -> Stack | None:
    for within, sign in SIGNS.items():
        layers = getattr(module, within, None)
        if isinstance(layers, nn.ModuleList) and len(layers) and all(_has(layer, sign) for layer in layers):
            return Stack(module, known[module], list(layers), within, _built)
    return None


def _has(module: nn.Module, path: str) -> bool:
    return path in {name for name, _ in module.named_modules()}


def _built(layer: Any, calls: Calls, path: str) -> Built:
    """How a layer is built. ValueError, with its path, if it lacks a part."""
    sublayers = _like_t5(layer) if hasattr(layer, "layer") else _like_marian(layer)
    for sublayer in sublayers:
        for part in filter(None, (sublayer.given, sublayer.branch, sublayer.norm)):
            if not _has(layer, part):
                raise ValueError(f"{path}, a {type(layer).__name__}, has no {part}")
    first = sublayers[0]
    norm, attention = (layer.get_submodule(part) for part in (first.norm, first.given))
    given = calls.last(attention, f"{path}.{first.given}").first
    norm_first = same(calls.last(norm, f"{path}.{first.norm}").output, given)
    return Built(sublayers, norm_first, AttentionKind(attended, changed_output, INSIDE, borders), _as_is)


def _like_marian(layer: Any) -> list[Sublayer]:
    attentions = [
        Sublayer(ours, theirs, theirs, f"{theirs}_layer_norm")
        for ours, theirs in MARIAN.items()
        if hasattr(layer, theirs)
    ]
    return [*attentions, Sublayer(FEED_FORWARD, "fc1", "fc2", "final_layer_norm", second="fc2")]


def _like_t5(layer: Any) -> list[Sublayer]:
    sublayers = []
    for at, part in enumerate(layer.layer):
        for ours, theirs in T5.items():
            if hasattr(part, theirs):
                inside = f"layer.{at}.{theirs}"
                sublayers.append(Sublayer(ours, inside, inside, f"layer.{at}.layer_norm"))
    at, inside = len(layer.layer) - 1, f"layer.{len(layer.layer) - 1}.DenseReluDense"
    gated = _has(layer, f"{inside}.wi_1")
    first, gate = (f"{inside}.wi_0", f"{inside}.wi_1") if gated else (f"{inside}.wi", "")
    return [*sublayers, Sublayer(FEED_FORWARD, first, f"{inside}.wo", f"layer.{at}.layer_norm", f"{inside}.wo", gate)]


def embedded(stack: Stack, table: ModuleCall, calls: Calls, name: str, seen: Seen) -> Embedded:
    """Under the names of our embeddings: the rows, their scaled form, the position code if one is added to them, and
    what the first layer is given. ValueError if these are not what adds up to it."""
    module, changes = stack.module, seen.changes
    entering = calls.last(stack.layers[0], f"{stack.path}.{stack.within}.0").first
    by_table, by_stack = (float(getattr(each, "embed_scale", 1.0)) for each in (table.module, module))
    norm, positions = (getattr(module, part, None) for part in ("layernorm_embedding", "embed_positions"))
    normed = None if norm is None else calls.last(norm, f"{stack.path}.layernorm_embedding")
    before = changes.before(f"{name}.1.output", entering)
    trace, code = {}, torch.zeros_like(before)
    if isinstance(positions, nn.Module):
        code = calls.last(positions, f"{stack.path}.embed_positions").output
        try:
            code = code.expand(before.shape)
        except RuntimeError:
            sizes = f"{tuple(code.shape)} to vectors of {tuple(before.shape)}"
            raise ValueError(f"{stack.path} adds a position code of shape {sizes}") from None
        trace[f"{name}.1.code"] = code[:1]
    held, added = [], code
    if normed is not None:
        if difference(normed.output + code, before) <= seen.tolerance:  # normalised before the code is added
            held, added = [(normed.output + code, before)], torch.zeros_like(before)
        before = changes.before(f"{name}.1.norm.input", normed.first)
    scale = min((1.0, by_stack), key=lambda scale: difference(table.output * scale + added, before))
    seen.hold(name, stack.path, (table.output * scale + added, before), *held)
    seen.scaled = by_table * scale != 1
    trace |= {f"{name}.0.rows": table.output / by_table, f"{name}.0.output": table.output * scale}
    places = [place(f"{name}.0.rows", _as_is, by_table), place(f"{name}.0.output", _as_is, 1 / scale)]
    borders = {border_of(table, OUTPUT, calls): places}
    if norm is not None and normed is not None:
        trace |= {f"{name}.1.norm.input": normed.first, f"{name}.1.norm.output": normed.output}
        borders[Border(norm, GIVEN)] = [place(f"{name}.1.norm.input", _as_is)]
        borders[Border(norm, OUTPUT)] = [place(f"{name}.1.norm.output", _as_is)]
    return Embedded(table.first, trace | {f"{name}.1.output": entering}, False, borders)


def _as_is(x: Tensor) -> Tensor:
    return x


def remarks(model: Any, stacks: dict[str, Stack], seen: Seen) -> tuple[str, ...]:
    """In which the model is another one than the paper's, as far as our names have no place for it."""
    there, layer = seen.names, stacks["encoder"].layers[0]
    config = getattr(model, "config", None)
    activation = getattr(config, "dense_act_fn", None) or getattr(config, "activation_function", "relu")
    norm = layer.get_submodule("layer.0.layer_norm" if hasattr(layer, "layer") else "self_attn_layer_norm")
    said = {
        "the scores are not divided by √d_k: scores = products": hasattr(layer, "layer"),
        "no position code is added to the embeddings; a bias for the distance of query and key, *.self_attn.bias, is "
        "added to the scores": "encoder.layers.0.self_attn.bias" in there,
        f"positions are looked up in a table of the model's own, {_kind(stacks, 'embed_positions')}": (
            "src_embed.1.code" in there
        ),
        "the rows are not multiplied by √d_model": not seen.scaled,
        "the embeddings are normalised before the first layer: src_embed.1.norm": "src_embed.1.norm.input" in there,
        f"a norm, {type(norm).__name__}, subtracts no mean and adds no bias": getattr(norm, "bias", None) is None,
        f"the activation is {activation}, not ReLU": activation != "relu",
        "hidden = activation(pre_activation) · gate": "encoder.layers.0.feed_forward.gate" in there,
        "final_logits_bias is added to the logits": bool(torch.as_tensor(getattr(model, "final_logits_bias", 0)).any()),
        "there are no generator.logits: the model has no output layer": "generator.logits" not in there,
    }
    return tuple(sentence for sentence, holds in said.items() if holds)


def _kind(stacks: dict[str, Stack], part: str) -> str:
    return type(getattr(stacks["encoder"].module, part, None)).__name__
