"""Which word's loss it is and which weight is looked at: settings of several sections; and the values behind them."""

from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor

from transformer_core import PAD, EncoderDecoder, padding_mask, record, target_mask
from transformer_core.backward import backward
from transformer_core.verify.autograd import by_autograd
from ui.chapters.backward.stops import route
from ui.chapters.shared.forward.stops import ForwardStop
from ui.chapters.shared.forward.values import TurnTensors, learned
from ui.chapters.shared.model_program import config_source, model_snippet
from ui.chapters.shared.word_choice import early, given_right
from ui.model import ModelAtHand, answer, made
from ui.sections import Chapter
from ui.settings.fields import Settings, text, whole

FIRST = "encoder.layers.0.self_attn.linears.3.weight"  # to which every token has a say


class OfWord(Settings):
    word: int = whole(99, 0, 99)  # of the answer; its last one where there is no such


class ChosenParameter(Settings):
    matrix: str = text(FIRST, 100)  # any parameter, by its name; the nearest one where there is no such
    out: int = whole(0, 0, 9999)  # its row: which output, of a table which word; vectors have one
    into: int = whole(0, 0, 9999)  # its column: which input


def word_of(chapter: Chapter[OfWord], target: tuple[int, ...]) -> int:
    return min(chapter.settings.word, max(0, len(target) - 3))


ROLES = ("query", "key", "value")


def back_values(at_hand: ModelAtHand, src: tuple[int, ...], at: int) -> TurnTensors:
    """Of the model before its first update, where there is one. The loss is −ln p of the word `right` at place `at` of
    the answer."""
    target = answer(at_hand, src)
    return made(at_hand, ("backward", src, at), lambda model: there_and_back(early(at_hand, model), src, target, at))


def there_and_back(model: EncoderDecoder, src: tuple[int, ...], target: tuple[int, ...], at: int) -> dict[str, Tensor]:
    """Besides the recorded values and the parameters: the tokens and masks, the target as a table of zeros and a one,
    and the heads' gradients side by side as `joined`. ValueError if the backward pass does not know the model."""
    sources, given, answers = (torch.tensor([tokens]) for tokens in (src, target[:-1], target[1:]))
    src_mask, tgt_mask = padding_mask(sources, PAD), target_mask(given, PAD)
    with torch.no_grad(), record(model) as trace:
        log_probs = model.generator(model(sources, given, src_mask, tgt_mask))
        hit = torch.zeros_like(log_probs)
        hit[0, at, answers[0, at]] = 1.0
        counted = torch.zeros((*log_probs.shape[:-1], 1))
        counted[0, at] = 1.0
        found = backward(model, trace, sources, given, src_mask, tgt_mask, counted * log_probs.exp() - hit)
    own = {
        "src": sources, "ys": given, "src_mask": src_mask, "tgt_mask": tgt_mask, "target": hit, "counted": counted,
        "right": answers[:, at], "src.places": places(sources, model, "src"), "ys.places": places(given, model, "tgt"),
    }  # fmt: skip
    return learned(model) | trace | own | gradients(found)


def held(at_hand: ModelAtHand, src: tuple[int, ...], at: int) -> Mapping[str, float]:
    """How far each gradient of `back_values` is from autograd's, at most, by the gradient's path."""
    found, target = back_values(at_hand, src, at), answer(at_hand, src)

    def judge(model: EncoderDecoder) -> dict[str, float]:
        own = early(at_hand, model)
        expected = by_autograd(own, lambda: -given_right(own, src, target[:-1])[at, target[at + 1]])
        paths = [path for path in expected if f"∂{path}" in found]
        return {f"∂{path}": float((found[f"∂{path}"] - expected[path]).abs().max()) for path in paths}

    return made(at_hand, ("held", src, at), judge)


def no_numbers(at_hand: ModelAtHand, src: tuple[int, ...], at: int) -> list[ForwardStop]:
    """The stops, in the order of the way back, where a gradient of `back_values` is infinite or no number at all."""
    found = back_values(at_hand, src, at)
    return made(
        at_hand,
        ("no numbers", src, at),
        lambda model: [stop for stop in route(model) if not found[stop.path].isfinite().all()],
    )


def gradients(found: Mapping[str, Tensor]) -> dict[str, Tensor]:
    named = {f"∂{path}": value for path, value in found.items()}
    heads = {path: value for path, value in named.items() if path.endswith(ROLES) and value.dim() == 4}
    return named | {f"{path}.joined": value.transpose(1, 2).flatten(-2) for path, value in heads.items()}


def places(ids: Tensor, model: EncoderDecoder, side: str) -> Tensor:
    """(1, length, vocab): 1 where a token stands."""
    vocab = model.get_parameter(f"{side}_embed.0.lut.weight").size(0)
    return torch.nn.functional.one_hot(ids, vocab).float()


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
