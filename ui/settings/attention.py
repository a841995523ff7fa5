"""Settings of the chapter `attention`."""

from dataclasses import dataclass

from ui.settings.fields import Settings


@dataclass(frozen=True)
class Attention(Settings):
    pass
