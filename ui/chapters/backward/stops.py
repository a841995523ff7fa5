"""The backward pass as a list of stops, from the wrong word back to the tables: which gradient, from what."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from transformer_core import EncoderDecoder, backward
from ui.chapters.shared.forward.stops import ForwardStop
from ui.chapters.shared.tensors import SUBLAYERS

LEARNED = ("matrix", "bias", "gain", "shift", "table")  # stops at what is learned
KEYS = ".linears.1.weight"


def route(model: EncoderDecoder) -> list[ForwardStop]:
    """Every stop, whose path begins with ∂, of a pre-norm model, in the order in which they are computed."""
    return [*_prediction(), *_stack(model, "decoder"), *_tables("tgt"), *_stack(model, "encoder"), *_tables("src")]


def learned(model: EncoderDecoder) -> dict[str, ForwardStop]:
    """The stops at every parameter of the model, by its name.

    Those at the biases of keys are on no route: one adds the same to all scores of a query, which softmax does not see,
    so that their gradient is 0 but for rounding.
    """
    found = {stop.path.removeprefix("∂"): stop for stop in route(model) if stop.what in LEARNED}
    for name, stop in list(found.items()):
        if name.endswith(KEYS):
            bias = name.replace("weight", "bias")
            found[bias] = replace(stop, what="bias", path=f"∂{bias}", inputs=stop.inputs[:1])
    return found


def _prediction() -> Iterator[ForwardStop]:
    stop = _under("prediction")
    yield stop("logits", "∂generator.logits", "generator.log_probs target counted", "loss_gradient")
    yield from _linear(stop, "∂generator.proj", "∂generator.logits", "decoder.output")
    yield stop("through", "∂decoder.output", "∂generator.logits generator.proj.weight", "linear")


def _stack(model: EncoderDecoder, stack: str) -> Iterator[ForwardStop]:
    count = len(list(model.get_submodule(f"{stack}.layers").children()))
    own = "ys" if stack == "decoder" else "src"
    last = _under(f"{stack}.layers.{count - 1}")
    if stack == "encoder":
        yield from _memory(model, last)
    yield from _norm(last, f"∂{stack}.layers.{count - 1}.output", f"{stack}.norm", f"∂{stack}.output")
    for n in reversed(range(count)):
        for i, name in reversed(list(enumerate(SUBLAYERS[stack]))):
            yield from _sublayer(f"{stack}.layers.{n}", i, name, own)


def _memory(model: EncoderDecoder, stop: Callable[..., ForwardStop]) -> Iterator[ForwardStop]:
    """What every decoder layer hands back to the memory through its keys and values."""
    inputs = [
        part
        for n in range(len(list(model.get_submodule("decoder.layers").children())))
        for j, role in ((1, "key"), (2, "value"))
        for part in (f"∂decoder.layers.{n}.src_attn.{role}.joined", f"decoder.layers.{n}.src_attn.linears.{j}.weight")
    ]
    yield stop("memory", "∂encoder.output", " ".join(inputs), "projections")


def _sublayer(block: str, i: int, name: str, own: str) -> Iterator[ForwardStop]:
    at, x = f"∂{block}.sublayer.{i}", f"{block}.sublayer.{i}"
    stop = _under(block, at)
    yield stop("branch", ".branch", ".output", "added")
    yield from _network(block, x) if name == "feed_forward" else _attention(block, name, x, own)
    yield from _norm(stop, ".norm.input", f"{x}.norm", ".given")
    yield stop("joined", ".input", ".norm.input .skip", "joined")


def _network(block: str, x: str) -> Iterator[ForwardStop]:
    module = f"{block}.feed_forward"
    stop = _under(block, f"∂{module}")
    yield from _linear(stop, ".w_2", ".output", f"{module}.hidden")
    yield stop("through", ".hidden", f".output {module}.w_2.weight", "linear")
    yield stop("relu", ".pre_activation", f".hidden {module}.hidden", "position_wise")
    yield from _linear(stop, ".w_1", ".pre_activation", f"{x}.given")
    yield stop("through", f"∂{x}.given", f".pre_activation {module}.w_1.weight", "linear")


def _attention(block: str, name: str, x: str, own: str) -> Iterator[ForwardStop]:
    module = f"{block}.{name}"
    stop = _under(block, f"∂{module}")
    mask = "tgt_mask" if name == "self_attn" and own == "ys" else "src_mask"
    memory = "encoder.output" if name == "src_attn" else f"{x}.given"
    yield from _linear(stop, ".linears.3", ".output", f"{module}.merged")
    yield stop("through", ".merged", f".output {module}.linears.3.weight", "linear")
    yield stop("heads", ".heads", ".merged", "attention")
    yield stop("value", ".value", f"{module}.weights .heads", "attention")
    yield from _linear(stop, ".linears.2", ".value.joined", memory, "projections")
    yield stop("weights", ".weights", f".heads {module}.value", "attention")
    yield stop("softmax", ".masked", f"{module}.weights .weights", "softmax")
    yield stop("mask", ".scores", f".masked {mask}", "unmasked")
    yield stop("scale", ".products", ".scores", "attention")
    yield stop("query", ".query", f".products {module}.key", "attention")
    yield from _linear(stop, ".linears.0", ".query.joined", f"{x}.given", "projections")
    yield stop("key", ".key", f".products {module}.query", "attention")
    yield stop("matrix", ".linears.1.weight", f".key.joined {memory}", "projections")
    asks = f".query.joined {module}.linears.0.weight"
    looks = f".key.joined {module}.linears.1.weight .value.joined {module}.linears.2.weight"
    yield stop("given", f"∂{x}.given", asks if name == "src_attn" else f"{asks} {looks}", "projections")


def _tables(side: str) -> Iterator[ForwardStop]:
    ids = "src" if side == "src" else "ys"
    stop = _under("source" if side == "src" else "target", f"∂{side}_embed")
    yield stop("rows", ".0.rows", ".1.output", "embeddings")
    yield stop("table", ".0.lut.weight", f"{ids}.places .0.rows", "embeddings")


def _linear(
    stop: Callable[..., ForwardStop], module: str, after: str, given: str, code: str = "linear"
) -> Iterator[ForwardStop]:
    """What a matrix and its bias learn, of the gradient after it and of what came in."""
    yield stop("matrix", f"{module}.weight", f"{after} {given}", code)
    yield stop("bias", f"{module}.bias", after, code)


def _norm(stop: Callable[..., ForwardStop], path: str, module: str, after: str) -> Iterator[ForwardStop]:
    yield stop("gain", f"∂{module}.a_2", f"{after} {module}.normalised", "layer_norm")
    yield stop("shift", f"∂{module}.b_2", after, "layer_norm")
    yield stop("norm", path, f"{after} {module}.a_2 {module}.normalised {module}.std", "normalisation_gradient")


def _under(block: str, module: str = "") -> Callable[..., ForwardStop]:
    """Makes stops of a block; a path that begins with a dot stands under the module's."""

    def full(path: str) -> str:
        return module + path if path.startswith(".") else path

    def stop(what: str, path: str, inputs: str, code: str) -> ForwardStop:
        function: Callable[..., Any] = getattr(backward, code)
        return ForwardStop(what, block, full(path), tuple(map(full, inputs.split())), function, "return")

    return stop
