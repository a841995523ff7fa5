"""The backward pass as a list of stops, from the wrong word back to the tables: which gradient, from what."""

from collections.abc import Callable, Iterator
from typing import Any

from transformer_core import EncoderDecoder, backward
from ui.chapters.shared.forward.stops import Stop
from ui.chapters.shared.tensors import SUBLAYERS


def route(model: EncoderDecoder) -> list[Stop]:
    """Every stop, whose path begins with ∂, of a pre-norm model, in the order in which they are computed."""
    return [*_prediction(), *_stack(model, "decoder"), *_tables("tgt"), *_stack(model, "encoder"), *_tables("src")]


def _prediction() -> Iterator[Stop]:
    stop = _under("prediction")
    yield stop("logits", "∂generator.logits", "generator.log_probs target counted", "loss_gradient")
    yield stop("matrix", "∂generator.proj.weight", "∂generator.logits decoder.output", "linear")
    yield stop("through", "∂decoder.output", "∂generator.logits generator.proj.weight", "linear")


def _stack(model: EncoderDecoder, stack: str) -> Iterator[Stop]:
    count = len(list(model.get_submodule(f"{stack}.layers").children()))
    own = "ys" if stack == "decoder" else "src"
    last = _under(f"{stack}.layers.{count - 1}")
    if stack == "encoder":
        yield from _memory(model, last)
    yield last("norm", f"∂{stack}.layers.{count - 1}.output", _norm(f"{stack}.norm", f"∂{stack}.output"), "layer_norm")
    for n in reversed(range(count)):
        for i, name in reversed(list(enumerate(SUBLAYERS[stack]))):
            yield from _sublayer(f"{stack}.layers.{n}", i, name, own)


def _memory(model: EncoderDecoder, stop: Callable[..., Stop]) -> Iterator[Stop]:
    """What every decoder layer hands back to the memory through its keys and values."""
    inputs = [
        part
        for n in range(len(list(model.get_submodule("decoder.layers").children())))
        for j, role in ((1, "key"), (2, "value"))
        for part in (f"∂decoder.layers.{n}.src_attn.{role}.joined", f"decoder.layers.{n}.src_attn.linears.{j}.weight")
    ]
    yield stop("memory", "∂encoder.output", " ".join(inputs), "projections")


def _sublayer(block: str, i: int, name: str, own: str) -> Iterator[Stop]:
    at, x = f"∂{block}.sublayer.{i}", f"{block}.sublayer.{i}"
    stop = _under(block, at)
    yield stop("branch", ".branch", ".output", "added")
    yield from _network(block, x) if name == "feed_forward" else _attention(block, name, x, own)
    yield stop("norm", ".norm.input", _norm(f"{x}.norm", ".given"), "layer_norm")
    yield stop("joined", ".input", ".norm.input .skip", "joined")


def _network(block: str, x: str) -> Iterator[Stop]:
    module = f"{block}.feed_forward"
    stop = _under(block, f"∂{module}")
    yield stop("matrix", ".w_2.weight", f".output {module}.hidden", "linear")
    yield stop("through", ".hidden", f".output {module}.w_2.weight", "linear")
    yield stop("relu", ".pre_activation", f".hidden {module}.hidden", "position_wise")
    yield stop("matrix", ".w_1.weight", f".pre_activation {x}.given", "linear")
    yield stop("through", f"∂{x}.given", f".pre_activation {module}.w_1.weight", "linear")


def _attention(block: str, name: str, x: str, own: str) -> Iterator[Stop]:
    module = f"{block}.{name}"
    stop = _under(block, f"∂{module}")
    mask = "tgt_mask" if name == "self_attn" and own == "ys" else "src_mask"
    yield stop("matrix", ".linears.3.weight", f".output {module}.merged", "linear")
    yield stop("through", ".merged", f".output {module}.linears.3.weight", "linear")
    yield stop("heads", ".heads", ".merged", "attention")
    yield stop("value", ".value", f"{module}.weights .heads", "attention")
    yield stop("weights", ".weights", f".heads {module}.value", "attention")
    yield stop("softmax", ".masked", f"{module}.weights .weights", "softmax")
    yield stop("mask", ".scores", f".masked {mask}", "unmasked")
    yield stop("scale", ".products", ".scores", "attention")
    yield stop("query", ".query", f".products {module}.key", "attention")
    yield stop("key", ".key", f".products {module}.query", "attention")
    asks = f".query.joined {module}.linears.0.weight"
    looks = f".key.joined {module}.linears.1.weight .value.joined {module}.linears.2.weight"
    yield stop("given", f"∂{x}.given", asks if name == "src_attn" else f"{asks} {looks}", "projections")


def _tables(side: str) -> Iterator[Stop]:
    ids = "src" if side == "src" else "ys"
    stop = _under("source" if side == "src" else "target", f"∂{side}_embed")
    yield stop("rows", ".0.rows", ".1.output", "embeddings")
    yield stop("table", ".0.lut.weight", f"{ids}.places .0.rows", "embeddings")


def _norm(module: str, gradient: str) -> str:
    return f"{gradient} {module}.a_2 {module}.normalised {module}.std"


def _under(block: str, module: str = "") -> Callable[..., Stop]:
    """Makes stops of a block; a path that begins with a dot stands under the module's."""

    def full(path: str) -> str:
        return module + path if path.startswith(".") else path

    def stop(what: str, path: str, inputs: str, code: str) -> Stop:
        function: Callable[..., Any] = getattr(backward, code)
        return Stop(what, block, full(path), tuple(map(full, inputs.split())), function, "return")

    return stop
