"""Settings of the chapter `positions`."""

from dataclasses import dataclass

from ui.settings.fields import Settings


@dataclass(frozen=True)
class Positions(Settings):
    pass
