"""The lines of Python that find gradients again, of the model before its first update where there is one."""

from dataclasses import replace

from ui.chapters.shared.forward.stops import ForwardStop
from ui.chapters.shared.forward.values import TurnTensors
from ui.chapters.shared.model_program import config_source, model_snippet
from ui.model import ModelAtHand


def origin(at_hand: ModelAtHand) -> ModelAtHand:
    return at_hand if at_hand.step is None else replace(at_hand, step=0)


def early_model(at_hand: ModelAtHand) -> str:
    """Leaves it in `model`."""
    if at_hand.step is None:
        return model_snippet(at_hand)
    return (
        "import torch\nfrom transformer_core.training.config import TrainConfig\n"
        "from transformer_core.training.models import fresh_model\n\n"
        f"model = fresh_model({config_source(at_hand.run)}).eval()\n"
    )


def program(at_hand: ModelAtHand, stop: ForwardStop, values: TurnTensors, at: int, head: int) -> str:
    """Leaves the gradient of a stop in `shown`."""
    shown = f"found['{stop.path.removeprefix('∂')}']"
    if values[stop.path].dim() > 2:
        shown += f"[0, {head}]" if values[stop.path].dim() == 4 else "[0]"
    src, given, right = values["src"].tolist(), values["ys"].tolist(), int(values["right"])
    return (
        f"{early_model(at_hand)}from transformer_core import padding_mask, record, target_mask\n"
        "from transformer_core.backward import backward\n\n"
        f"src, given = torch.tensor({src}), torch.tensor({given})\n"
        "masks = padding_mask(src), target_mask(given)\n"
        "with torch.no_grad(), record(model) as trace:\n"
        "    log_probs = model.generator(model(src, given, *masks))\n"
        "    gradient = torch.zeros_like(log_probs)\n"
        f"    gradient[0, {at}] = log_probs[0, {at}].exp()\n"
        f"    gradient[0, {at}, {right}] -= 1\n"
        "    found = backward(model, trace, src, given, *masks, gradient)\n"
        f"shown = {shown}\nprint(shown)\n"
    )
