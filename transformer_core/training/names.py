"""Under which names a file from elsewhere holds the parameters of a model, and at which level of it."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from transformer_core.notes import from_notes_names
from transformer_core.training.archive import NotAModel

LEVELS = ("state_dict", "model_state_dict", "model_state", "model", "net", "network", "module", "params")
WRAPPERS = ("module.", "_orig_mod.", "model.")  # nn.DataParallel's, torch.compile's, a training loop's own
MOST_LEVELS = 8  # of either: no model is wrapped as often
ELSEWHERE = {  # how the names of models end that are built otherwise
    "torch.nn.Transformer": ("self_attn.in_proj_weight", "self_attn.q_proj_weight"),
    "Hugging Face": ("self_attn.q_proj.weight", "SelfAttention.q.weight", "attention.self.query.weight"),
}


def state_in(found: Any) -> Any:
    """The state dict in what a training loop has saved, beside an optimiser or an epoch; else what was found."""
    for _ in range(MOST_LEVELS):
        if not isinstance(found, dict):
            break
        found = next((inner for name in LEVELS if isinstance(inner := found.get(name), dict) and inner), found)
    return found


def is_state(found: Any) -> bool:
    """Whether there are tensors in it, by their names."""
    return isinstance(found, Mapping) and any(isinstance(value, Tensor) for value in found.values())


def our_names(found: Mapping[Any, Any]) -> dict[str, Any]:
    """The same weights under our names: those of the notes, and what wrappers put before every name of a model.

    NotAModel if they are the names of a model that is built otherwise.
    """
    state = {name if isinstance(name, str) else "?": weight for name, weight in found.items()}
    for _ in range(MOST_LEVELS):
        wrapper = next((each for each in WRAPPERS if all(name.startswith(each) for name in state)), "")
        state = {name.removeprefix(wrapper): weight for name, weight in state.items()}
    for kind, ends in ELSEWHERE.items():
        if any(name.endswith(ends) for name in state):
            message = f"these are the parameters of another model, named as in {kind}: `explain` reads the model itself"
            raise NotAModel("elsewhere", message, kind=kind)
    return from_notes_names(state)
