"""Settings of the chapter `scaling`."""

from dataclasses import dataclass

from ui.settings.fields import Settings


@dataclass(frozen=True)
class Scaling(Settings):
    pass
