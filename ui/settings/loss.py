"""Settings of the chapter `loss`."""

from dataclasses import dataclass

from ui.settings.fields import Settings


@dataclass(frozen=True)
class Loss(Settings):
    pass
