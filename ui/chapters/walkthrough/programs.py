"""The lines of Python that compute a stop's tensor again."""

from ui.chapters.shared.forward.board import one_head
from ui.chapters.shared.forward.stops import ForwardStop
from ui.chapters.shared.forward.values import TurnTensors
from ui.chapters.shared.model_program import model_snippet
from ui.model import ModelAtHand

# Of the values of the loop itself, those that are not simply called by their names.
OWN = {
    "src_mask": "src_mask[0]",
    "tgt_mask": "tgt_mask[0]",
    "next": "torch.cat([ys, choice.unsqueeze(1)], dim=1)",
}


def walk_snippet(at_hand: ModelAtHand, stop: ForwardStop, values: TurnTensors, head: int) -> str:
    """Leaves the tensor in `shown`, without the batch of one: all its heads side by side, or the one that is shown."""
    return (
        f"{model_snippet(at_hand)}"
        "from transformer_core import padding_mask, record, subsequent_mask\n\n"
        f"src, ys = torch.tensor({values['src'].tolist()}), torch.tensor({values['ys'].tolist()})\n"
        "src_mask, tgt_mask = padding_mask(src), subsequent_mask(ys.size(1))\n"
        "with torch.no_grad(), record(model) as trace:\n"
        "    memory = model.encode(src, src_mask)\n"
        "    last = model.decode(memory, src_mask, ys, tgt_mask)[:, -1]\n"
        "    choice = model.generator(last).argmax(-1)\n"
        f"shown = {_shown(stop, values, head)}\n"
        "print(shown)\n"
    )


def _shown(stop: ForwardStop, values: TurnTensors, head: int) -> str:
    tensor, traced = values[stop.path], f"trace['{stop.path}']"
    if stop.path.endswith((".weight", ".bias")):
        return f"model.get_parameter('{stop.path}').detach()"
    if tensor.dim() == 4:
        return f"{traced}[0, {head}]" if one_head(tensor) else f"torch.cat(list({traced}[0]), dim=1)"
    if "." not in stop.path:
        return OWN.get(stop.path, stop.path)
    return f"{traced}[0]" if tensor.dim() == 3 else traced
