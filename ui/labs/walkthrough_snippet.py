"""The lines of Python that compute a stop's tensor again."""

from ui.labs.model_snippet import model_snippet
from ui.labs.walkthrough_stops import Stop
from ui.labs.walkthrough_values import Values
from ui.session import ModelAtHand

OWN = {
    "src": "src",
    "src_mask": "src_mask",
    "ys": "ys",
    "tgt_mask": "tgt_mask",
    "last": "last",
    "choice": "choice",
    "next": "torch.cat([ys, choice.unsqueeze(1)], dim=1)",
}


def walk_snippet(at_hand: ModelAtHand, stop: Stop, values: Values) -> str:
    """Leaves the tensor in `shown`."""
    learned = f"model.get_parameter('{stop.path}').detach()"
    traced = f"trace['{stop.path}']"
    shown = OWN.get(stop.path) or (learned if stop.path.endswith((".weight", ".bias")) else traced)
    return (
        f"{model_snippet(at_hand)}"
        "from transformer_core import padding_mask, record, subsequent_mask\n\n"
        f"src, ys = torch.tensor({values['src'].tolist()}), torch.tensor({values['ys'].tolist()})\n"
        "src_mask, tgt_mask = padding_mask(src), subsequent_mask(ys.size(1))\n"
        "with torch.no_grad(), record(model) as trace:\n"
        "    memory = model.encode(src, src_mask)\n"
        "    last = model.decode(memory, src_mask, ys, tgt_mask)[:, -1]\n"
        "    choice = model.generator(last).argmax(-1)\n"
        f"shown = {shown}\n"
        "print(shown.shape, shown, sep='\\n')\n"
    )
