"""What a change costs the server: alone, chapter by chapter, and how long thirty readers wait for theirs.

python -m benchmarks.readers [--json | --both]

A chapter is measured with all its questions answered: as it opens, and with every section open that folds. A change of
the whole page is one of three in turn: another model, the other language, and, where the chapter reads one, a sequence
that nobody has typed before. A change of a part moves the first control that stands in a fragment.
"""

import random
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle, islice

from benchmarks.table import Row, latency_rows, report
from tests.browser.driver import Server, serving
from tests.kinds import kind_of
from tests.wire import Answer, Reader, Widget
from ui.settings.chapters import CHAPTERS, MAP
from ui.settings.fields import Folding
from ui.settings.frame import Frame
from ui.text import LANGUAGES

CHANGES = 24  # of each kind in each chapter, after ...
WARM_UP = 3  # ... these
READERS, EVERY, ROUNDS = 30, 3.0, 10  # each reader makes so many changes, one in so many seconds
MODEL, SEQUENCE = "frame:model", "frame:src"

Change = Callable[[], Answer]
Kind = Callable[[Reader, str, int], Iterator[Change]]


def open_answered(server: Server, chapter: str, sections: str = "") -> Reader:
    """A reader of a chapter who has had every answer shown, of `sections` too, "all" of those that fold or none."""
    reader = Reader(server.url, "" if chapter == MAP else chapter, {"lang": "en", "open": sections})
    shown: set[str] = set()
    while hidden := {key for key in reader.widgets if key.endswith(".show")} - shown:
        for key in hidden & reader.widgets.keys():
            reader.change({key: True})
        shown |= hidden
    return reader


def of_the_page(reader: Reader, chapter: str, seed: int) -> Iterator[Change]:
    """Changes of the whole page, without end."""
    draw, length = random.Random(seed), len(Frame().src.split())

    def another_model(number: int) -> Answer:
        return reader.change({MODEL: reader.widgets[MODEL].proto.options[number]})

    def other_language() -> Answer:
        return reader.press(next(name for name in LANGUAGES.values() if name in reader.widgets))

    def new_sequence() -> Answer:
        return reader.change({SEQUENCE: " ".join(["1", *(str(draw.randint(2, 10)) for _ in range(length - 1))])})

    for number in cycle((1, 0)):
        yield partial(another_model, number)
        yield other_language
        if SEQUENCE in reader.widgets and not reader.widgets[SEQUENCE].fragment:
            yield new_sequence


def of_a_part(reader: Reader, chapter: str, seed: int) -> Iterator[Change]:
    """Changes of the first control that stands in a fragment, without end; none where there is none."""
    parts = [widget for key, widget in reader.widgets.items() if key.startswith(f"{chapter}:") and widget.fragment]
    widget = next(filter(two_values, parts), None)
    for value in cycle(two_values(widget) if widget else ()):
        yield partial(reader.change, {widget.key: value})


def two_values(widget: Widget) -> tuple[object, ...]:
    proto = widget.proto
    if widget.kind == "slider" and not proto.options:
        low = proto.default[0] if proto.default[0] + proto.step <= proto.max else proto.max - proto.step
        return low + proto.step, low
    if widget.kind == "slider":
        return proto.options[1], proto.options[0]
    if widget.kind == "button_group" and len(proto.options) > 1:
        return proto.options[1].content, proto.options[0].content
    return ()


def processor_time(pid: int) -> float:
    """Seconds that a process has computed, all its threads together; where the system does not tell, seconds."""
    try:
        return time.clock_gettime((~pid << 3) | 2)  # the clock of another process, as Linux numbers them
    except OSError:
        return time.perf_counter()


def cost(server: Server, chapter: str, kind: Kind, sections: str = "") -> float | None:
    """Milliseconds of a change, on average; None where the chapter has no such change."""
    with open_answered(server, chapter, sections) as reader:
        changes = kind(reader, chapter, 0)
        for change in islice(changes, WARM_UP):
            change()
        started, made = processor_time(server.pid), 0
        for change in islice(changes, CHANGES):
            change()
            made += 1
        return 1000 * (processor_time(server.pid) - started) / made if made else None


def waits(server: Server, kind: Kind) -> list[float]:
    """Milliseconds that each of READERS waits for each change, all at work at once, spread over the chapters."""
    readers = [(open_answered(server, chapter), chapter) for chapter in islice(cycle(CHAPTERS), READERS)]
    start, waited = time.perf_counter() + 1, list[float]()

    def read(number: int) -> None:
        reader, chapter = readers[number]
        draw = random.Random(number)
        for at, change in enumerate(islice(kind(reader, chapter, number), ROUNDS)):
            due = start + (at + number / READERS + draw.uniform(0, 0.3)) * EVERY
            time.sleep(max(0.0, due - time.perf_counter()))
            waited.append(1000 * change().seconds)

    threads = [threading.Thread(target=read, args=(number,)) for number in range(READERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for reader, _ in readers:
        reader.close()
    return waited


def measure() -> list[Row]:
    rows = []
    with serving("app.py") as server:
        for chapter in (MAP, *CHAPTERS):
            whole, part = cost(server, chapter, of_the_page), cost(server, chapter, of_a_part)
            assert whole is not None
            baseline, ratio = ("a part of it", whole / part) if part else ("none", 1.0)
            rows.append(Row(f"{chapter}, whole page", whole, "ms", baseline, ratio, "< 60 ms"))
            if chapter != MAP and issubclass(kind_of(chapter), Folding):
                unfolded = cost(server, chapter, of_the_page, "all")
                assert unfolded is not None
                rows.append(Row(f"{chapter}, all sections", unfolded, "ms", "as it opens", unfolded / whole, ""))
        pages, parts = waits(server, of_the_page), waits(server, of_a_part)
    return [*rows, *latency_rows(f"{READERS} readers, whole pages", pages, "parts", parts, "< 300 ms")]


if __name__ == "__main__":
    report(__doc__, measure)
