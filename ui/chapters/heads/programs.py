"""What the programs of the figures of all heads begin with."""

from ui.chapters.shared.attention_programs import recording
from ui.chapters.shared.attention_values import MODULES
from ui.figures import ProgramArgument
from ui.inputs.sequences import TypedSequences
from ui.model import ModelAtHand


def of_every_attention(
    at_hand: ModelAtHand, sequences: TypedSequences, tap: str, name: str, made: str
) -> ProgramArgument:
    """`values`, one (h, T, S) for each attention: the encoder's, the decoder's, the cross-attention, layer by layer;
    the `name` is what is `made` of them."""
    names = ", ".join(repr(module) for module in MODULES.values())
    return ProgramArgument(
        name,
        f"{recording(at_hand, sequences)}"
        f"paths = [name.format(layer) for name in ({names}) for layer in range({at_hand.config.N})]\n"
        f"values = [trace[f'{{path}}.{tap}'][0] for path in paths]\n"
        f"{name} = {made}\n",
    )
