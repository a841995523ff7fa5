"""Settings of the map."""

from ui.settings.compared import Compared, subject


class Overview(Compared):
    delta: str = subject("decoder.output")
