"""Settings of the chapter `layers`."""

from dataclasses import dataclass

from ui.settings.fields import Settings


@dataclass(frozen=True)
class Layers(Settings):
    pass
