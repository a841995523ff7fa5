"""What the model would say after each layer of the decoder: its last norm and generator, put behind each."""

from functools import partial

import numpy as np
import torch

from transformer_core import EncoderDecoder, Trace
from transformer_core.experiments.layer_readouts import layer_readouts
from ui.chapters.layers.places import trace_of
from ui.chapters.shared.attention_values import recording
from ui.chapters.shared.depth import on_layers, say_which
from ui.figures import Board, Drawing, Figure, Panel
from ui.figures.markup import Markup, element, glossed
from ui.model import measured
from ui.sections import AnyChapter, Section, show


@Section("readouts", look="open", text="text")
def readouts(chapter: AnyChapter) -> None:
    deep = on_layers(chapter)
    say, at_hand, typed = deep.say, deep.at_hand, deep.typed
    found = measured(at_hand, ("readouts", typed.src, typed.given), partial(_read, trace_of(deep)))
    likeliest, shares = found["likeliest"].numpy(), found["shares"].numpy()
    stops = [say("probes.start"), *(say("probes.layer", n=n) for n in range(at_hand.config.N))]
    panel = Panel(
        "share", shares, say("readouts.share"), typed.targets, stops, say("token_axis"), say("readouts.after"),
        scale="probability", print_values=True,
    )  # fmt: skip
    figure = Figure(
        "readouts",
        Drawing(_table(deep, stops, likeliest, shares), board=Board([panel])),
        at_hand.provenance("generator(decoder.norm(decoder.layers.*.output))", *shares.shape),
        columns=stops,
        code=[layer_readouts],
        program=(
            f"{recording(at_hand, typed)}"
            "from transformer_core.experiments.layer_readouts import layer_readouts\n\n"
            "log_probs = layer_readouts(model, trace)[:, 0]  # (1 + layers, T, vocab)\n"
            "final = log_probs[-1].argmax(-1)  # (T,)\n"
            "shown = log_probs.exp()[:, range(len(final)), final].T\nprint(shown)\n"
        ),
    )
    same = [int((at == likeliest[:, -1]).sum()) for at in likeliest.T]
    then = chapter.shell("comma").join(map(str, same[1:]))
    said = partial(chapter.write, "readouts.measured", first=same[0], then=then, count=len(likeliest))
    show(deep, figure, beside=[said, partial(say_which, chapter, deep)])


def _read(trace: Trace, model: EncoderDecoder) -> dict[str, torch.Tensor]:
    """(T, 1 + layers) each, of every position and layer: the likeliest token, and how likely the final one is."""
    log_probs = layer_readouts(model, trace)[:, 0]
    likeliest = log_probs.argmax(-1).T
    shares = log_probs.exp().take_along_dim(likeliest[None, :, -1:].expand(len(log_probs), -1, -1), -1)
    return {"likeliest": likeliest, "shares": shares.squeeze(-1).T.contiguous()}


def _table(chapter: AnyChapter, stops: list[str], likeliest: np.ndarray, shares: np.ndarray) -> Markup:
    """A row for each token that the decoder is given; a word in each cell, below it the probability of the last one."""
    say, target = chapter.say, chapter.at_hand.target
    heads = [element("th", name, scope="col") for name in (say("readouts.given"), *stops)]
    rows = []
    for given, words, row in zip(chapter.typed.targets, likeliest, shares):
        cells = [_cell(chapter, target.every[word], float(p), word == words[-1]) for word, p in zip(words, row)]
        rows.append(element("tr", element("th", glossed(given, chapter.glosses), scope="row"), *cells))
    body = element("thead", element("tr", *heads)), element("tbody", *rows)
    return element("table", *body, class_="readouts", aria_label=say("readouts.alt"))


def _cell(chapter: AnyChapter, word: str, share: float, same: bool) -> Markup:
    told = element("span", glossed(word, chapter.glosses), class_="same" if same else "")
    return element("td", told, element("small", f"{share:.0%}"))
