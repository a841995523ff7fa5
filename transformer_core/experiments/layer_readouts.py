"""What the model would answer if it stopped after a layer of the decoder.

The last norm and the generator are put behind each layer as they stand behind the last one. The words that this gives
were called a *logit lens* (nostalgebraist 2020, "interpreting GPT: the logit lens").
"""

import torch
from torch import Tensor

from transformer_core.model import EncoderDecoder
from transformer_core.trace import Trace


def layer_readouts(model: EncoderDecoder, trace: Trace) -> Tensor:
    """(1 + layers, batch, T, vocab) log-probabilities: of the decoder's input, then after each of its layers.

    `trace` is a recording of the model. Those after the last layer are the model's own.
    """
    layers = range(len(model.decoder.layers))
    streams = [trace["tgt_embed.1.output"], *(trace[f"decoder.layers.{n}.output"] for n in layers)]
    with torch.no_grad():
        return torch.stack([model.generator(model.decoder.norm(stream)) for stream in streams])
