"""How long a reader waits for a verdict, in Chromium, of a server's first and of later ones; the processor time of the
judging alone, and of a fault's model; how large a lab sheet gets, and how long thirty take to be checked.

python -m benchmarks.exercises [--json]
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import torch
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from benchmarks.table import Row, percentile, report
from tests.app.answers import ASKING, questions, right
from tests.app.test_labsheet import every_entry
from tests.browser.driver import launch, serving, settle
from tests.core.test_labsheet import answered, drawn, link, mended, solved, worksheet
from transformer_core.exercises.drawing import rate, wave
from transformer_core.exercises.faults.evidence import read, statements
from transformer_core.exercises.faults.which_fault import FAULTS, hidden
from transformer_core.exercises.parsons import PUZZLES
from transformer_core.exercises.parsons.assembly import right as in_order
from transformer_core.exercises.parsons.assembly import written
from transformer_core.exercises.parsons.judge import judge
from transformer_core.exercises.worksheet import TASKS
from transformer_core.labsheet.file import LARGEST
from transformer_core.labsheet.sheet import Entry, LabSheet
from ui.chapters.practice.labsheet import lab_page
from ui.model.shipped import shipped
from ui.text import Words

TARGET = 300  # ms
CLICKS = 24  # of each exercise, each on a page of its own
ROUNDS = 4  # in which all that is judged alone is judged
CLASS = 30
ROOT = Path(__file__).parents[1]
SAY = Words("practice", "en")

# From a click to the first frame that has the verdict.
WATCH = """(selector) => {
  window.verdict = null;
  const there = () => [...document.querySelectorAll(selector)].map((one) => one.textContent).join("");
  const before = there();
  addEventListener("click", ({ timeStamp }) => {
    const frame = () => {
      if (there() === before) requestAnimationFrame(frame);
      else window.verdict = performance.now() - timeStamp;
    };
    requestAnimationFrame(frame);
  }, { capture: true, once: true });
}"""

Ready = Callable[[Page], Locator]


def _button(name: str) -> Ready:
    return lambda page: page.locator(f".st-key-practice-{name} button")


def _filled(page: Page) -> Locator:
    page.locator(".st-key-sheet input").first.fill("77")
    return page.locator('[class*="-check"] button')


def _pill(at: int) -> Ready:
    return lambda page: page.get_by_role(
        "radio", name=SAY(f"fault_named.option.{list(FAULTS)[at % len(FAULTS)]}"), exact=True
    )


def clicks() -> dict[str, list[tuple[str, Ready]]]:
    """Of each exercise links to it, and what is to be clicked there for a verdict."""
    drawings = {"wave": "00" * 25, "rate": "00" * 21}
    return {
        "worksheet": [(f"sheet_task={task}&sheet_seed={at}", _filled) for at, task in _turns(list(TASKS))],
        "mend the code": [
            (f"open=mend&mend_puzzle={name}&mend_order={written(in_order(PUZZLES[name]))}", _button("mend-judge"))
            for _, name in _turns(list(PUZZLES))
        ],
        "drawing": [
            (f"open=draw&draw_task={task}&draw_seed=5&drawn={drawings[task]}", _button("draw-run"))
            for _, task in _turns(list(drawings))
        ],
        "fault": [(f"open=fault&fault={at}", _pill(at)) for at, _ in _turns([""])],
    }


def _turns(names: list[str]) -> Iterator[tuple[int, str]]:
    return ((at + 1, names[at % len(names)]) for at in range(CLICKS))


def waits(browser: Browser, links: list[tuple[str, Ready]]) -> list[float]:
    """Milliseconds from each click to its verdict: of a server that has judged nothing yet the first one."""
    found = []
    with serving("app.py") as server:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        for query, ready in links:
            page.goto(f"{server.url}/practice?lang=en&model=translate&{query}")
            settle(page)
            clicked = ready(page)
            page.evaluate(WATCH, ".stMain [data-testid=stAlert]")
            clicked.click()
            found.append(float(page.wait_for_function("window.verdict").json_value()))
        page.close()
    return found


def judged_alone() -> dict[str, list[Callable[[], object]]]:
    """What each exercise computes for a verdict; of a fault all of it, as for the first name that is given."""
    model, named = shipped("translate").model, shipped("translate").config
    src, tgt = torch.tensor([[1, 4, 5, 6, 7, 8, 2]]), torch.tensor([[1, 4, 5, 6, 7]])

    def sheet(task: str) -> Callable[[], object]:
        return lambda: [one.judged("0.77") for one in TASKS[task].exercise(7).blanks]

    def code(name: str) -> Callable[[], object]:
        return lambda: judge(PUZZLES[name], in_order(PUZZLES[name]))

    def clues(seed: int) -> Callable[[], object]:
        def measured() -> None:
            for one in (hidden(model, seed), model):
                reading = read(one, src, tgt)
                for evidence in statements(named.d_model, named.h).values():
                    evidence.measured(reading), evidence.shown(reading)

        return measured

    level, low = wave.asked(5), rate.asked(5)
    return {
        "worksheet": [sheet(task) for task in TASKS],
        "mend the code": [code(name) for name in PUZZLES],
        "drawing": [
            lambda: wave.judged(level, 0 * wave.code_of(*level).numpy()),
            lambda: rate.judged(low, 0.0 * low.x),
        ],
        "fault": [clues(seed) for seed in range(1, len(FAULTS) + 1)],
        "fault's model": [partial(hidden, model, seed) for seed in range(1, len(FAULTS) + 1)],
    }


def processor(works: list[Callable[[], object]]) -> list[float]:
    """Milliseconds of each, the first time included."""
    found = []
    for work in works * ROUNDS:
        started = time.process_time()
        work()
        found.append(1e3 * (time.process_time() - started))
    return found


def sheet_of(reader: int) -> LabSheet:
    """One of each exercise with a reader's own numbers, and every question that a model has not to be asked about."""
    entries: list[Entry] = [worksheet(task, [*solved(task, reader)[:-1], "77"], reader) for task in TASKS]
    entries += [mended(name, written(in_order(puzzle))) for name, puzzle in PUZZLES.items()]
    entries += [
        drawn("rate", [500] * 21, reader),
        answered("fault", str(reader), link(fault=reader, fault_named="scale")),
    ]
    for chapter in ASKING:
        for one in questions(chapter):
            said = "&".join(f"{name}={reply}" for name, reply in right(chapter, one.name).items())
            entries.append(answered("question", f"{chapter} {one.name}", f"http://localhost/{chapter}?{said}"))
    return LabSheet("en", f"reader {reader}", tuple(one for one in entries if one.claims))


def thirty_checked() -> tuple[float, int]:
    """Seconds of the command for a folder of thirty, Python's own start included; answers that it has worked out."""
    with tempfile.TemporaryDirectory() as folder:
        answers = 0
        for reader in range(1, CLASS + 1):
            sheet = sheet_of(reader)
            answers += sum(len(entry.claims) for entry in sheet.entries)
            (Path(folder) / f"{reader:02}.html").write_text(lab_page(sheet, paper=reader % 2 == 0), encoding="utf-8")
        started = time.perf_counter()
        subprocess.run([sys.executable, "-m", "ui.labsheet", "check", folder], cwd=ROOT, check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip
        return time.perf_counter() - started, answers


def rows(name: str, alone: list[float], clicked: Mapping[str, list[float]]) -> Iterator[Row]:
    each = percentile(alone, 0.95)
    yield Row(f"{name}: processor time alone, p95", each, "ms", "the first", each / alone[0], f"< {TARGET} ms")
    if name in clicked:
        first, *later = clicked[name]
        middle, slow = percentile(later, 0.5), percentile(later, 0.95)
        yield Row(f"{name}: click to the verdict, median", middle, "ms", "p95", middle / slow)
        yield Row(f"{name}: click to the verdict, p95", slow, "ms", "median", slow / middle, f"< {TARGET} ms")
        yield Row(f"{name}: click to a server's first verdict", first, "ms", "median of later ones", first / middle)


def measure() -> list[Row]:
    torch.set_num_threads(1)
    alone = {name: processor(works) for name, works in judged_alone().items()}
    with sync_playwright() as playwright:
        browser = launch(playwright)
        clicked = {name: waits(browser, links) for name, links in clicks().items()}
        browser.close()
    full = LabSheet("zh", "小明", tuple(every_entry()))
    screen, paper = (len(lab_page(full, paper=on, with_key=on).encode()) / 1e6 for on in (False, True))
    seconds, answers = thirty_checked()
    return [
        *[row for name, taken in alone.items() for row in rows(name, taken, clicked)],
        Row("a full lab sheet", screen, "MB", f"{LARGEST / 1e6:g} MB", screen / LARGEST * 1e6, "ratio < 1"),
        Row("the same for print, with the key", paper, "MB", "for the screen", paper / screen, "< 2 MB"),
        Row(f"{CLASS} lab sheets checked", seconds, "s", f"a sheet of {answers // CLASS} answers", seconds / CLASS),
    ]  # fmt: skip


if __name__ == "__main__":
    report(__doc__, measure)
