"""Where the decoder looks that was trained without the look-ahead mask: at the answer, one place further on."""

import numpy as np
import torch

from transformer_core import Batch, EncoderDecoder, Trace, record
from transformer_core.training.config import TrainConfig
from transformer_core.training.probing import probe_of
from ui.chapters.shared.model_program import model_snippet
from ui.figures import Board, Figure, Panel, number
from ui.model import ModelAtHand, measured
from ui.sections import AnyChapter, show

PROGRAM = """from transformer_core import Batch, record

src, tgt = torch.tensor([{source}]), torch.tensor([{target}])
batch = Batch(src, tgt, look_ahead=False)
with torch.no_grad(), record(model) as trace:
    model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
shown = torch.cat([trace[f'decoder.layers.{{layer}}.self_attn.weights'][0] for layer in range({layers})]).flatten(0, 1)
print(shown)
"""


def peeking(chapter: AnyChapter, config: TrainConfig, step: int) -> None:
    """The decoder's self-attention as it was trained, with no mask but that of padding, on what the run watches."""
    at_hand = ModelAtHand("run", config, step, config.seed)
    source = probe_of(config)
    target = tuple(config.answer(source) or ())

    def look(model: EncoderDecoder) -> Trace:
        batch = Batch(torch.tensor([source]), torch.tensor([target]), look_ahead=False)
        with torch.inference_mode(), record(model) as trace:
            model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
        return {str(n): trace[f"decoder.layers.{n}.self_attn.weights"][0] for n in range(config.N)}

    layers = measured(at_hand, ("peeking", source), look)
    maps = np.stack([layers[str(n)].numpy() for n in range(config.N)])  # (N, h, T, T)
    names = config.vocabularies[1].labels(target[:-1])
    figure = Figure(
        "peeking",
        Board(
            [_panel(chapter, maps, names, n, head) for n in range(config.N) for head in range(config.h)],
            cell="peek_cell",
        ),
        at_hand.provenance("decoder.layers.*.self_attn.weights", *maps.shape),
        numbers=maps.reshape(-1, len(names)),
        columns=names,
        code=[Batch],
        program=model_snippet(at_hand) + PROGRAM.format(source=list(source), target=list(target), layers=config.N),
        alt=chapter.say("peeking.alt", heads=config.N * config.h),
    )
    show(chapter, figure)
    shares = np.diagonal(maps, 1, axis1=2, axis2=3).mean(-1)  # (N, h)
    layer, head = np.unravel_index(shares.argmax(), shares.shape)
    even = number(1 / len(names), 2)
    chapter.write("peeking.told", layer=layer, head=head, share=number(float(shares.max()), 2), even=even)


def _panel(chapter: AnyChapter, maps: np.ndarray, names: list[str], layer: int, head: int) -> Panel:
    return Panel(
        f"peeking.{layer}.{head}",
        maps[layer, head],
        chapter.say("label.map", layer=layer, head=head),
        names,
        names,
        chapter.say("peeking.row"),
        chapter.say("peeking.column"),
        scale="probability",
        place=(layer, head),
        wall=maps.shape[1],
        meaning="decoder",
    )
