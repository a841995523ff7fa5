"""The rooms of classes where several servers serve one class."""

import os
import signal
from collections.abc import Callable

import pytest

from tests.cluster.conftest import AGES, connected, engine, until
from ui.server.ballot import Asked
from ui.server.cluster import engine as module
from ui.server.cluster.rooms import SharedRooms
from ui.server.rooms import Rooms
from ui.server.runs import Runs

SIZE = Asked("attention", "ask_scale", ("order", "pattern", "size"), "size")


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SETTLED", AGES)
    monkeypatch.setattr(module, "ANSWERED", AGES)


def test_a_class_whose_readers_are_at_different_servers_is_counted_in_one_room(on: Callable[..., Runs]) -> None:
    one, other = (SharedRooms(engine(on()), Rooms()) for _ in range(2))
    room = one.open("teacher")
    assert other.open("teacher") == room
    assert one.ask(room, "teacher", SIZE)
    for number, rooms in enumerate((one, other, other)):
        assert rooms.at(room, f"browser {number}").asked == SIZE
        assert rooms.reply(room, f"browser {number}", SIZE.name, 1, "size") == "counted"
    assert one.at(room, "teacher").answered == other.at(room, "teacher").answered == 3
    (result,) = other.results(room, "teacher")
    assert result.asked == SIZE
    one.close(room, "teacher")
    assert other.at(room, "browser 0") is None


def test_a_server_that_loses_the_cluster_has_rooms_of_its_own_until_it_is_back(on: Callable[..., Runs]) -> None:
    runs = on(retry=AGES)
    here = Rooms()
    shared = SharedRooms(engine(runs), here)
    room = shared.open("teacher")
    assert here.at(room, "browser") is None
    os.kill(engine(connected(runs))._bridge.pid, signal.SIGKILL)
    until(lambda: runs.trouble == "away")
    assert (own := shared.open("teacher")) != room
    assert here.at(own, "browser").room == own
    engine(runs)._connect()
    connected(runs)
    assert shared.at(room, "browser").room == room


def test_without_a_cluster_the_rooms_are_those_of_the_server(on: Callable[..., Runs]) -> None:
    here = Rooms()
    shared = SharedRooms(engine(on("127.0.0.1:1")), here)
    assert here.at(room := shared.open("teacher"), "browser").room == room
