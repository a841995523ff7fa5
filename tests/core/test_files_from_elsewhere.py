"""What others save beside, around and instead of a model's weights: it opens, or one true sentence says why not."""

import argparse
import collections
import datetime
import enum
import functools
import pathlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

from tests.core.saved import MODEL, STATE, file_of, opens, parallel, refused
from transformer_core import make_model
from transformer_core.training.archive import MOST_OPERATIONS, unpacked
from transformer_core.training.checkpoint import load, to_bytes
from transformer_core.training.config import TrainConfig
from transformer_core.training.elsewhere_names import DIFFERENCES, UNSAID
from transformer_core.training.models import fresh_model
from transformer_core.training.state_dict import load_any


class Kind(enum.Enum):
    NOAM = "noam"


@dataclass
class Settings:
    rate: float
    path: pathlib.PurePath


class Words(dict):
    """As many write it: a dictionary with attributes."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.unknown = "⟨unk⟩"


class Trap:
    """Leaves a trace if it is ever made."""

    made = False

    def __reduce__(self) -> Any:
        return _spring, ()


def _spring() -> Trap:
    Trap.made = True
    return Trap()


BESIDE = {
    "NumPy scalar": np.float64(0.25),
    "NumPy array": np.arange(6).reshape(2, 3),
    "NumPy random state": np.random.default_rng(0).bit_generator.state,
    "path": pathlib.PurePosixPath("a/b"),
    "namespace": argparse.Namespace(lr=1.0, n_head=3, out=pathlib.PurePosixPath("x")),
    "counter": collections.Counter({"the": 3, "cat": 1}),
    "counter of pairs": collections.Counter({("the", "cat"): 3, (("a", 1), None): 1}),
    "ordered": collections.OrderedDict(a=collections.OrderedDict(b=1)),
    "default": collections.defaultdict(list, a=[1]),
    "default of a default": collections.defaultdict(functools.partial(collections.defaultdict, int), a={}),
    "deque": collections.deque([1, 2], maxlen=3),
    "dates": [datetime.datetime(2017, 6, 12), datetime.timedelta(3), datetime.UTC],
    "settings": Settings(0.1, pathlib.PurePosixPath("x")),
    "enumeration": {Kind.NOAM: Kind.NOAM, None: 1, 2.5: 2, True: 3},
    "sets": [{1, 2}, frozenset({"a"}), {"a": {3}}],
    "bytes": [b"x", bytearray(b"y"), 2**100, -(2**4000), 1 + 2j, range(3), slice(1, 2), ...],
    "words": Words({"the": 0}),
    "kinds": [torch.float16, torch.device("cpu"), torch.Size([2, 3]), np.dtype("f8"), torch.strided],
    "random state": {"cpu": torch.get_rng_state(), "python": (3, (1, 2, 3), None)},
    "function": functools.partial(max, 1),
    "optimiser": torch.optim.Adam(nn.Linear(2, 2).parameters()).state_dict(),
    "whole optimiser": torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1),
    "another model": nn.Linear(2, 2),
    "tensor with attributes": nn.Parameter(torch.ones(2)),
    "trap": Trap(),
}
BESIDE["tensor with attributes"].shared = True  # type: ignore[attr-defined]


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_what_is_saved_beside_the_weights_is_skipped_and_never_made(protocol: int) -> None:
    for value in ({"args": BESIDE, "epoch": 3, "model": STATE}, {"model": STATE, **BESIDE, "also": [BESIDE]}):
        opens(file_of(value, pickle_protocol=protocol))
    assert not Trap.made


def test_parameters_with_attributes_and_in_dictionaries_of_ones_own_are_read() -> None:
    tagged = {name: nn.Parameter(weight) for name, weight in STATE.items()}
    for weight in tagged.values():
        weight.shared = True  # type: ignore[attr-defined]
    opens(file_of(tagged))
    opens(file_of(Words(STATE)))
    opens(file_of({"model": collections.defaultdict(list, STATE)}))
    opens(file_of({"transformer": STATE, "epoch": 3, "vocabulary": ["a"]}))


def test_a_model_in_a_list_and_one_whose_parts_are_saved_apart_are_read() -> None:
    opens(file_of([STATE, {"lr": 0.1}]))
    opens(file_of((3, STATE)))
    parts = {name: part.state_dict() for name, part in MODEL.named_children()}
    opens(file_of(parts | {"epoch": 3}))
    rest = {name: weight for name, weight in STATE.items() if not name.startswith("generator.")}
    opens(file_of({"model": rest, "generator": parts["generator"], "optim": None}))


def test_tensors_of_kinds_that_are_not_read_and_parts_of_weights_are_named() -> None:
    first = next(iter(STATE))
    eighths = {name: weight.to(torch.float8_e4m3fn) for name, weight in STATE.items()}
    assert f"{first} is no plain tensor" in refused(file_of(eighths), "tensor")
    split = nn.utils.parametrizations.weight_norm(make_model(9, 8, N=1, d_model=12, d_ff=20, h=3).generator.proj)
    beside = {f"generator.proj.{name}": weight for name, weight in split.state_dict().items()}
    assert "remove_parametrizations" in refused(file_of(STATE | beside), "split")


@pytest.mark.parametrize("axes", [(5000, 12), (5000, 1, 12), (1, 5000, 12)])
def test_a_table_of_positions_of_any_form_is_that_of_the_paper_or_refused(axes: tuple[int, ...]) -> None:
    code = MODEL.src_embed[1].pe.reshape(axes)  # type: ignore[index]
    opens(file_of(STATE | {"src_embed.1.pe": code}))
    refused(file_of(STATE | {"src_embed.1.pe": code + 0.1}), "code_differs", h=3)


@pytest.mark.parametrize("whole", [MODEL, parallel(MODEL), {"model": MODEL, "epoch": 1}, {"net": MODEL}])
def test_a_model_that_was_saved_whole_is_read_and_no_class_of_it_made(whole: object) -> None:
    opens(file_of(whole))


def test_an_object_without_parameters_is_named() -> None:
    assert "a whole" in refused(file_of(Settings(0.1, pathlib.PurePosixPath("x"))), "code")
    assert "Settings" in refused(file_of({"model": Settings(0.1, pathlib.PurePosixPath("x"))}), "code")
    arrays = {name: weight.numpy() for name, weight in STATE.items()}
    assert "torch.from_numpy" in refused(file_of(arrays), "kind")
    assert "torch.from_numpy" in refused(arrays, "kind")


def test_more_values_than_any_models_are_named_as_such() -> None:
    many = {"model": STATE, "list": list(range(MOST_OPERATIONS))}
    assert f"more than {MOST_OPERATIONS} values" in refused(file_of(many), "long")
    listed = [f"word {at}" for at in range(30_000)]
    opens(file_of({"model": STATE, "itos": listed, "counts": collections.Counter(listed)}))


def compiled(module: nn.Module) -> Any:
    return torch.compile(module, backend="eager")


def put_in(name: str, where: str, within: str) -> str:
    return name.replace(f"{where}.", f"{where}.{within}.", 1) if name.startswith(f"{where}.") else name


INSIDE = {
    "a compiled layer": ("encoder.layers.0", "_orig_mod"),
    "a compiled encoder": ("encoder", "_orig_mod"),
    "a parallel decoder": ("decoder", "module"),
    "a compiled generator": ("generator", "_orig_mod"),
    "a sub-layer of FSDP": ("decoder.layers.1", "_fsdp_wrapped_module"),
    "a checkpointed layer": ("encoder.layers.1", "_checkpoint_wrapped_module"),
}


@pytest.mark.parametrize(("where", "within"), INSIDE.values(), ids=INSIDE)
def test_wrappers_within_a_model_leave_its_names(where: str, within: str) -> None:
    for before in ("", "module.", "model."):
        opens({before + put_in(name, where, within): weight for name, weight in STATE.items()})


def test_a_model_of_averaged_weights_and_one_beside_a_loss_are_read() -> None:
    opens(file_of(AveragedModel(MODEL).state_dict()))
    opens(AveragedModel(compiled(MODEL)).state_dict())
    beside = {f"model.{name}": weight for name, weight in STATE.items()} | {"criterion.weight": torch.ones(8)}
    opens({"state_dict": beside})
    assert "online., shadow." in refused(
        {f"{which}.{name}": weight for which in ("online", "shadow") for name, weight in STATE.items()}, "several"
    )


def test_a_part_of_a_model_is_called_so() -> None:
    for part, stack in ((MODEL.encoder, "encoder"), (MODEL.decoder, "decoder")):
        for state in (
            part.state_dict(),
            compiled(part).state_dict(),
            {f"{stack}.{name}": weight for name, weight in part.state_dict().items()},
        ):
            message = refused(file_of(dict(state)), "part")
            assert f"the {stack} alone" in message
            assert f"make_model(…).{stack} takes it" in message
    MODEL.encoder.load_state_dict(MODEL.encoder.state_dict())


def renamed(pairs: list[tuple[str, str]], state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    def theirs(name: str) -> str:
        return functools.reduce(lambda name, pair: name.replace(*pair), pairs, name)

    return {theirs(name): weight for name, weight in state.items()}


GORDIC = [
    ("src_embed.0.lut", "src_embedding.embeddings_table"), ("tgt_embed.0.lut", "trg_embedding.embeddings_table"),
    ("src_embed.1.pe", "src_pos_embedding.positional_encodings_table"),
    ("tgt_embed.1.pe", "trg_pos_embedding.positional_encodings_table"),
    ("generator.proj", "decoder_generator.linear"),
    ("encoder.layers", "encoder.encoder_layers"), ("decoder.layers", "decoder.decoder_layers"),
    ("src_attn", "src_multi_headed_attention"), ("linears.3", "out_projection_net"), ("linears", "qkv_nets"),
    ("feed_forward.w_", "pointwise_net.linear"), ("sublayer", "sublayers"),
]  # fmt: skip
UMAR = [
    ("src_embed.0.lut", "src_embed.embedding"), ("tgt_embed.0.lut", "tgt_embed.embedding"),
    ("src_embed.1.pe", "src_pos.pe"), ("tgt_embed.1.pe", "tgt_pos.pe"), ("generator.proj", "projection_layer.proj"),
    ("self_attn", "self_attention_block"), ("src_attn", "cross_attention_block"),
    ("linears.0", "w_q"), ("linears.1", "w_k"), ("linears.2", "w_v"), ("linears.3", "w_o"),
    ("feed_forward.w_", "feed_forward_block.linear_"), ("sublayer", "residual_connections"),
    ("norm.a_2", "norm.alpha"), ("norm.b_2", "norm.bias"),
]  # fmt: skip


@pytest.mark.parametrize("scheme", ["gordicaleksa", "hkproj"])
def test_others_names_for_the_same_blocks_are_read(scheme: str) -> None:
    torch.manual_seed(0)
    norm = nn.LayerNorm if scheme == "gordicaleksa" else None
    model: Any = make_model(9, 8, N=2, d_model=12, d_ff=20, h=3, norm=norm).eval()
    state = model.state_dict() | {"src_embed.1.pe": model.src_embed[1].pe, "tgt_embed.1.pe": model.tgt_embed[1].pe}
    if scheme == "hkproj":
        theirs = renamed(UMAR, state)
    else:
        theirs = renamed([("decoder.layers.0.self_attn", "x")], state)
        both = [("encoder.layers", "self_attn", "multi_headed_attention")]
        both += [("decoder.layers", "self_attn", "trg_multi_headed_attention")]
        theirs = {
            next((name.replace(mine, other) for side, mine, other in both if name.startswith(side)), name): weight
            for name, weight in state.items()
        }
        theirs = renamed(GORDIC, theirs)
        theirs = {name: weight[0] if name.endswith("_table") else weight for name, weight in theirs.items()}
    assert not theirs.keys() & {name for name in state if ".norm." not in name}
    found = load_any(file_of({"epoch": 1, "model_state_dict": theirs}), h=3)
    sequences = torch.tensor([[1, 2, 3]]), torch.tensor([[1, 4]]), None, None
    assert torch.equal(found.model(*sequences), model(*sequences))


def test_a_linear_layer_without_a_bias_has_one_of_zeros_and_a_norms_single_number_is_for_all() -> None:
    torch.manual_seed(0)
    model = make_model(9, 8, N=1, d_model=12, d_ff=20, h=3).eval()
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.zeros_(module.bias)
    state = {name: weight for name, weight in model.state_dict().items() if not name.endswith(".bias")}
    opens(file_of(state), model)
    single = {name: weight[:1] if name.endswith(("a_2", "b_2")) else weight for name, weight in state.items()}
    opens(file_of(single), model)
    one_lacks = {name: weight for name, weight in STATE.items() if name != "encoder.layers.0.self_attn.linears.1.bias"}
    assert "encoder.layers.0.self_attn.linears.1.bias" in refused(file_of(one_lacks), "missing")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("jadore801120/attention-is-all-you-need-pytorch", "encoder.layer_stack.0.slf_attn.w_qs.weight"),
        ("SamLynnEvans/Transformer", "encoder.layers.0.attn.q_linear.weight"),
        ("OpenNMT-py", "encoder.transformer.0.self_attn.linear_keys.weight"),
        ("JoeyNMT", "encoder.layers.0.src_src_att.k_layer.weight"),
        ("Dive into Deep Learning", "encoder.blks.block0.attention.W_q.weight"),
        ("GPT-2", "transformer.h.0.attn.c_attn.weight"),
        ("x-transformers", "encoder.attn_layers.layers.0.1.to_q.weight"),
        ("fairseq", "encoder.embed_positions._float_tensor"),
    ],
)
def test_names_of_models_that_are_built_otherwise_are_known(kind: str, name: str) -> None:
    message = refused(file_of({"model": {name: torch.ones(2, 2), "other.weight": torch.ones(2)}}), "otherwise")
    assert f"named as in {kind}: {DIFFERENCES.get(kind, UNSAID)}" in message


@pytest.mark.parametrize("before", ["base_model.model.", "base_model.model.model.", ""])
def test_adapters_without_their_base_are_called_so(before: str) -> None:
    names = [f"{before}encoder.layers.0.self_attn.q_proj.lora_{part}.weight" for part in "AB"]
    message = refused({name: torch.ones(2, 4) for name in names}, "adapter")
    assert "self_attn.q_proj.lora_A.weight is an adapter of LoRA, which belongs to a base model" in message


def test_names_of_no_model_that_is_known_are_told_by_the_first() -> None:
    message = refused({"layer1.0.conv1.weight": torch.ones(2, 2), "fc.bias": torch.ones(2)}, "names")
    assert "as layer1.0.conv1.weight, are those of no model" in message
    assert "src_embed.0.lut.weight" in message


def test_a_large_vocabulary_opens_here_and_a_small_file_does_not_become_a_large_model() -> None:
    model = make_model(1200, 3000, N=1, d_model=8, d_ff=12, h=2).eval()
    found = load_any(file_of(model.state_dict()), h=2)
    assert (found.config.vocab, found.config.tgt_vocab) == (1200, 3000)
    assert [len(each) for each in found.config.vocabularies] == [1200, 3000]
    claims = STATE | {"src_embed.0.lut.weight": torch.zeros(1).expand(10**9, 12)}
    refused(file_of(claims), "large")


def test_tied_matrices_of_a_model_of_ours_are_saved_under_every_name() -> None:
    config = TrainConfig(task="copy", vocab=7, length=6, N=1, d_model=8, h=2, d_ff=12, steps=3)
    model: Any = fresh_model(config)
    model.generator.proj.weight = model.tgt_embed[0].lut.weight
    found = load(to_bytes(model, config, 0)).model
    assert torch.equal(found.generator.proj.weight, model.tgt_embed[0].lut.weight)


def test_nothing_of_an_objects_state_is_copied() -> None:
    """An object may be given the same dictionary as often as the file likes."""
    shared = {str(at): at for at in range(100)}
    kept = unpacked(file_of([Words(shared)] * 3))
    assert len({id(each) for each in kept}) == 1
