"""Settings of the chapter `training`."""

from dataclasses import dataclass

from ui.settings.fields import Settings


@dataclass(frozen=True)
class Training(Settings):
    pass
