"""Settings of the chapter `walkthrough`."""

from dataclasses import dataclass

from ui.settings.fields import Settings


@dataclass(frozen=True)
class Walkthrough(Settings):
    pass
