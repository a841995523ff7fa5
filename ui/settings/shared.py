"""Settings that more than one chapter has: the kind of an attention, and a matrix beside the same of another model."""

from dataclasses import field

from ui.settings.fields import CellSetting, ChosenCell, Settings, text, whole

KINDS = ("encoder", "decoder", "cross")  # of attention


class Compared(Settings):
    """Of a chapter that shows matrices of the model: one of them beside the same of another model."""

    delta: str = text("encoder.output", 100)  # a recorded value or a parameter, by its name in the model
    delta_head: int = whole(0, 0, 63)
    delta_row: int = whole(0, 0, 99_999)  # where the part of a large matrix begins
    delta_column: int = whole(0, 0, 99_999)
    delta_cell: CellSetting = field(default=("difference", 0, 0), metadata={"kind": ChosenCell()})
