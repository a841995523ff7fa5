"""Two tabs of one browser, or a tab and its end, at the same moment: no run goes on for nobody, and none is lost."""

import threading
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import Any

import pytest

from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from transformer_core.training.report import Report
from ui import session as session_module
from ui.own_pairs import SessionPairs
from ui.session import ReaderSession, end_sessions
from ui.training_service.registry import Snapshot

AGES = 300.0  # seconds; only a broken program waits as long
FIRST, SECOND = TrainConfig(), TrainConfig(scale=False)
SEEN = History.of([Report(step, 2.0, 1e-3, 9.0) for step in range(3)])


class Runs:
    """As much of the register as a session asks. `before_snapshot` is called once, when a run is looked at next."""

    def __init__(self) -> None:
        self.known: dict[str, Snapshot] = {}
        self.left: set[str] = set()
        self.before_snapshot: Callable[[], None] | None = None
        self.at_forget = threading.Event()

    def start(self, config: TrainConfig, until: int | None = None, *, owner: str | None, linked: bool) -> str:
        run = f"run {len(self.known)}"
        self.known[run] = Snapshot(run, config, "running", 2, history=SEEN)
        return run

    def forget(self, run: str) -> None:
        self.known[run] = replace(self.known[run], state="forgotten")
        self.at_forget.set()

    def snapshot(self, run: str) -> Snapshot | None:
        then, self.before_snapshot = self.before_snapshot, None
        if then:
            then()
        seen = self.known[run]
        return None if seen.state == "forgotten" else seen

    def leave(self, run: str) -> None:
        self.left.add(run)

    def stay(self, run: str) -> None:
        self.left.discard(run)

    def adopt(self, config: TrainConfig, owner: str | None) -> str | None:
        found = [run for run in sorted(self.left) if self.known[run].config == config]
        self.left -= set(found)
        return found[0] if found else None


class Doorbell:
    """A lock that tells when a second one comes to it."""

    def __init__(self, rung: threading.Event) -> None:
        self._lock, self._rung, self._held_by = threading.RLock(), rung, 0

    def __enter__(self) -> None:
        if self._held_by not in (0, threading.get_ident()):
            self._rung.set()
        self._lock.acquire()
        self._held_by = threading.get_ident()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._held_by = 0
        self._lock.release()


class Server:
    """Of Streamlit's, which sessions are active."""

    def __init__(self, *active: str) -> None:
        self.active = set(active)

    def is_active_session(self, session: str) -> bool:
        return session in self.active


@pytest.fixture
def runs() -> Any:
    return Runs()


@pytest.fixture
def two_tabs(runs: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[ReaderSession, ReaderSession]:
    """Of one browser."""
    sessions = {"a": ReaderSession(runs, "browser"), "b": ReaderSession(runs, "browser")}
    monkeypatch.setattr(session_module, "_sessions", sessions)
    return sessions["a"], sessions["b"]


def in_another_thread(do: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=do)
    thread.start()
    return thread


def test_a_second_tab_that_looks_while_a_run_begins_does_not_orphan_it(runs: Any) -> None:
    mine = ReaderSession(runs)
    mine.start(FIRST)
    runs.before_snapshot = lambda: in_another_thread(lambda: mine.start(SECOND)).join()
    assert mine.seen is None, "it has seen the name of the run that has made way meanwhile"
    assert mine.run == "run 1"
    assert mine.seen is not None
    assert mine.seen.config == SECOND


def test_a_second_tab_that_looks_while_a_rival_begins_does_not_orphan_it(runs: Any) -> None:
    mine = ReaderSession(runs)
    mine.start(FIRST, rival=SECOND)
    runs.before_snapshot = lambda: in_another_thread(lambda: mine.start(SECOND, rival=FIRST)).join()
    assert mine.beside is None
    assert mine.rival == "run 3"


def test_a_second_tab_that_opens_while_a_run_makes_way_has_the_curves_of_one_of_them(runs: Any) -> None:
    """Not of neither: it has read that there is none before it, and then that there is none."""
    mine, begun = ReaderSession(runs), []
    mine.start(FIRST)
    mine._changing = Doorbell(runs.at_forget)  # type: ignore[assignment]

    def change() -> None:
        begun.append(in_another_thread(lambda: mine.start(SECOND)))
        assert runs.at_forget.wait(timeout=AGES), "it has come to the door, or past it"

    runs.before_snapshot = change
    assert [past.config for past in mine.past] == [FIRST]
    begun[0].join()
    assert [past.config for past in mine.past] == [FIRST, SECOND]


def test_what_a_page_begins_after_its_reader_has_left_is_left_too(
    two_tabs: tuple[ReaderSession, ReaderSession], runs: Any
) -> None:
    mine, _ = two_tabs
    server: Any = Server("b")
    end_sessions(server)
    assert mine.left is not None
    mine.start(FIRST, rival=SECOND)
    mine.start_experiment(TrainConfig(h=1), linked=True)
    assert runs.left == {"run 0", "run 1", "run 2"}
    mine.come_back()
    assert runs.left == set()


def test_a_run_that_another_page_has_taken_over_does_not_end_with_the_page_that_comes_back(
    two_tabs: tuple[ReaderSession, ReaderSession], runs: Any
) -> None:
    """A phone wakes up after the reader went on in a second tab, and goes to sleep again."""
    first, second = two_tabs
    server: Any = Server("b")
    first.start(FIRST)
    end_sessions(server)
    second._adopt(FIRST)
    assert (first.run, second.run) == (None, "run 0")
    first.come_back()
    first.leave()
    assert runs.left == set()
    assert second.seen is not None


def test_a_file_that_a_tab_puts_away_while_another_opens_is_not_taken_from_it(
    two_tabs: tuple[ReaderSession, ReaderSession], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who gives a model back holds the lock under which a new tab takes it along."""
    held: list[bool] = []
    monkeypatch.setattr(session_module, "_let_go", lambda own: held.append(session_module._lock.locked()))
    own: Any = object()
    two_tabs[0].take(own)
    assert held == [True]


def test_pairs_are_counted_while_another_tab_drops_some_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    other = SessionPairs(texts={"old": "a\tb", "older": "c\td"})

    def dropped_meanwhile(text: str) -> int:
        other.texts.clear()
        return 1

    monkeypatch.setattr("ui.own_pairs.sys.getsizeof", dropped_meanwhile)
    pairs: Any = type("Pairs", (), {"digest": "new", "text": "e\tf"})
    mine = SessionPairs()
    mine.keep(pairs, [other, mine])
    assert mine.texts == {"new": "e\tf"}
