"""What a chart of ECharts draws."""

from typing import Any

from ui.figures.curves import TICKS


def drawn(option: dict[str, Any]) -> list[dict[str, Any]]:
    """Its lines, dots and points: without the series that has the numbers of the axes."""
    return [series for series in option["series"] if not str(series.get("id")).startswith(TICKS)]
