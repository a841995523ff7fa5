"""Settings of the map."""

from dataclasses import dataclass

from ui.settings.compared import Compared, subject


@dataclass(frozen=True)
class Overview(Compared):
    delta: str = subject("decoder.output")
