"""The rooms of classes where several servers serve one class."""

import os
import signal
from collections.abc import Callable

import pytest

from tests.cluster.conftest import AGES, connected, engine, until
from ui.classroom.ballot import ClassQuestion
from ui.classroom.rooms import RoomView
from ui.training_service.ray import ray_engine
from ui.training_service.ray.shared_rooms import SharedRooms
from ui.training_service.runs import Runs

SIZE = ClassQuestion("attention", "ask_scale", ("order", "pattern", "size"), "size")


def opened(rooms: SharedRooms) -> str:
    room = rooms.open("teacher")
    assert room is not None
    return room


def seen(rooms: SharedRooms, room: str, browser: str = "browser") -> RoomView:
    found = rooms.at(room, browser)
    assert found is not None
    return found


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_engine, "SETTLED", AGES)
    monkeypatch.setattr(ray_engine, "ANSWERED", AGES)


def test_a_class_whose_readers_are_at_different_servers_is_counted_in_one_room(on: Callable[..., Runs]) -> None:
    one, other = (SharedRooms(engine(on())) for _ in range(2))
    room = opened(one)
    assert other.open("teacher") == room
    assert one.ask(room, "teacher", SIZE)
    for number, rooms in enumerate((one, other, other)):
        assert seen(rooms, room, f"browser {number}").asked == SIZE
        assert rooms.reply(room, f"browser {number}", SIZE.name, 1, "size") == "counted"
    assert seen(one, room, "teacher").answered == seen(other, room, "teacher").answered == 3
    (result,) = other.results(room, "teacher") or ()
    assert result.asked == SIZE
    one.close(room, "teacher")
    assert other.at(room, "browser 0") is None


def test_a_server_that_loses_the_cluster_opens_no_room_and_keeps_its_readers_in_theirs(on: Callable[..., Runs]) -> None:
    runs = on(retry=AGES)
    shared = SharedRooms(engine(runs))
    room = opened(shared)
    assert not shared.has(room)
    assert seen(shared, room).room == room
    os.kill(engine(connected(runs))._bridge.pid, signal.SIGKILL)
    until(lambda: runs.engine.trouble == "away")
    assert shared.open("teacher") is None
    assert seen(shared, room).room == room
    assert shared.reply(room, "browser", SIZE.name, 1, "size") == "away"
    engine(runs)._connect()
    connected(runs)
    assert shared.open("teacher") == room


def test_without_a_cluster_the_rooms_are_those_of_the_server(on: Callable[..., Runs]) -> None:
    shared = SharedRooms(engine(on("127.0.0.1:1")))
    assert shared.has(room := opened(shared))
    assert seen(shared, room).room == room
