"""Who is here: sessions that end, come back, and are forgotten."""

from typing import Any

import pytest

from transformer_core.training.config import TrainConfig
from ui.server import seat as seat_module
from ui.server.seat import Seat, tidy


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
def seats(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    runs: Any = Runs()
    seats = {
        "a": Seat(runs, run="own", pairs={TrainConfig(): "scaled", TrainConfig(scale=False): "plain"}),
        "b": Seat(runs, run="other"),
    }
    monkeypatch.setattr(seat_module, "_seats", seats)
    return seats


def test_the_runs_of_a_session_that_has_ended_are_left_once(seats: dict[str, Any]) -> None:
    server: Any = Server("b")
    assert tidy(server)
    assert sorted(seats["a"].runs.left) == ["own", "plain", "scaled"]
    assert not tidy(server), "it is no news any more"
    assert len(seats["a"].runs.left) == 3
    assert seats["b"].left is None


def test_a_session_that_comes_back_keeps_its_runs(seats: dict[str, Any]) -> None:
    server: Any = Server("b")
    tidy(server)
    seats["a"].come_back()
    assert seats["a"].runs.left == []
    server.active.add("a")
    assert not tidy(server)


def test_a_session_that_stays_away_is_forgotten(seats: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    server: Any = Server("b")
    tidy(server)
    monkeypatch.setattr(seat_module, "STORED", -1.0)
    assert tidy(server)
    assert set(seats) == {"b"}
