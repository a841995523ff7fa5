"""Settings of the chapter `decoding`."""

from dataclasses import dataclass

from ui.settings.fields import Settings


@dataclass(frozen=True)
class Decoding(Settings):
    pass
