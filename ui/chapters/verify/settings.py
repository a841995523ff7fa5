"""Settings of the chapter that checks the others."""

from dataclasses import dataclass

from ui.settings.fields import Settings, choice


@dataclass(frozen=True)
class Verify(Settings):
    broken: str = choice("none", "none", "scale", "mask", "axis")
