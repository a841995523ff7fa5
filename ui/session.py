"""This reader's own training and the model from a file: one run on the page, perhaps a rival beside it, what is left of
those before, and the pairs of experiments.

Runs end when the reader has left.

Sessions are kept here, not in a Streamlit cache, which any visitor's browser may empty. A thread sees sessions end.
"""

import gc
import logging
import threading
import time
import uuid
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

import streamlit as st
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from transformer_core import EncoderDecoder
from transformer_core.tasks import OwnPairs
from transformer_core.training.config import TrainConfig
from transformer_core.training.not_a_model import NotAModel
from ui.own_pairs import SessionPairs
from ui.training_service.earlier_runs import EarlierRun, earlier_run_of, laid_aside, with_one_more
from ui.training_service.progress import RunProgress, progress_of
from ui.training_service.queue import Refused
from ui.training_service.registry import Moment, Snapshot
from ui.training_service.row_runs import row_runs
from ui.training_service.runs import Runs, all_runs
from ui.upload_limits import bound
from ui.uploads import Upload

ROUND = 2.0  # seconds between two looks at who is still here
APART = 30.0  # seconds between two collections, each of which holds up all pages: for 0.2 s where a hundred read
STORED = 130.0  # seconds after which Streamlit has forgotten a session that may still come back


@dataclass
class ReaderSession:
    """What the server keeps for one open page."""

    runs: Runs
    name: str = field(default_factory=lambda: uuid.uuid4().hex, kw_only=True)  # no other's, then or later
    browser: str | None = None  # the secret by which a reloaded page is known; None: it cannot be
    run: str | None = None
    rival: str | None = None  # the run that was begun with it, to race with
    earlier: tuple[EarlierRun, ...] = ()  # the last runs before it
    handed: Moment | None = None  # of a run at rest, whose model all chapters were given last
    refused: Refused | None = None  # why the last start came to nothing
    own: Upload | None = None  # the model of this reader's file
    file: str = ""  # the last one that was read, by Streamlit's name for it
    no_model: NotAModel | None = None  # why the last file came to nothing
    own_pairs: SessionPairs = field(default_factory=SessionPairs)  # pairs of the reader's own
    pairs: dict[TrainConfig, str] = field(default_factory=dict)  # runs of experiments that have not finished
    measuring: set[Hashable] = field(default_factory=set)  # what is measured for this reader, piece by piece
    left: float | None = None  # when the session was seen to have ended
    # Held while runs take each other's places: other tabs of this browser look at them, and a thread leaves them.
    _changing: threading.RLock = field(default_factory=threading.RLock, init=False, repr=False, compare=False)

    @property
    def reader(self) -> str:
        """Whoever sits before this browser, in all of its pages; before this page, where no browser is known."""
        return self.browser or self.name

    @property
    def seen(self) -> Snapshot | None:
        return self._known(self.run)

    @property
    def beside(self) -> Snapshot | None:
        return self._known(self.rival)

    def _known(self, run: str | None) -> Snapshot | None:
        return None if run is None else self.runs.snapshot(run)

    @property
    def racing(self) -> bool:
        """Whether the rival moves by itself, or will."""
        return self.beside is not None and self.beside.going

    @property
    def past(self) -> tuple[EarlierRun, ...]:
        """All runs that are known of, in the order of their beginning; the one on the page last."""
        with self._changing:
            found, on_page = self.earlier, (self.beside, self.seen)
        for seen in on_page:
            found = found if seen is None or seen.step == 0 else with_one_more(found, earlier_run_of(seen))
        return found

    def hand_over(self) -> Snapshot | None:
        """The run, where it rests with a model that was not handed over yet."""
        seen = self.seen
        if seen is None or seen.rests_at in (None, self.handed):
            return None
        self.handed = seen.rests_at
        return seen

    def progress(self, config: TrainConfig, at: int, seconds: float = 0.0) -> RunProgress:
        """How far the run has come, or where there is none, what one with these settings begins with: its first look is
        waited for so many seconds. Looked at is the recorded step next to `at`."""
        return progress_of(self.runs, self.seen, config, self.handed, at, seconds)

    @property
    def upload(self) -> Upload | None:
        """The reader's own model; None if there is none, or it had to make room for others'."""
        return self.own if self.own is not None and self.own.model is not None else None

    def start(
        self,
        config: TrainConfig,
        until: int | None = None,
        *,
        linked: bool = False,
        rival: TrainConfig | None = None,
    ) -> None:
        """Train, instead of what was trained before, whose curves are kept, and a `rival` at the same time: each has a
        place like any reader's run. A refusal leaves all as it was."""
        begun = list[str]()
        try:
            for each in (config, rival) if rival else (config,):
                begun.append(self.runs.start(each, until, owner=self.browser, linked=linked))
        except Refused as refused:
            self.refused = refused
            for run in begun:
                self.runs.forget(run)
            return
        with self._changing:
            before, self.earlier = self.own_runs, laid_aside(self.past)
            self.run, self.rival, self.refused = begun[0], begun[1] if rival else None, None
            self._leave_if_gone(begun)
        for run in before:  # whoever has read their names has seen them by now
            self.runs.forget(run)

    def start_experiment(self, config: TrainConfig, *, linked: bool) -> None:
        """Train one of the runs of an experiment, beside all others. Refused if there is no place for it."""
        run = self.runs.start(config, owner=self.browser, linked=linked)
        with self._changing:
            self.pairs[config] = run
            self._leave_if_gone([run])

    @property
    def own_runs(self) -> list[str]:
        return [run for run in (self.run, self.rival) if run is not None]

    def return_to(self, config: TrainConfig, seconds: float = 0.0) -> None:
        """Go on with the run of these settings that this reader left a moment ago by reloading the page.

        The old page's end may be heard of after the new one's beginning: up to `seconds` later it is looked for again.
        """
        deadline = time.monotonic() + seconds
        while self.seen is None:
            end_sessions(runtime.get_instance())
            self._adopt(config)
            self.hand_over()  # the page before has shown what it had come to
            if time.monotonic() >= deadline:
                break
            time.sleep(0.1)

    def _adopt(self, config: TrainConfig) -> None:
        """Take over the run of these settings that another page of this browser has left, for good: that page may yet
        come back, and must not end the run when it goes again."""
        with _lock:
            run = self.runs.adopt(config, self.browser)
            if run is not None:
                for other in _sessions.values():
                    other.give_up(run)
                self.run = run

    def give_up(self, run: str) -> None:
        """This run belongs to another page from here on."""
        with self._changing:
            self.run, self.rival = (None if one == run else one for one in (self.run, self.rival))

    def latest(self) -> tuple[EncoderDecoder | None, int] | None:
        """`Runs.latest` of this reader's run; None if there is none."""
        return None if self.run is None else self.runs.latest(self.run)

    def take(self, upload: Upload) -> None:
        """Show the model of this file instead of the one before."""
        with _lock:  # a tab that is just being opened may take the one before along
            before, self.own = self.own, upload
            _let_go(before)

    def leave(self) -> None:
        with self._changing:
            self.left = time.monotonic()
            for run in (*self.own_runs, *self.pairs.values()):
                self.runs.leave(run)
            if not any(other.left is None and other.reader == self.reader for other in list(_sessions.values())):
                row_runs.leave(self.reader)

    def come_back(self) -> None:
        with self._changing:
            self.left = None
            for run in (*self.own_runs, *self.pairs.values()):
                self.runs.stay(run)
            row_runs.stay(self.reader)

    def _leave_if_gone(self, begun: Sequence[str]) -> None:
        """Runs that a page has begun after its reader had left end like those of before."""
        if self.left is not None:
            for run in begun:
                self.runs.leave(run)


_log = logging.getLogger(__name__)
_sessions: dict[str, ReaderSession] = {}  # by session
_lock = threading.Lock()
_ended = threading.Event()  # since the last collection
_collected = 0.0  # when that was


def session() -> ReaderSession:
    """The session whose script runs. To be called by every page: it is how the server knows who is here."""
    context = get_script_run_ctx()
    assert context is not None
    with _lock:
        if context.session_id not in _sessions:
            bound(context.uploaded_file_mgr)
            if not _sessions:
                threading.Thread(target=_watch_sessions, daemon=True).start()
            browser = _browser()
            mine = ReaderSession(
                all_runs,
                browser,
                own=_upload_of_browser(browser),
                own_pairs=_pairs_of_browser(browser),
                earlier=_runs_of_browser(browser),
            )
            _sessions[context.session_id] = mine
            row_runs.stay(mine.reader)
        mine = _sessions[context.session_id]
        if mine.left is not None:
            mine.come_back()
        return mine


def readers() -> int:
    """How many pages are open: sessions that have not ended, as far as it has been noticed."""
    return sum(mine.left is None for mine in list(_sessions.values()))


def drop_file(name: str) -> None:
    """Let go of a file that this session has sent, once it is read: Streamlit would hold it as long as the page."""
    context = get_script_run_ctx()
    assert context is not None
    manager = context.uploaded_file_mgr
    if isinstance(manager, MemoryUploadedFileManager):
        manager.remove_file(context.session_id, name)


def _upload_of_browser(browser: str | None) -> Upload | None:
    """The model that this browser has taken last, in a page that it may have reloaded."""
    owns = [other.own for other in _sessions.values() if other.own and browser is not None and other.browser == browser]
    return owns[-1] if owns else None


def pairs_of_all_readers() -> list[SessionPairs]:
    return [other.own_pairs for other in list(_sessions.values())]


def known_pairs(digest: str) -> str:
    """The pairs of this digest, if a page of this browser has brought them along; "" if none has."""
    mine = session()
    same = [other for other in list(_sessions.values()) if mine.browser is not None and other.browser == mine.browser]
    return next(filter(None, (one.own_pairs.texts.get(digest) for one in (mine, *same))), "")


def keep_pairs(pairs: OwnPairs) -> None:
    """Know these pairs in this browser from here on. Refused while all readers' take all the room there is."""
    session().own_pairs.keep(pairs, pairs_of_all_readers())


def _pairs_of_browser(browser: str | None) -> SessionPairs:
    """What this browser has brought along last, in a page that it may have reloaded."""
    there = [other.own_pairs for other in _sessions.values() if browser is not None and other.browser == browser]
    last = next((one for one in reversed(there) if one.texts or one.lines), SessionPairs())
    return replace(last, texts=dict(last.texts), shown="")


def _runs_of_browser(browser: str | None) -> tuple[EarlierRun, ...]:
    """The runs of the page that this browser has opened last, which it may have reloaded."""
    pasts = [other.past for other in _sessions.values() if browser is not None and other.browser == browser]
    return laid_aside(pasts[-1]) if pasts else ()


def _let_go(own: Upload | None) -> None:
    """Keep a model only as long as somebody sits before it."""
    if own is not None and own not in [other.own for other in list(_sessions.values())]:
        own.forget()


def _browser() -> str | None:
    """What only this browser knows: the random part of the cookie that Streamlit gives each against forged requests.

    Its form is 2|mask|masked token|time, and the mask changes from one answer to the next.
    """
    try:
        _, mask, masked, _ = st.context.cookies["_streamlit_xsrf"].split("|")
        key, token = bytes.fromhex(mask), bytes.fromhex(masked)
        return bytes(byte ^ key[at % len(key)] for at, byte in enumerate(token)).hex() or None
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        return None


def _watch_sessions() -> None:
    """While there are readers: let the runs of those who have gone end, and collect what their pages leave behind.

    Whatever goes wrong in a round, the next one comes: else no run would ever end again, and no memory come back.
    """
    while True:
        time.sleep(ROUND)
        try:
            _one_round()
        except Exception:
            _log.exception("a round of those who have gone failed; the next one comes in %g s", ROUND)
        with _lock:
            if not _sessions:
                return


def _one_round() -> None:
    if runtime.exists():
        end_sessions(runtime.get_instance())
    _collect_garbage()


def _collect_garbage() -> None:
    """Give back what ended sessions have held: at once where nobody is left to wait for it, else now and then.

    Streamlit's own collection, after every run, is switched off; the heap of the boot is frozen.
    """
    global _collected
    alone = all(one.left is not None for one in list(_sessions.values()))
    if _ended.is_set() and (alone or time.monotonic() - _collected >= APART):
        _ended.clear()
        gc.collect()
        _collected = time.monotonic()


def end_sessions(server: runtime.Runtime) -> bool:
    """Whether a session has ended, or been forgotten, since the last time."""
    news = False
    with _lock:
        gone = {key: mine for key, mine in _sessions.items() if not server.is_active_session(key)}
        for key, mine in gone.items():
            if mine.left is None:
                mine.leave()
                news = True
            elif time.monotonic() - mine.left > STORED:
                del _sessions[key]
                _let_go(mine.own)
                news = True
    if news:
        _ended.set()
    return news
