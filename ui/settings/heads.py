"""Settings of the chapter `heads`."""

from dataclasses import dataclass

from ui.settings.fields import Settings


@dataclass(frozen=True)
class Heads(Settings):
    pass
