"""Who is next: runs that wait for a place with a worker, in the order of their coming."""

import time
from collections.abc import Sequence

from ui.training_service.run_records import Record
from ui.training_service.slots import Purpose, Slots, small

FORSAKEN = 10.0  # seconds without a question after which a run for a link gives its place to another


def next_in_line(records: Sequence[Record], slots: Slots) -> Record | None:
    """The first of those who wait for whom there is a place; the records are in the order of their coming.

    One whose place would have to be larger keeps back those of its own kind alone.
    """
    placed = [(record.snapshot.config, record.purpose) for record in records if record.snapshot.placed]
    kept_back = set[tuple[Purpose, bool]]()
    for record in records:
        kind = record.purpose, small(record.snapshot.config)
        if record.snapshot.state == "waiting" and kind not in kept_back:
            if slots.has_room(record.snapshot.config, record.purpose, placed):
                return record
            kept_back.add(kind)
    return None


def forsaken(records: Sequence[Record], *, waiting: bool) -> list[Record]:
    """Runs for links whose pages have not asked for a while, in the line or in a place; the longest unasked first."""
    now = time.monotonic()
    found = [
        record
        for record in records
        if record.purpose != "reports"
        and (record.snapshot.state == "waiting" if waiting else record.snapshot.placed)
        and now - record.asked > FORSAKEN
    ]
    return sorted(found, key=lambda record: record.asked)
