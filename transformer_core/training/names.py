"""Under which names a file from elsewhere holds the parameters of a model, and at which level of it."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from torch import Tensor

from transformer_core.notes.epoch import from_notes_names
from transformer_core.training.archive import MOST_ENTRIES, Other
from transformer_core.training.elsewhere_names import (
    BUILT_OTHERWISE,
    DIFFERENCES,
    EXPLAINED,
    FIRST_TABLES,
    UNSAID,
    completed,
    renamed,
)
from transformer_core.training.kinds import of_kind
from transformer_core.training.not_a_model import NotAModel, damaged, is_code

LEVELS = ("state_dict", "model_state_dict", "model_state", "model", "net", "network", "module", "params")
WRAPPERS = ("module.", "_orig_mod.", "model.")  # nn.DataParallel's, torch.compile's, a training loop's own
WITHIN = re.compile(r"\.(?:module|_orig_mod|_fsdp_wrapped_module|_checkpoint_wrapped_module)(?=\.)")
COUNTED = ("n_averaged",)  # beside the parameters: by AveragedModel
MOST_LEVELS = 8  # of either: no model is wrapped as often
MOST_MODULES = 16  # within each other
PARTS = ("encoder", "decoder", "src_embed", "tgt_embed", "generator")
ADAPTER = re.compile(r"\.lora_(?:[AB]|embedding_[AB]|magnitude_vector)\b")
SPLIT = re.compile(r"\.parametrizations\.|\.weight_[gv]$|\.weight_orig$")  # as weight and spectral norms do
OURS = re.compile(
    r"(src|tgt)_embed\.0\.lut\.|generator\.proj\.|((encoder|decoder)\.)?layers\.\d+\."
    r"((self|src)_attn\.linears|feed_forward\.w_[12]|sublayer\.\d\.norm)\."
)


def state_in(found: Any) -> Any:
    """The state dict in what a training loop has saved, beside an optimiser or an epoch, or of a model that was saved
    whole; else what was found."""
    for _ in range(MOST_LEVELS):
        found = _opened(found)
        if isinstance(found, list | tuple):
            found = dict(enumerate(found))
        if not isinstance(found, dict):
            break
        if joined := _joined(found):
            return joined
        within = [inner for name in LEVELS if isinstance(inner := _opened(found.get(name)), dict) and inner]
        if not within and not is_state(found) and "format" not in found:  # which a file of ours has
            within = [inner for value in found.values() if is_state(inner := _opened(value))]
            within = within if len(within) == 1 else []
        found = next(iter(within), found)
    return found


def is_state(found: Any) -> bool:
    """Whether there are tensors in it, by their names."""
    return isinstance(found, Mapping) and any(isinstance(value, Tensor) for value in found.values())


def _joined(found: Mapping[Any, Any]) -> dict[str, Any]:
    """One state dict of those of a model's parts, where a training loop saves each under its own name; or the generator
    alone, beside the rest."""
    rest = _opened(found.get("model"))
    parts = {name: part for name in PARTS if is_state(part := _opened(found.get(name)))}
    if not {"encoder", "decoder"} <= parts.keys() and not (is_state(rest) and "generator" in parts):
        return {}
    apart = {f"{name}.{end}": weight for name, part in parts.items() for end, weight in part.items()}
    return apart | dict(rest) if is_state(rest) else apart


def refuse_objects(found: Any) -> None:
    """NotAModel where objects stand instead of tensors: a model of which no parameters are found, arrays of NumPy's."""
    if isinstance(found, Other):
        raise is_code(found.name)
    if isinstance(found, Mapping):
        for name, value in found.items():
            if isinstance(value, Other) and value.name.rpartition(".")[2].startswith("_rebuild"):
                message = f"{name!s:.80} is no plain tensor of floating-point numbers, but of {value.name:.60}"
                raise NotAModel("tensor", message, name=f"{name!s:.80}")
        kinds = [each.name if isinstance(each, Other) else type(each).__module__ for each in found.values()]
        if any(kind.partition(".")[0] == "numpy" for kind in kinds):
            raise of_kind("NumPy")
        for name in LEVELS:
            if isinstance(inner := found.get(name), Other):
                raise is_code(inner.name)


def our_names(found: Mapping[Any, Any]) -> dict[str, Any]:
    """The same weights under our names: those of the notes, of others who build the same blocks, and what wrappers put
    before and between the names of a model.

    NotAModel if they are the names of a model that is built otherwise, of several models, or of a part of one.
    """
    state = {name if isinstance(name, str) else "?": weight for name, weight in found.items() if name not in COUNTED}
    state = {WITHIN.sub("", name): weight for name, weight in state.items()}
    for _ in range(MOST_LEVELS):
        wrapper = next((each for each in WRAPPERS if all(name.startswith(each) for name in state)), "")
        state = {name.removeprefix(wrapper): weight for name, weight in state.items()}
    before = {name.removesuffix(end) for end in FIRST_TABLES for name in state if f".{name}".endswith(f".{end}")}
    if len(before) > 1:
        names = ", ".join(f"{each:.40}" for each in sorted(before)[:3])
        message = f"the file holds several models: {names}; hand over the parameters of one, by their names without it"
        raise NotAModel("several", message, names=names)
    model = next(iter(before), "")
    ours = {name.removeprefix(model): weight for name, weight in state.items() if name.startswith(model)}
    ours = completed(renamed(from_notes_names(ours)))
    _check(ours)
    return ours


def _check(names: Iterable[str]) -> None:
    """NotAModel where they say that it is another model, or a part of one."""
    if adapter := next((name for name in names if ADAPTER.search(name)), ""):
        message = (
            f"{adapter:.80} is an adapter of LoRA, which belongs to a base model; merge the two, "
            "model.merge_and_unload(), and save that"
        )
        raise NotAModel("adapter", message, name=f"{adapter:.80}")
    for reason, kinds in {"otherwise": BUILT_OTHERWISE, "elsewhere": EXPLAINED}.items():
        for kind, ends in kinds.items():
            if any(f".{name}".endswith(ends) for name in names):
                instead = "`explain` reads the model itself" if reason == "elsewhere" else DIFFERENCES.get(kind, UNSAID)
                message = f"these are the parameters of another model, named as in {kind}: {instead}"
                raise NotAModel(reason, message, kind=kind)
    if split := next((name for name in names if SPLIT.search(name)), ""):
        message = (
            f"{split:.80} is a part of a weight; make one of the parts, and save anew: "
            "torch.nn.utils.parametrize.remove_parametrizations(module, 'weight')"
        )
        raise NotAModel("split", message, name=f"{split:.80}")
    ours = [name for name in names if OURS.match(name)]
    if not ours:
        first = f"{next(iter(names), ''):.60}"
        message = (
            f"the names in the file, as {first}, are those of no model that is known here; read are the names of the "
            f"Annotated Transformer, as {FIRST_TABLES[0]}"
        )
        raise NotAModel("names", message, first=first)
    stacks = {"encoder", "decoder"} & {name.partition(".")[0] for name in ours}
    if any(name.startswith("layers.") for name in ours):
        stacks = {"decoder" if any(".src_attn." in name for name in ours) else "encoder"}
    if len(stacks) == 1:
        (stack,) = stacks
        whole = any(name.startswith("generator.") for name in ours) and not any(".src_attn." in name for name in ours)
        made = f"make_{'gpt' if stack == 'decoder' else 'bert'}(…)" if whole else f"make_model(…).{stack}"
        message = (
            f"the file holds the {stack} alone, and read here is a whole encoder-decoder; {made} takes it, with "
            "load_state_dict"
        )
        raise NotAModel("part", message, stack=stack)


def _opened(value: Any) -> Any:
    """What a dictionary of somebody's class holds, or the parameters of a whole module; any other value as it is."""
    if not isinstance(value, Other):
        return value
    return value.items or parameters_of(value) or value


def parameters_of(module: Other) -> dict[str, Any]:
    """Of a module that was pickled whole, by their names in its state dict; none if it was no module."""
    found: dict[str, Any] = {}
    modules = [(module, "", 0)]
    for each, path, depth in modules:
        for kind in ("_parameters", "_buffers", "_modules"):
            within = each.state.get(kind) if isinstance(each.state, dict) else None
            for name, value in within.items() if isinstance(within, dict) else ():
                within_path = f"{path}{str(name)[:80]}"
                if isinstance(value, Other) and kind == "_modules" and depth < MOST_MODULES:
                    modules.append((value, f"{within_path}.", depth + 1))
                elif isinstance(value, Tensor):
                    found[within_path] = value
                if len(modules) + len(found) > MOST_ENTRIES:  # a module may stand in itself
                    raise damaged()
    return found
