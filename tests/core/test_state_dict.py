"""A model that was trained elsewhere: its numbers are those of the formulas, and nothing of its file is trusted."""

import io
import random

import numpy as np
import pytest
import torch
from torch import nn

from transformer_core import from_notes_names, make_model
from transformer_core.training.checkpoint import Checkpoint, to_bytes
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.state_dict import Imported, heads_of, load_any
from transformer_core.verify import formulas
from ui.run_limits import check_drawn

SIDES = ("src_embed.0.lut.weight", "tgt_embed.0.lut.weight")
EMBEDDING, MATRIX = SIDES[0], "encoder.layers.1.feed_forward.w_2.weight"


@pytest.fixture
def state():
    """A state dict of the Annotated Transformer's, to be spoiled: N 2, d_model 12, d_ff 20, vocabularies 9 and 8."""
    written = formulas.state_dict(np.random.default_rng(0))
    return {name: torch.tensor(value, dtype=torch.float32) for name, value in written.items()}


def file_of(value):
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


def refused(value, reason, **given):
    with pytest.raises(NotAModel) as refusal:
        load_any(file_of(value), **given)
    assert refusal.value.reason == reason
    return str(refusal.value)


def test_a_checkpoint_of_ours_is_read_as_one():
    config = TrainConfig(vocab=7, length=6, d_model=8, h=2, steps=30)
    found = load_any(to_bytes(fresh_model(config), config, 20))
    assert isinstance(found, Checkpoint)
    assert (found.config, found.step) == (config, 20)


@pytest.mark.parametrize("names", ["annotated", "notes"])
@pytest.mark.parametrize("buffers", [True, False])
def test_a_state_dict_computes_what_the_formulas_say(state, names, buffers):
    theirs = {name: value for name, value in state.items() if buffers or not name.endswith(".pe")}
    if names == "notes":
        theirs = formulas.notes_state({name: value.numpy() for name, value in theirs.items()})
    found = load_any(file_of(theirs), h=formulas.HEADS)
    assert isinstance(found, Imported)
    assert not found.model.training
    expected = formulas.expected({name: value.double().numpy() for name, value in state.items()})
    np.testing.assert_allclose(formulas.computed(found.model).numpy(), expected, rtol=0, atol=1e-5)


def test_its_sizes_are_read_from_its_shapes_and_its_task_is_unknown(state):
    config = load_any(file_of(state), h=3).config
    assert (config.N, config.d_model, config.h, config.d_ff) == (2, 12, 3, 20)
    assert (config.vocab, config.tgt_vocab) == (9, 8)
    assert config.parameters == sum(value.numel() for name, value in state.items() if not name.endswith(".pe"))
    assert [len(vocabulary) for vocabulary in config.vocabularies] == [9, 8]
    assert config.words is None
    assert config.answer((1, 2, 3)) is None


BEFORE = ["module.", "_orig_mod.", "model.", "module._orig_mod.", "_orig_mod.module.", "model.module._orig_mod.model."]


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("names", ["annotated", "notes"])
def test_a_wrapped_model_is_read_as_what_was_wrapped(state, before, names):
    theirs = state if names == "annotated" else formulas.notes_state({k: v.numpy() for k, v in state.items()})
    found = load_any(file_of({before + name: weight for name, weight in theirs.items()}), h=3).model.state_dict()
    plain = load_any(file_of(theirs), h=3).model.state_dict()
    assert all(torch.equal(found[name], plain[name]) for name in plain)


def test_a_beginning_that_only_some_names_have_is_theirs(state):
    some = {("module." if name == MATRIX else "") + name: weight for name, weight in state.items()}
    assert MATRIX in refused(some, "missing")


@pytest.mark.parametrize(("d_model", "h"), [(64, 8), (12, 6), (10, 5), (14, 7), (22, 2), (26, 2)])
def test_heads_left_open_are_eight_or_the_most_below_that_divide_d_model(d_model, h):
    found = load_any(file_of(make_model(5, 5, 1, d_model, 8, 1).state_dict()))
    assert found.config.h == h
    assert h in heads_of(d_model)


@pytest.mark.parametrize("norm_first", [True, False])
def test_the_form_left_open_is_told_by_the_norms_that_end_the_stacks(norm_first):
    torch.manual_seed(0)
    model = make_model(5, 5, 1, 8, 8, 2, norm_first=norm_first).eval()
    found = load_any(file_of(model.state_dict()), h=2)
    assert found.config.norm_first == norm_first
    sequences = torch.tensor([[1, 2, 3]]), torch.tensor([[1, 4]]), None, None
    torch.testing.assert_close(found.model(*sequences), model(*sequences))


def test_the_form_can_be_said_where_the_names_do_not_tell_it():
    torch.manual_seed(0)
    model = make_model(5, 5, 1, 8, 8, 2, norm_first=False)
    model.encoder.norm, model.decoder.norm = nn.LayerNorm(8), nn.LayerNorm(8)  # as who changed the sub-layer alone
    model.eval()
    found = load_any(file_of(model.state_dict()), h=2, norm_first=False)
    sequences = torch.tensor([[1, 2, 3]]), torch.tensor([[1, 4]]), None, None
    torch.testing.assert_close(found.model(*sequences), model(*sequences))
    assert load_any(file_of(model.state_dict()), h=2).config.norm_first
    assert found.config.parameters == sum(parameter.numel() for parameter in model.parameters())


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_numbers_of_another_width_become_ours(state, dtype):
    weights = {name: value.to(dtype) for name, value in state.items() if not name.endswith(".pe")}
    weight = load_any(file_of(weights), h=3).model.get_parameter(MATRIX)
    assert weight.dtype == torch.float32
    assert torch.equal(weight, weights[MATRIX].float())


@pytest.mark.parametrize(
    ("reason", "tensor"),
    [
        ("shape", torch.zeros(20, 12)),
        ("shape", torch.zeros(1).expand(12, 20, 10**9)),
        ("tensor", torch.zeros(12, 20, dtype=torch.int64)),
        ("tensor", torch.zeros(12, 20, dtype=torch.complex64)),
        ("tensor", torch.zeros(12, 20).to_sparse()),
        ("tensor", {"weight": torch.zeros(12, 20)}),
        ("tensor", "weight"),
        ("empty", torch.zeros(12, 20, device="meta")),
        ("values", torch.full((12, 20), torch.nan)),
        ("values", torch.full((12, 20), 1e300, dtype=torch.float64)),  # none of float32's
    ],
)
def test_a_tensor_that_does_not_fit_is_refused_by_its_name(state, reason, tensor):
    assert MATRIX in refused(state | {MATRIX: tensor}, reason, h=3)


def test_a_missing_and_a_further_name_are_said(state):
    assert "decoder.norm.b_2" in refused({k: v for k, v in state.items() if k != "decoder.norm.b_2"}, "missing")
    assert EMBEDDING in refused({k: v for k, v in state.items() if k != EMBEDDING}, "missing")
    assert "encoder.lstm" in refused(state | {"encoder.lstm": torch.zeros(1)}, "extra")
    assert "?" in refused(state | {3: torch.zeros(1)}, "extra")


@pytest.mark.parametrize(
    ("reason", "values", "change"),
    [
        ("vocabulary", {"source": 10**9, "target": 8, "most": 1000}, {EMBEDDING: torch.zeros(1).expand(10**9, 12)}),
        ("range", {"name": "vocab"}, {EMBEDDING: torch.zeros(2, 12)}),
        ("range", {"name": "target", "low": 3}, {"tgt_embed.0.lut.weight": torch.zeros(1).expand(2, 12)}),
        ("range", {"name": "d_model"}, {EMBEDDING: torch.zeros(1).expand(9, 10**9)}),
        ("range", {"name": "d_ff"}, {"encoder.layers.0.feed_forward.w_1.weight": torch.zeros(1).expand(10**9, 12)}),
        ("range", {"name": "N"}, {f"encoder.layers.{at}.norm": torch.zeros(1) for at in range(99)}),
        ("missing", {"names": "encoder.layers.2"}, {"encoder.layers.9999.norm": torch.zeros(1)}),
        ("odd", {"d_model": 13}, {EMBEDDING: torch.zeros(9, 13)}),
    ],
)
def test_sizes_that_cannot_be_shown_are_refused_before_a_model_is_built(state, reason, values, change, monkeypatch):
    monkeypatch.setattr("transformer_core.training.shape.ModelShape.build", lambda shape: pytest.fail("it was built"))
    with pytest.raises(NotAModel) as refusal:
        load_any(file_of(state | change), check=check_drawn)
    assert refusal.value.reason == reason
    assert refusal.value.values.items() >= values.items()


def test_heads_that_do_not_divide_d_model_are_refused(state):
    assert "cannot be cut into 5 heads" in refused(state, "heads", h=5)


def test_a_small_file_does_not_become_a_large_model():
    """Every weight repeats one number: a few kilobytes, and shapes that are allowed one by one."""
    with torch.device("meta"):
        shapes = {name: value.shape for name, value in make_model(900, 900, 6, 256, 1024, 8).named_parameters()}
    content = file_of({name: torch.zeros(1).expand(shape) for name, shape in shapes.items()})
    with pytest.raises(NotAModel, match="at most 8 MB") as refusal:
        load_any(content, most=8 * 2**20)
    assert refusal.value.reason == "large"
    with pytest.raises(NotAModel, match="at most"):
        load_any(bytes(2**20 + 1), most=2**20)


def test_a_position_code_other_than_the_papers_is_refused(state):
    code = state["tgt_embed.1.pe"]
    assert "src_embed.1.pe" in refused(state | {"src_embed.1.pe": code + 0.1}, "code_differs", h=3)
    assert "src_embed.1.pe" in refused(state | {"src_embed.1.pe": code[0, 0]}, "shape", h=3)
    assert "src_embed.1.pe" in refused(state | {"src_embed.1.pe": code[:, :1].expand(1, 10**8, 12)}, "shape", h=3)
    assert "src_embed.1.pe" in refused(state | {"src_embed.1.pe": 3}, "tensor", h=3)


SAVED = {
    "state_dict": lambda state: {"epoch": 3, "state_dict": state, "hyper_parameters": {"h": 3}},
    "model_state_dict": lambda state: {
        "model_state_dict": state,
        "optimizer_state_dict": {"state": {0: {"step": torch.tensor(1.0)}}, "param_groups": [{"lr": 0.1}]},
        "loss": torch.tensor(0.5),
    },
    "model": lambda state: {"args": None, "model": state},
    "two levels": lambda state: {"state_dict": {"model": state}},
    "and a prefix": lambda state: {"state_dict": {f"model.{name}": weight for name, weight in state.items()}},
}


@pytest.mark.parametrize("wrap", SAVED.values(), ids=SAVED)
def test_what_a_training_loop_saves_is_read_at_its_level(state, wrap):
    found = load_any(file_of(wrap(state)), h=3).model.state_dict()
    plain = load_any(file_of(state), h=3).model.state_dict()
    assert found.keys() == plain.keys()
    assert all(torch.equal(found[name], plain[name]) for name in plain)


def test_a_state_dict_in_hand_needs_no_file(state):
    found, plain = load_any(state, h=3).model.state_dict(), load_any(file_of(state), h=3).model.state_dict()
    assert all(torch.equal(found[name], plain[name]) for name in plain)
    assert found[MATRIX].data_ptr() != state[MATRIX].data_ptr()


def test_levels_that_have_no_end_are_left():
    endless: dict[str, object] = {}
    endless["state_dict"] = endless
    refused(endless, "parts")
    assert EMBEDDING in refused({"module." * 1000 + "weight": torch.zeros(1)}, "names")


def test_what_holds_no_tensors_under_names_is_no_model():
    values: tuple[object, ...] = ([], 3, {}, {"a": 1}, {"state_dict": {}}, {"state_dict": {"a": 1}}, {"weights": {}})
    for value in values:
        assert "no model saved by this program" in refused(value, "parts")


def test_a_file_from_before_archives_is_named_as_such_and_opens_when_saved_anew(state):
    old = io.BytesIO()
    torch.save(state, old, _use_new_zipfile_serialization=False)
    with pytest.raises(
        NotAModel, match=r"before 1\.6; save it anew: torch\.save\(torch\.load\(file\), file\)"
    ) as refusal:
        load_any(old.getvalue())
    assert refusal.value.reason == "legacy"
    anew = file_of(torch.load(io.BytesIO(old.getvalue()), weights_only=True))
    assert torch.equal(load_any(anew, h=3).model.get_parameter(MATRIX), state[MATRIX])


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("torch.nn.Transformer", "transformer.encoder.layers.0.self_attn.in_proj_weight"),
        ("Hugging Face", "model.encoder.layers.0.self_attn.q_proj.weight"),
        ("Hugging Face", "encoder.block.0.layer.0.SelfAttention.q.weight"),
    ],
)
def test_a_model_that_is_built_otherwise_is_called_by_its_kind(kind, name):
    assert f"{kind}: `explain`" in refused({name: torch.zeros(2, 2), "lm_head.weight": torch.zeros(2, 2)}, "elsewhere")


def test_too_many_words_are_refused_in_words_that_fit(state):
    for names, source, target in ((SIDES[:1], 37_000, 8), (SIDES[1:], 9, 1001), (SIDES, 37_000, 37_000)):
        change = {name: torch.zeros(1).expand(source if name == EMBEDDING else target, 12) for name in names}
        message = refused(state | change, "vocabulary", check=check_drawn)
        assert f"{source} tokens of the source and {target} of the target, of which at most 1000" in message


def test_of_a_truncated_or_spoiled_file_nothing_is_read(state):
    content, chance = file_of(state), random.Random(0)
    for length in (0, 10, len(content) // 2, len(content) - 1):
        with pytest.raises(NotAModel, match="damaged"):
            load_any(content[:length])
    good = load_any(content, h=3).model.state_dict()
    for _ in range(60):
        spoiled = bytearray(content)
        spoiled[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        try:
            found = load_any(bytes(spoiled), h=3).model.state_dict()
        except NotAModel:
            continue
        assert all(torch.equal(found[name], good[name]) for name in good)


def test_the_global_seed_is_left_as_it_was(state):
    before = torch.get_rng_state()
    load_any(file_of(from_notes_names(state)), h=3)
    assert torch.equal(torch.get_rng_state(), before)
