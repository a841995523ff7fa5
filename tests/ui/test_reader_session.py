"""Who is here: sessions that end, come back, and are forgotten."""

import gc
import time
from typing import Any

import pytest

from transformer_core.training.checkpoint import to_bytes
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model
from ui import session as session_module
from ui.session import ReaderSession, _watch_sessions, end_sessions
from ui.uploads import Upload, take


def own_model(file: str) -> Upload:
    config = TrainConfig(vocab=7, length=6, d_model=8, h=2, steps=30)
    return take(file, to_bytes(fresh_model(config), config, 20))


class Server:
    """As much of Streamlit's as is asked: which sessions are active."""

    def __init__(self, *active: str) -> None:
        self.active = set(active)

    def is_active_session(self, session: str) -> bool:
        return session in self.active


class Runs:
    """Notes who has left what, and who has come back for it."""

    def __init__(self) -> None:
        self.left: list[str] = []

    def leave(self, run: str) -> None:
        self.left.append(run)

    def stay(self, run: str) -> None:
        self.left.remove(run)


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    runs: Any = Runs()
    sessions = {
        "a": ReaderSession(runs, run="own", pairs={TrainConfig(): "scaled", TrainConfig(scale=False): "plain"}),
        "b": ReaderSession(runs, run="other"),
    }
    monkeypatch.setattr(session_module, "_sessions", sessions)
    return sessions


def test_the_runs_of_a_session_that_has_ended_are_left_once(sessions: dict[str, Any]) -> None:
    server: Any = Server("b")
    assert end_sessions(server)
    assert sorted(sessions["a"].runs.left) == ["own", "plain", "scaled"]
    assert not end_sessions(server), "it is no news any more"
    assert len(sessions["a"].runs.left) == 3
    assert sessions["b"].left is None


def test_a_session_that_comes_back_keeps_its_runs(sessions: dict[str, Any]) -> None:
    server: Any = Server("b")
    end_sessions(server)
    sessions["a"].come_back()
    assert sessions["a"].runs.left == []
    server.active.add("a")
    assert not end_sessions(server)


def test_a_session_that_stays_away_is_forgotten(sessions: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    server: Any = Server("b")
    end_sessions(server)
    monkeypatch.setattr(session_module, "STORED", -1.0)
    assert end_sessions(server)
    assert set(sessions) == {"b"}


def test_an_own_model_is_let_go_when_its_last_seat_is_forgotten_or_has_another(
    sessions: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = own_model("first.pt"), own_model("second.pt")
    sessions["a"].take(first)
    sessions["b"].take(first)  # the same browser, in another tab
    sessions["a"].take(second)
    assert first.model is not None
    assert sessions["b"].upload == first
    sessions["b"].take(second)
    assert first.model is None
    monkeypatch.setattr(session_module, "STORED", -1.0)
    server: Any = Server("b")
    end_sessions(server)
    end_sessions(server)
    assert set(sessions) == {"b"}
    assert second.model is not None
    server.active.clear()
    end_sessions(server)
    end_sessions(server)
    assert second.model is None


def test_an_own_model_is_found_again_by_its_browser_alone(sessions: dict[str, Any]) -> None:
    mine = own_model("mine.pt")
    sessions["a"].browser, sessions["b"].browser = "reader", "other"
    sessions["a"].take(mine)
    assert session_module._upload_of_browser("reader") == mine
    assert session_module._upload_of_browser("other") is None
    assert session_module._upload_of_browser(None) is None
    sessions["a"].browser = None
    assert session_module._upload_of_browser(None) is None


def test_those_who_look_after_the_seats_survive_a_round_that_fails_and_say_so(
    sessions: dict[str, Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rounds: list[int] = []

    def go_round() -> None:
        rounds.append(len(rounds))
        if len(rounds) < 5:
            raise RuntimeError("the session storage is being changed")
        sessions.clear()  # the last reader has gone

    monkeypatch.setattr(session_module, "_one_round", go_round)
    monkeypatch.setattr(session_module, "ROUND", 0.0)
    _watch_sessions()
    assert len(rounds) == 5
    told = [record for record in caplog.records if record.name == session_module.__name__]
    assert len(told) == 1, "once, and not in every round"
    assert told[0].exc_info is not None


def test_what_ended_sessions_have_held_is_given_back_now_and_then_and_at_once_where_nobody_reads(
    sessions: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    collected: list[int] = []

    def collections(apart: float, ended: bool) -> int:
        monkeypatch.setattr(session_module, "APART", apart)
        if ended:
            session_module._ended.set()
        session_module._collect_garbage()
        return len(collected)

    monkeypatch.setattr(session_module, "_collected", time.monotonic())
    monkeypatch.setattr(gc, "collect", lambda: collected.append(1))
    long = 1e9
    assert collections(long, ended=True) == 0
    assert collections(0.0, ended=False) == 1
    assert collections(0.0, ended=False) == 1, "nothing has ended since"
    for one in sessions.values():
        one.left = 0.0
    assert collections(long, ended=True) == 2


def test_a_session_whose_run_cannot_be_left_does_not_keep_the_others(sessions: dict[str, Any]) -> None:
    """What is left over from a round that failed is done in the next ones."""
    server: Any = Server()

    def refuse(run: str) -> None:
        raise RuntimeError("its timer cannot be started")

    broken: Any = Runs()
    broken.leave = refuse
    sessions["a"].runs = broken
    with pytest.raises(RuntimeError):
        end_sessions(server)
    end_sessions(server)
    assert sessions["b"].left is not None
    assert sessions["b"].runs.left == ["other"]
