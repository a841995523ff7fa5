"""Settings of the chapter `tokens`."""

from dataclasses import dataclass

from ui.settings.fields import Settings


@dataclass(frozen=True)
class Tokens(Settings):
    pass
