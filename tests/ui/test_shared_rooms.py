"""A class at several servers, with a cluster that answers, or does not: without Ray."""

from typing import Any

import pytest

from ui.classroom.ballot import ClassQuestion
from ui.classroom.rooms import LIFE, Rooms, RoomView
from ui.training_service.ray.shared_rooms import LAST_SEEN, VIEWS, SharedRooms

SIZE = ClassQuestion("attention", "ask_scale", ("order", "pattern", "size"), "size")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


class Cluster:
    """The rooms of all servers, as long as it answers."""

    def __init__(self) -> None:
        self.rooms = Rooms()
        self.joined = self.answers = True

    def was_joined(self) -> bool:
        return self.joined

    def ask_rooms(self, method: str, *given: Any) -> Any:
        if not self.answers:
            raise ConnectionError
        return getattr(self.rooms, method)(*given)


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


@pytest.fixture
def clock() -> Clock:
    return Clock()


def opened(rooms: Rooms) -> str:
    room = rooms.open("teacher")
    assert room is not None
    return room


def seen(rooms: Rooms, room: str, browser: str = "browser") -> RoomView:
    found = rooms.at(room, browser)
    assert found is not None
    return found


def test_no_room_is_opened_that_readers_at_other_servers_could_not_find(cluster: Cluster) -> None:
    """One question that is not answered in time is enough for that."""
    one, other = SharedRooms(cluster), SharedRooms(cluster)
    cluster.answers = False
    assert one.open("teacher") is None
    cluster.answers = True
    room = opened(one)
    assert seen(other, room).room == room


def test_whatever_is_asked_of_a_room_is_asked_where_it_is(cluster: Cluster) -> None:
    one, other = SharedRooms(cluster), SharedRooms(cluster)
    room = opened(one)
    assert one.ask(room, "teacher", SIZE)
    assert seen(other, room).asked == SIZE
    assert other.reply(room, "browser", SIZE.name, 1, "size") == "counted"
    assert one.turn(room, "teacher", "counts")
    assert seen(other, room).counts == ((0, 0, 1),)
    assert other.results(room, "teacher") == cluster.rooms.results(room, "teacher")
    assert one.close(room, "teacher")
    assert other.at(room, "browser") is None


def test_while_nobody_answers_a_page_stays_in_its_room_and_nothing_is_counted(cluster: Cluster, clock: Clock) -> None:
    rooms = SharedRooms(cluster, clock)
    room = opened(rooms)
    rooms.ask(room, "teacher", SIZE)
    before = seen(rooms, room)
    cluster.answers = False
    clock.now += 7.0
    assert seen(rooms, room) == before._replace(left=before.left - 7.0)
    assert rooms.at(room, "somebody else") is None
    assert rooms.reply(room, "browser", SIZE.name, 1, "size") == "away"
    assert not rooms.ask(room, "teacher", SIZE)
    assert not rooms.turn(room, "teacher", "counts")
    assert not rooms.close(room, "teacher")
    assert rooms.results(room, "teacher") is None
    cluster.answers = True
    assert seen(rooms, room).answered == 0


def test_a_room_that_does_not_answer_for_long_is_gone(cluster: Cluster, clock: Clock) -> None:
    rooms = SharedRooms(cluster, clock)
    room = opened(rooms)
    seen(rooms, room)
    cluster.answers = False
    clock.now += LAST_SEEN + 1
    assert rooms.at(room, "browser") is None
    assert LAST_SEEN < LIFE


def test_a_room_that_was_closed_is_not_remembered(cluster: Cluster) -> None:
    rooms = SharedRooms(cluster)
    room = opened(rooms)
    seen(rooms, room)
    cluster.rooms.close(room, "teacher")
    assert rooms.at(room, "browser") is None
    cluster.answers = False
    assert rooms.at(room, "browser") is None


def test_a_server_that_has_never_had_the_cluster_has_rooms_of_its_own_and_they_stay_where_they_are(
    cluster: Cluster,
) -> None:
    rooms = SharedRooms(cluster)
    cluster.joined = cluster.answers = False
    room = opened(rooms)
    cluster.joined = cluster.answers = True
    assert rooms.ask(room, "teacher", SIZE)
    assert rooms.reply(room, "browser", SIZE.name, 1, "size") == "gone", "it has never looked"
    assert seen(rooms, room).asked == SIZE
    assert rooms.reply(room, "browser", SIZE.name, 1, "size") == "counted"
    assert rooms.turn(room, "teacher", "counts")
    (result,) = rooms.results(room, "teacher") or ()
    assert result.asked == SIZE
    assert cluster.rooms.at(room, "browser") is None
    assert rooms.close(room, "teacher")


def test_what_is_remembered_has_an_end(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    assert VIEWS > 0
    monkeypatch.setattr("ui.training_service.ray.shared_rooms.VIEWS", 3)
    rooms = SharedRooms(cluster)
    room = opened(rooms)
    for number in range(5):
        seen(rooms, room, f"browser {number}")
    cluster.answers = False
    assert [rooms.at(room, f"browser {number}") is None for number in range(5)] == [True, True, False, False, False]


def test_no_method_of_a_room_is_left_to_one_server() -> None:
    methods = {name for name in vars(Rooms) if not name.startswith("_")} - {"has"}
    assert methods <= vars(SharedRooms).keys()
