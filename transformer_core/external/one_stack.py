"""`explain` for models of one stack: those of Hugging Face's that `from_transformers` reads, and ours."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from transformer_core import trace
from transformer_core.after_2017.hugging_face import from_transformers, is_known
from transformer_core.after_2017.one_stack import OneStack
from transformer_core.after_2017.shape import OneStackShape
from transformer_core.external.explanation import Explanation, Names
from transformer_core.external.given import check_place, rounding
from transformer_core.external.layers import difference
from transformer_core.external.watch import evaluating
from transformer_core.trace import Change, Wanted, record

LOGITS = "generator.logits"


def of_one_stack(
    model: nn.Module,
    tokens: Tensor,
    names: Names | None,
    tolerance: float | None,
    wanted: Wanted | None,
    changes: Mapping[str, Change],
) -> Explanation:
    """The recording of `from_transformers(model)`, whose logits must be the model's own. ValueError if they are not,
    and for a model of another kind."""
    check_place(model, tokens, tokens)
    rows = tokens.view(-1, tokens.size(-1))
    if isinstance(model, OneStack):
        ours, differences = model, dict[str, float]()
    elif is_known(settings := _settings(model)):
        ours = from_transformers(model).to(rows.device)
        differences = {LOGITS: _held_to(model, ours, rows, settings, tolerance)}
    else:
        kind = type(model).__name__
        raise ValueError(f"the target is a NoneType, and {kind} is no model of one stack that `explain` reads without")
    with evaluating(list(ours.modules())), trace.intervene(ours, changes), record(ours, wanted) as recorded:
        ours.generator(ours(rows))
    stack, shape = ours.STACK, ours.shape
    return Explanation(recorded, {stack: rows}, {stack: names}, {stack: shape.N}, differences, remarks(shape))


def _settings(model: nn.Module) -> dict[str, Any]:
    """Of a model of theirs; of another one none."""
    found: dict[str, Any] = getattr(getattr(model, "config", None), "to_dict", dict)()
    return found


def _held_to(model: Any, ours: OneStack, rows: Tensor, settings: Mapping[str, Any], tolerance: float | None) -> float:
    """How far our logits are from the model's own, where no padding stands. ValueError if that is too far."""
    real = torch.ones_like(rows, dtype=torch.bool) if ours.shape.pad is None else rows != ours.shape.pad
    with evaluating([*model.modules(), *ours.modules()]), record(ours, LOGITS.__eq__) as recorded:
        ours.generator(ours(rows))
        mask = {} if ours.shape.pad is None else {"attention_mask": real.long()}
        theirs = model(input_ids=rows, **mask)
    found = difference(recorded[LOGITS][real], theirs.logits[real].to(recorded[LOGITS]))
    if not found <= (rounding(model) if tolerance is None else tolerance):
        kind, type_ = type(model).__name__, settings["model_type"]
        message = f"{kind} does otherwise than a {type_} that `explain` reads: its logits are off by {found:.2g}"
        raise ValueError(message)
    return found


def remarks(shape: OneStackShape) -> tuple[str, ...]:
    """In which the model is another one than the paper's."""
    groups = f"{shape.h} heads of queries have {shape.key_heads} of keys and values: *.self_attn.key"
    said = {
        "positions are looked up in a table of the model's own": shape.positions == "learned",
        "queries and keys are rotated by their positions: *.self_attn.unrotated_query, unrotated_key": (
            shape.positions == "rotary"
        ),
        "the rows are not multiplied by √d_model": not shape.scale_embeddings,
        "the embeddings are normalised before the first layer": shape.embedding_norm,
        "a norm, RMSNorm, subtracts no mean and adds no bias": shape.norm == "rms",
        f"the activation is {shape.feed_forward}, not ReLU": shape.feed_forward != "relu",
        groups: shape.key_heads != shape.h,
        f"a position sees {shape.window} positions at most: itself and those before it": shape.window is not None,
        "the scores are not divided by √d_k": not shape.scale,
        "the generator's matrix is the table of the embeddings": shape.tied,
    }
    return tuple(sentence for sentence, holds in said.items() if holds)
