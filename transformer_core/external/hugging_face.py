"""Encoder-decoders of Hugging Face's `transformers`, known by their modules: the library itself is not needed here.

Marian, BART and those built like them (`layers`, `q_proj`, `fc1`), also FSMT, which lays its vectors length first; T5's
kind (`block`, `SelfAttention.q`, `wi`); and T5Gemma (`layers`, `q_proj`, `mlp`).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from transformer_core.external import rotated_attention
from transformer_core.external.changes import GIVEN, OUTPUT, Border, Lay, place
from transformer_core.external.embed import Embedded, as_is, border_of, same
from transformer_core.external.layers import (
    FEED_FORWARD,
    AttentionKind,
    Built,
    ComputesNaN,
    Seen,
    Stack,
    Sublayer,
    difference,
)
from transformer_core.external.projected import INSIDE, attended, borders, changed_output, lay_of, length_first
from transformer_core.external.watch import Calls, ModuleCall

SIGNS = {"layers": "self_attn.q_proj", "block": "layer.0.SelfAttention.q"}  # by what such a stack calls its layers
MARIAN = {"self_attn": "self_attn", "src_attn": "encoder_attn"}
GEMMA = {"self_attn": "self_attn", "src_attn": "cross_attn"}
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
    except ComputesNaN:
        raise
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
            return Stack(module, known[module], list(layers), within, _built, _end(module, layers[0]))
    return None


def _end(module: nn.Module, layer: Any) -> Border | None:
    """Of FSMT's stacks, which turn round what they return; its decoder makes logits of it."""
    if not (hasattr(layer, "self_attn") and length_first(layer.self_attn)):
        return None
    last = getattr(module, "output_projection", None)
    return Border(module, OUTPUT) if last is None else Border(last, GIVEN)


def _has(module: nn.Module, path: str) -> bool:
    return path in {name for name, _ in module.named_modules()}


def _built(layer: Any, calls: Calls, path: str) -> Built:
    """How a layer is built. ValueError, with its path, if it lacks a part."""
    sublayers = _sublayers(layer)
    for sublayer in sublayers:
        for part in filter(None, (sublayer.given, sublayer.branch, sublayer.norm)):
            if not _has(layer, part):
                raise ValueError(f"{path}, a {type(layer).__name__}, has no {part}")
    first = sublayers[0]
    norm, attention = (layer.get_submodule(part) for part in (first.norm, first.given))
    given = calls.last(attention, f"{path}.{first.given}").first
    norm_first = same(calls.last(norm, f"{path}.{first.norm}").output, given)
    if first.normed:
        gemma = rotated_attention
        kind = AttentionKind(gemma.attended, gemma.changed_output, gemma.INSIDE, gemma.borders)
    else:
        kind = AttentionKind(attended, changed_output, INSIDE, borders)
    return Built(sublayers, norm_first, kind, lay_of(attention))


def _sublayers(layer: Any) -> list[Sublayer]:
    if hasattr(layer, "layer"):
        return _like_t5(layer)
    return _like_gemma(layer) if hasattr(layer, "post_feedforward_layernorm") else _like_marian(layer)


def _like_marian(layer: Any) -> list[Sublayer]:
    attentions = [
        Sublayer(ours, theirs, theirs, f"{theirs}_layer_norm")
        for ours, theirs in MARIAN.items()
        if hasattr(layer, theirs)
    ]
    return [*attentions, Sublayer(FEED_FORWARD, "fc1", "fc2", "final_layer_norm", second="fc2")]


def _like_gemma(layer: Any) -> list[Sublayer]:
    sublayers = [
        Sublayer(ours, theirs, f"post_{theirs}_layernorm", f"pre_{theirs}_layernorm", normed=True)
        for ours, theirs in GEMMA.items()
        if hasattr(layer, theirs)
    ]
    norms = ("post_feedforward_layernorm", "pre_feedforward_layernorm")
    parts = ("mlp.down_proj", "mlp.up_proj")
    return [*sublayers, Sublayer(FEED_FORWARD, "mlp.gate_proj", *norms, *parts, normed=True)]


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


def embedded(stack: Stack, table: ModuleCall, calls: Calls, name: str, seen: Seen, lay: Lay) -> Embedded:
    """Under the names of our embeddings: the rows, their scaled form, the position code if one is added to them, and
    what the first layer is given, which `lay` lays the batch first. ValueError if these are not what adds up to it."""
    module, changes = stack.module, seen.changes
    entering = lay(calls.last(stack.layers[0], f"{stack.path}.{stack.within}.0").first)
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
        trace[f"{name}.1.code"] = code[:1] if (code == code[:1]).all() else code  # of padding some add another one
    held, added = [], code
    if normed is not None:
        if difference(normed.output + code, before) <= seen.tolerance:  # normalised before the code is added
            held, added = [(normed.output + code, before)], torch.zeros_like(before)
        before = changes.before(f"{name}.1.norm.input", normed.first)
    scale = min(
        (1.0, by_stack, before.size(-1) ** 0.5), key=lambda scale: difference(table.output * scale + added, before)
    )
    seen.hold(name, stack.path, (table.output * scale + added, before), *held)
    seen.scaled = by_table * scale != 1
    trace |= {f"{name}.0.rows": table.output / by_table, f"{name}.0.output": table.output * scale}
    places = [place(f"{name}.0.rows", as_is, by_table), place(f"{name}.0.output", as_is, 1 / scale)]
    borders = {border_of(table, OUTPUT, calls): places}
    if norm is not None and normed is not None:
        trace |= {f"{name}.1.norm.input": normed.first, f"{name}.1.norm.output": normed.output}
        borders[Border(norm, GIVEN)] = [place(f"{name}.1.norm.input", as_is)]
        borders[Border(norm, OUTPUT)] = [place(f"{name}.1.norm.output", as_is)]
    return Embedded(table.first, trace | {f"{name}.1.output": entering}, False, borders)


def remarks(model: Any, stacks: dict[str, Stack], seen: Seen) -> tuple[str, ...]:
    """In which the model is another one than the paper's, as far as our names have no place for it."""
    there, layer = seen.names, stacks["encoder"].layers[0]
    first = _sublayers(layer)[0]
    norm, attention = (layer.get_submodule(part) for part in (first.norm, first.given))
    configs = [getattr(each, "config", None) for each in (stacks["encoder"].module, model)]
    activation = _setting(configs, "dense_act_fn", "activation_function", "hidden_activation") or "relu"
    most, most_logit = rotated_attention.limit(attention), _setting(configs, "final_logit_softcapping")
    said = {
        "the scores are not divided by √d_k: scores = products": hasattr(layer, "layer"),
        f"scores = products · {getattr(attention, 'scaling', 1):.3g}, and √d_k has no part in it": first.normed,
        f"the scores are kept within ±{most}: scores = {most} · tanh(scores / {most})": most is not None,
        "queries and keys are rotated by their positions: *.self_attn.unrotated_query, unrotated_key": first.normed,
        "no position code is added to the embeddings; a bias for the distance of query and key, *.self_attn.bias, is "
        "added to the scores": "encoder.layers.0.self_attn.bias" in there,
        f"positions are looked up in a table of the model's own, {_kind(stacks, 'embed_positions')}": (
            "src_embed.1.code" in there
        ),
        "the rows are not multiplied by √d_model": not seen.scaled,
        "the embeddings are normalised before the first layer: src_embed.1.norm": "src_embed.1.norm.input" in there,
        f"a norm, {type(norm).__name__}, subtracts no mean and adds no bias": getattr(norm, "bias", None) is None,
        "what a sub-layer puts out is normalised before it is added: *.sublayer.*.branch": first.normed,
        f"the activation is {activation}, not ReLU": activation != "relu",
        "hidden = activation(pre_activation) · gate": "encoder.layers.0.feed_forward.gate" in there,
        "final_logits_bias is added to the logits": bool(torch.as_tensor(getattr(model, "final_logits_bias", 0)).any()),
        f"the logits are kept within ±{most_logit}: {most_logit} · tanh(logits / {most_logit})": most_logit is not None,
        "there are no generator.logits: the model has no output layer": "generator.logits" not in there,
    }
    return tuple(sentence for sentence, holds in said.items() if holds)


def _setting(configs: list[Any], *names: str) -> Any:
    """The first that one of them has."""
    found = (getattr(config, name, None) for name in names for config in configs)
    return next((value for value in found if value is not None), None)


def _kind(stacks: dict[str, Stack], part: str) -> str:
    return type(getattr(stacks["encoder"].module, part, None)).__name__
