"""A recording has the model's own names, and says so where there is nothing to name."""

from contextlib import AbstractContextManager
from typing import Any

import pytest
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

from tests.core.build import small_batch, small_model
from tests.core.saved import parallel
from transformer_core import PositionwiseFeedForward, explain, intervene, keeping_attn, make_model, record, tap

SRC, TGT = torch.tensor([[1, 2, 3]]), torch.tensor([[1, 2]])


class Own(nn.Module):
    """As learners write it: layers of PyTorch's in a module of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.output = nn.Embedding(11, 8), nn.Linear(8, 11)
        self.transformer = nn.Transformer(8, 2, 1, 1, 12, batch_first=True)

    def forward(self, src: torch.Tensor, tgt: torch.Tensor) -> torch.Tensor:
        return self.output(self.transformer(self.table(src), self.table(tgt)))


class Tapping(Own):
    def forward(self, src: torch.Tensor, tgt: torch.Tensor) -> torch.Tensor:
        return tap(self, "logits", super().forward(src, tgt))


def compiled(module: nn.Module) -> Any:
    return torch.compile(module, backend="eager")


def uncompiled() -> AbstractContextManager[object]:
    """A compiled model runs as the module that it wraps: to compile takes seconds, and the names are the same."""
    return torch.compiler.set_stance("force_eager")


def compiled_parts(model: Any) -> Any:
    model.encoder.layers[1] = compiled(model.encoder.layers[1])
    model.decoder, model.generator = compiled(model.decoder), parallel(model.generator)
    return model


WRAPPED = {
    "compiled": compiled,
    "compiled twice over": lambda model: parallel(compiled(model)),
    "averaged": lambda model: AveragedModel(model).eval(),
    "parts of it": compiled_parts,
}


@pytest.mark.parametrize("wrap", WRAPPED.values(), ids=WRAPPED)
def test_a_wrapped_model_is_recorded_under_its_own_names(wrap: Any) -> None:
    model, batch = small_model().eval(), small_batch()
    given = batch.src, batch.tgt, batch.src_mask, batch.tgt_mask
    with torch.no_grad(), record(model) as plain:
        out = model(*given)
    wrapped = wrap(model)
    with uncompiled(), torch.no_grad(), record(wrapped) as trace:
        torch.testing.assert_close(wrapped(*given), out)
    assert trace.keys() == plain.keys()
    assert all(torch.equal(trace[path], plain[path]) for path in plain)


@torch.no_grad()
def test_a_program_of_the_compiler_is_recorded_as_the_module_that_it_was_made_of() -> None:
    torch._dynamo.reset()
    layer, x = PositionwiseFeedForward(6, 10).eval(), torch.randn(2, 3, 6)
    program = compiled(layer)
    program(x)
    with record(layer) as plain:
        layer(x)
    with record(program) as trace:
        program(x)
    assert plain
    assert trace.keys() == plain.keys()
    assert all(torch.equal(trace[path], plain[path]) for path in plain)


def test_a_wrapped_model_is_changed_by_its_own_names_and_keeps_attn_where_it_is_sought() -> None:
    batch = small_batch()
    wrapped = compiled(compiled_parts(small_model().eval()))
    given = batch.src, batch.tgt, batch.src_mask, batch.tgt_mask
    path = "decoder.layers.1.src_attn.heads"
    with uncompiled(), torch.no_grad(), intervene(wrapped, {path: torch.zeros_like}), record(wrapped) as trace:
        wrapped(*given)
    assert not trace[path].any()
    with uncompiled(), torch.no_grad(), keeping_attn(wrapped):
        wrapped(*given)
    attn = wrapped.decoder.layers[1].src_attn.attn
    assert attn.shape == trace["decoder.layers.1.src_attn.weights"].shape


@pytest.mark.parametrize("compiling", [False, True])
@pytest.mark.parametrize(
    "model",
    [
        nn.Transformer(8, 2, 1, 1, 12, batch_first=True),
        nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 12), 2, enable_nested_tensor=False),
        nn.MultiheadAttention(8, 2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_model_that_taps_nothing_is_refused_at_once_by_its_name(model: nn.Module, compiling: bool) -> None:
    given = compiled(model) if compiling else model
    with pytest.raises(ValueError, match=rf"of {type(model).__name__} tap nothing.*`explain\(model"):
        record(given)
    with (
        pytest.raises(ValueError, match=rf"of {type(model).__name__} tap nothing.*intervene="),
        intervene(given, {"encoder.output": torch.zeros_like}),
    ):
        pytest.fail("the block ran")


def test_a_model_of_hugging_faces_is_refused_at_once() -> None:
    kind = type("MarianMTModel", (nn.Module,), {"__module__": "transformers.models.marian.modeling_marian"})
    with pytest.raises(ValueError, match="MarianMTModel tap nothing"):
        record(kind())


def test_a_model_of_ones_own_that_tapped_nothing_is_named_at_the_end_of_the_block() -> None:
    model = Own().eval()
    with (
        pytest.raises(ValueError, match=r"no module of Own has tapped a value in the block; `explain\("),
        record(model),
    ):
        model(SRC, TGT)
    assert "decoder.layers.0.src_attn.weights" in explain(model, SRC, TGT).trace
    tapping = Tapping().eval()
    with record(tapping) as trace:
        tapping(SRC, TGT)
    assert list(trace) == ["logits"]
    with record(tapping, lambda path: path == "something else") as trace:
        tapping(SRC, TGT)
    assert not trace


def test_an_error_in_the_block_is_not_replaced() -> None:
    with pytest.raises(IndexError), record(Own()):
        raise IndexError


def test_a_path_without_a_value_is_an_error_that_says_why() -> None:
    model = make_model(11, 11, N=1, d_model=8, d_ff=12, h=2).eval()
    with record(model) as trace:
        pass
    with pytest.raises(KeyError, match=r"nothing was recorded, so there is no encoder\.output: in the block the model"):
        trace["encoder.output"]
    with record(model) as outer, record(model) as inner:
        model.encode(SRC, None)
    with pytest.raises(KeyError, match="or only within another recording"):
        outer["encoder.output"]
    for misspelt in ("encoder.layers.0.self_attn.weight", "_orig_mod.encoder.layers.0.self_attn.weights"):
        with pytest.raises(KeyError, match=r"the nearest is encoder\.layers\.0\.self_attn\.weights"):
            inner[misspelt]
    assert inner.get("misspelt") is None


@pytest.mark.parametrize("wrap", [compiled, parallel], ids=["compiled", "parallel"])
@pytest.mark.parametrize("make", [Own, lambda: make_model(11, 11, N=1, d_model=8, d_ff=12, h=2)], ids=["own", "ours"])
def test_a_wrapped_model_is_explained_as_what_it_wraps(make: Any, wrap: Any) -> None:
    torch._dynamo.reset()
    model = make().eval()
    plain = explain(model, SRC, TGT).trace
    wrapped = wrap(model)
    assert explain(wrapped, SRC, TGT).trace.keys() == plain.keys()


def test_what_a_compiled_model_computes_is_seen_where_it_is_called_by_hand() -> None:
    torch._dynamo.reset()
    model = Own().eval()
    program = compiled(model)
    program(SRC, TGT)
    assert explain(model, SRC, TGT, run=program).trace.keys() == explain(model, SRC, TGT).trace.keys()
