"""How much of the gradient reaches each layer of a model that has several: pre-norm, and the same with post-norm."""

from dataclasses import replace
from functools import partial

import torch
from torch import Tensor

from transformer_core import EncoderDecoder
from transformer_core.training.models import fresh_model
from transformer_core.verify.autograd import by_autograd
from ui.chapters.backward.values import OfWord, origin, word_of
from ui.chapters.shared.depth import on_layers, say_which
from ui.chapters.shared.model_program import config_source
from ui.chapters.shared.word_choice import given_right
from ui.figures import TWO_COLORS, Style, XAxis, YAxis, number, plotted
from ui.model import ModelAtHand, answer, made
from ui.sections import AnyChapter, Frame, Section, show
from ui.sections.sequence_fields import typed

ARRANGEMENTS = {"pre": True, "post": False}
WAY_BACK = ("decoder", "encoder")


@Section("by_layer", text="text", reads=(Frame, OfWord), when=lambda chapter: chapter.at_hand.step is not None)
def by_layer(chapter: AnyChapter) -> None:
    deep = on_layers(chapter)
    say, at_hand, src = deep.say, deep.at_hand, typed(chapter, "src")
    target = answer(at_hand, src)
    if len(target) < 2:
        return
    at, N = word_of(chapter.of(OfWord), target), at_hand.config.N
    numbers = made(at_hand, ("by layer", src, at), lambda _: reaching(at_hand, src, target, at)).numpy()
    stops = [say(f"by_layer.{stack}", n=n) for stack in WAY_BACK for n in reversed(range(N))]
    figure = plotted(
        "by_layer",
        numbers,
        [say("by_layer.layer"), *(say(f"by_layer.{name}") for name in ARRANGEMENTS)],
        origin(at_hand).provenance("|∂*.layers.*.output|", 2, len(numbers)),
        code=[by_autograd],
        program=_program(at_hand, src, target, at),
        x_axis=XAxis(stops=stops),
        y_axis=YAxis(say("residual.norm")),
        style=Style(colors=TWO_COLORS, markers=True),
        height=320,
        alt=say("by_layer.alt", layers=N),
    )
    show(deep, figure)
    said = {
        f"{name}_{when}": number(float(numbers[row, column]), 2)
        for column, name in enumerate(ARRANGEMENTS, 1)
        for when, row in (("last", 0), ("first", N - 1))
    }
    chapter.write("by_layer.measured", word=at_hand.target.labels(target)[at + 1], **said)
    say_which(chapter, deep)


def reaching(at_hand: ModelAtHand, src: tuple[int, ...], target: tuple[int, ...], at: int) -> Tensor:
    """(2 N, 3): the place on the way back, and the length of the gradient there, in either arrangement of the same
    first weights."""
    layers = [f"{stack}.layers.{n}.output" for stack in WAY_BACK for n in reversed(range(at_hand.config.N))]
    lengths = []
    for first in ARRANGEMENTS.values():
        model = fresh_model(replace(at_hand.run, norm_first=first)).eval()
        loss = partial(_loss, model, src, target, at)
        found = by_autograd(model, loss)
        lengths.append(torch.stack([found[path].double().norm() for path in layers]))
    return torch.stack([torch.arange(len(layers)), *lengths], dim=1)


def _loss(model: EncoderDecoder, src: tuple[int, ...], target: tuple[int, ...], at: int) -> Tensor:
    return -given_right(model, src, target[:-1])[at, target[at + 1]]


def _program(at_hand: ModelAtHand, src: tuple[int, ...], target: tuple[int, ...], at: int) -> str:
    return (
        "from dataclasses import replace\n\nimport torch\nfrom transformer_core import padding_mask, target_mask\n"
        "from transformer_core.training.config import TrainConfig\n"
        "from transformer_core.training.models import fresh_model\n"
        "from transformer_core.verify.autograd import by_autograd\n\n"
        f"config = {config_source(at_hand.run)}\n"
        f"src, given = torch.tensor([{list(src)}]), torch.tensor([{list(target[:-1])}])\n\n\n"
        "def lengths(norm_first):\n"
        "    model = fresh_model(replace(config, norm_first=norm_first)).eval()\n\n"
        "    def loss():\n"
        "        out = model(src, given, padding_mask(src), target_mask(given))\n"
        f"        return -model.generator(out)[0, {at}, {target[at + 1]}]\n\n"
        "    found = by_autograd(model, loss)\n"
        f"    layers = [f'{{stack}}.layers.{{n}}.output' for stack in {WAY_BACK} for n in reversed(range(config.N))]\n"
        "    return torch.stack([found[path].double().norm() for path in layers])\n\n\n"
        "both = [lengths(True), lengths(False)]\n"
        "shown = torch.stack([torch.arange(2 * config.N), *both], dim=1)\nprint(shown)\n"
    )
