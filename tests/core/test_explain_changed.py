"""`explain` has other people's models go on with other values, by the names of ours, and keeps what is wanted."""

import copy
import gc
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.core.build import D_MODEL, HEADS, small_batch, small_model
from tests.core.external import Theirs
from tests.core.hugging import MODELS, SOURCE, TARGET, called, marian, t5
from transformer_core import explain
from transformer_core.verify.torch_model import TorchModel

TOLERANCE = 1e-5
LAST = (  # of the second layer's cross-attention, where its heads enter
    "model.decoder.layers.1.encoder_attn.out_proj",
    "model.decoder.layers.1.cross_attn.o_proj",
    "decoder.block.1.layer.1.EncDecAttention.o",
)
UNCHANGEABLE = (".1.code", ".bias")
every_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)


def within(actual: Tensor, expected: Tensor, times: float = 1.0) -> bool:
    return float((actual - expected).abs().max()) <= times * TOLERANCE * max(1.0, float(expected.abs().max()))


def halved_and_shifted(value: Tensor) -> Tensor:
    """Another value of the same shape, always the same one."""
    return value * 0.5 + torch.randn(value.shape, generator=torch.Generator().manual_seed(1)) * 0.3


def of_one_layer(trace: dict[str, Tensor]) -> list[str]:
    """The names of a layer that is neither the first nor the only one, and of what comes before and after."""
    return [path for path in trace if "layers.0" not in path and not path.endswith(UNCHANGEABLE)]


@pytest.mark.parametrize("norm_first", [True, False])
def test_a_change_by_any_name_of_ours_leads_to_the_same_numbers_in_a_model_of_torch_nn(norm_first: bool) -> None:
    ours, batch = small_model(norm_first, nn.LayerNorm), small_batch()
    theirs = TorchModel(ours)
    plain = explain(theirs, batch.src, batch.tgt)
    paths = [path for path in of_one_layer(explain(ours, batch.src, batch.tgt).trace) if path in plain.trace]
    assert len(paths) > 80
    for path in paths:
        changes = {path: halved_and_shifted}
        expected, found = (explain(model, batch.src, batch.tgt, intervene=changes) for model in (ours, theirs))
        assert within(found.log_probs, expected.log_probs, 10), path
        assert within(found.trace[path], expected.trace[path], 10), path
        assert not within(found.log_probs, plain.log_probs), path


@every_model
def test_a_change_by_any_name_is_made_and_what_follows_is_still_what_the_names_say(make: Any) -> None:
    model = make()
    plain = explain(model, SOURCE, TARGET)
    for path in of_one_layer(plain.trace):
        found = explain(model, SOURCE, TARGET, intervene={path: halved_and_shifted})
        assert within(found.trace[path], halved_and_shifted(plain.trace[path])), path
        assert not within(found.log_probs, plain.log_probs), path
        assert max(found.differences.values()) < TOLERANCE, path


@every_model
def test_with_nothing_changed_the_numbers_are_the_models_own(make: Any) -> None:
    model = make()
    plain = explain(model, SOURCE, TARGET).trace
    for step in ("scores", "weights", "heads", "output"):
        same = {f"{stack}.layers.1.self_attn.{step}": Tensor.clone for stack in ("encoder", "decoder")}
        found = explain(model, SOURCE, TARGET, intervene=same)
        assert within(found.trace["generator.logits"], called(model).logits)
        assert found.trace.keys() == plain.keys()


@every_model
def test_a_head_that_is_switched_off_is_one_whose_columns_are_zero_in_the_last_matrix(make: Any) -> None:
    model, head = make(), 1
    ablated = copy.deepcopy(model)
    parts = dict(ablated.named_modules())
    (last,) = (parts[path] for path in LAST if path in parts)
    size = last.in_features // HEADS
    with torch.no_grad():
        last.weight[:, head * size : (head + 1) * size] = 0

    def without(heads: Tensor) -> Tensor:
        heads[:, head] = 0
        return heads

    found = explain(model, SOURCE, TARGET, intervene={"decoder.layers.1.src_attn.heads": without})
    assert within(found.trace["generator.logits"], called(ablated).logits)


def test_a_row_of_attention_that_is_set_moves_the_output_to_the_value_of_that_token() -> None:
    def to_the_second(weights: Tensor) -> Tensor:
        weights[0, :, 2] = torch.eye(weights.size(-1))[1]
        return weights

    path = "decoder.layers.0.src_attn"
    trace = explain(marian(), SOURCE, TARGET, intervene={f"{path}.weights": to_the_second}).trace
    assert within(trace[f"{path}.heads"][0, :, 2], trace[f"{path}.value"][0, :, 1])


def test_a_run_is_patched_with_values_of_another_one() -> None:
    """All that the decoder knows of the source is the memory."""
    model, other = marian(), SOURCE.flip(0)

    def bare(src: Tensor, tgt: Tensor) -> Any:
        return model(input_ids=src, decoder_input_ids=tgt)

    memory = explain(model, other, TARGET, run=bare).trace["encoder.output"]
    patched = explain(model, SOURCE, TARGET, run=bare, intervene={"encoder.output": lambda _: memory})
    assert within(patched.log_probs, explain(model, other, TARGET, run=bare).log_probs)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("batch_first", [True, False])
def test_either_layout_is_changed_by_the_batch_first(batch_first: bool) -> None:
    torch.manual_seed(0)
    model, batch = Theirs(batch_first=batch_first).eval(), small_batch()
    given = (batch.src, batch.tgt) if batch_first else (batch.src.T, batch.tgt.T)
    plain = explain(model, *given)

    def first_only(value: Tensor) -> Tensor:
        value[0] += torch.linspace(0, 1, D_MODEL)
        return value

    for path in ("src_embed.0.rows", "src_embed.0.output", "encoder.layers.1.sublayer.0.branch", "encoder.output"):
        found = explain(model, *given, intervene={path: first_only})
        assert not within(found.log_probs[0], plain.log_probs[0]), path
        assert within(found.log_probs[1:], plain.log_probs[1:]), path


def test_a_table_that_both_sides_share_is_changed_for_one_of_them() -> None:
    model = t5()
    plain = explain(model, SOURCE, TARGET).trace
    found = explain(model, SOURCE, TARGET, intervene={"src_embed.0.rows": halved_and_shifted}).trace
    assert torch.equal(found["tgt_embed.0.rows"], plain["tgt_embed.0.rows"])
    assert not torch.equal(found["encoder.output"], plain["encoder.output"])


def test_several_changes_act_in_the_order_of_the_computation() -> None:
    path = "encoder.layers.1.sublayer.0"
    changes = {f"{path}.output": torch.zeros_like, f"{path}.sum": torch.ones_like, f"{path}.branch": torch.zeros_like}
    trace = explain(t5(), SOURCE, TARGET, intervene=changes).trace
    assert not trace[f"{path}.branch"].any()
    assert trace[f"{path}.sum"].eq(1).all()
    assert within(trace["encoder.layers.1.sublayer.1.input"], torch.zeros(()))


class LoRA(nn.Module):
    """As `peft` wraps a linear layer."""

    def __init__(self, base: nn.Linear) -> None:
        super().__init__()
        self.base_layer = base
        self.down, self.up = nn.Linear(base.in_features, 2, bias=False), nn.Linear(2, base.out_features, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.base_layer(x) + self.up(self.down(x))


def test_a_model_with_adapters_is_read_and_changed() -> None:
    model = marian()
    for layer in model.model.decoder.layers:
        for name in ("q_proj", "v_proj", "out_proj"):
            setattr(layer.encoder_attn, name, LoRA(getattr(layer.encoder_attn, name)))
    path = "decoder.layers.1.src_attn.weights"
    plain = explain(model, SOURCE, TARGET)
    assert within(plain.trace["generator.logits"], called(model).logits)
    found = explain(model, SOURCE, TARGET, intervene={path: halved_and_shifted})
    assert not within(found.log_probs, plain.log_probs)


def test_what_is_not_there_or_cannot_be_changed_is_refused_in_a_sentence() -> None:
    model = t5()
    with pytest.raises(ValueError, match=r"has no encoder\.layers\.1\.self_attn\.weight to be changed; the nearest is "
                       r"encoder\.layers\.1\.self_attn\.weights"):  # fmt: skip
        explain(model, SOURCE, TARGET, intervene={"encoder.layers.1.self_attn.weight": torch.zeros_like})
    with pytest.raises(ValueError, match=r"self_attn\.bias of T5.* can be read and not changed"):
        explain(model, SOURCE, TARGET, intervene={"encoder.layers.0.self_attn.bias": torch.zeros_like})
    with pytest.raises(ValueError, match=r"encoder\.output is \(2, 5, \d+\) and cannot become \(2, 1, "):
        explain(model, SOURCE, TARGET, intervene={"encoder.output": lambda value: value[:, :1]})
    ours, batch = small_model(), small_batch()
    with pytest.raises(ValueError, match=r"no module has tapped encoder\.outputs; the nearest is encoder\.output"):
        explain(ours, batch.src, batch.tgt, intervene={"encoder.outputs": torch.zeros_like})
    for one in (model, ours):
        assert not [module for module in one.modules() if module._forward_hooks or module._forward_pre_hooks]


@pytest.mark.parametrize("make", [marian, t5, lambda: TorchModel(small_model(norm=nn.LayerNorm)), small_model])
def test_what_is_wanted_alone_is_kept(make: Any) -> None:
    model = make()
    given = (SOURCE % 9, TARGET % 9)
    found = explain(model, *given, wanted=lambda path: path.endswith("src_attn.weights"))
    whole = explain(model, *given)
    assert list(found.trace) == [path for path in whole.trace if path.endswith("src_attn.weights")]
    assert all(torch.equal(value, whole.trace[path]) for path, value in found.trace.items())
    assert found.differences == whole.differences
    assert found.remarks == whole.remarks
    assert "<svg" in found.weights("decoder", 1)._repr_html_()
    with pytest.raises(ValueError, match=r"encoder\.layers\.0\.self_attn\.weights was not wanted"):
        found.weights("encoder", 0)


def held(layers: int) -> int:
    """Numbers in tensors that are no weights while the last layer of the decoder is read, nothing being wanted."""
    model, most = marian(encoder_layers=layers, decoder_layers=layers), 0

    def nothing(path: str) -> bool:
        nonlocal most
        if path == f"decoder.layers.{layers - 1}.output":
            most = sum(size for place, size in memory().items() if place not in others)
        return False

    gc.collect()
    others = memory().keys()  # of other tests
    explain(model, SOURCE, TARGET, wanted=nothing)
    return most


def memory() -> dict[int, int]:
    """Bytes of all tensors that are no weights, by where they lie."""
    dense = [one for one in gc.get_objects() if type(one) is Tensor and one.layout is torch.strided]
    return {one.untyped_storage().data_ptr(): one.untyped_storage().nbytes() for one in dense}


def test_no_more_than_a_layer_is_held_of_what_is_not_wanted() -> None:
    few, many = held(2), held(8)
    assert 0 < many < 1.5 * few
