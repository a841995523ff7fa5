"""Rooms of classes: every reply is counted once, nobody learns what is not his, and nothing outlives its time."""

import importlib.util
import pickle
import random
import string
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.ui.conftest import Clock
from ui.classroom import rooms as module
from ui.classroom import server_rooms
from ui.classroom.ballot import LONGEST_LINK, MOST_REPLIES, ROUNDS, ClassQuestion
from ui.classroom.rooms import (
    BROWSERS,
    CHANGES,
    DESERTED,
    GUESSES,
    LENGTH,
    LETTERS,
    LIFE,
    OPEN_QUESTIONS,
    QUESTIONS,
    Rooms,
    RoomView,
)
from ui.rate_limit import RateLimit, RateLimits

AGES = 300.0  # seconds; only a broken program waits as long
TEACHER, ALICE, BOB = "teacher's secret", "alice's secret", "bob's secret"
SIZE = ClassQuestion(
    "attention", "ask_scale", ("order", "pattern", "size"), "size", (("lesson", "attention"), ("stop", "2"))
)
SUMS = ClassQuestion("attention", "sums", ("rows", "columns", "all"), "rows")


@pytest.fixture
def here(clock: Clock) -> Rooms:
    return Rooms(clock)


@pytest.fixture
def room(here: Rooms) -> str:
    """A room that asks SIZE, with Alice and Bob in it."""
    name = here.open(TEACHER)
    assert name
    assert here.ask(name, TEACHER, SIZE)
    assert here.at(name, ALICE)
    assert here.at(name, BOB)
    return name


def seen(here: Rooms, room: str, browser: str = TEACHER) -> RoomView:
    view = here.at(room, browser)
    assert view is not None
    return view


def counts(here: Rooms, room: str) -> tuple[int, ...]:
    """Those of the last round of what is asked."""
    results = here.results(room, TEACHER)
    assert results
    return results[-1].rounds[-1]


def test_a_room_has_four_letters_that_make_no_word_and_cannot_be_mistaken(here: Rooms) -> None:
    names = [here.open(str(teacher)) for teacher in range(100)]
    assert len(set(names)) == 100
    assert all(name and len(name) == LENGTH and set(name) <= set(LETTERS) for name in names)
    assert set("AEIOULY").isdisjoint(LETTERS)
    assert set(LETTERS) <= set(string.ascii_uppercase)


def test_a_teacher_has_one_room_whatever_is_loaded_anew(here: Rooms) -> None:
    assert here.open(TEACHER) == here.open(TEACHER) != here.open(ALICE)


def test_replies_are_counted_and_shown_only_when_the_teacher_shows_them(here: Rooms, room: str) -> None:
    assert here.reply(room, ALICE, SIZE.name, 1, "size") == "counted"
    assert here.reply(room, BOB, SIZE.name, 1, "order") == "counted"
    for browser in (TEACHER, ALICE):
        view = seen(here, room, browser)
        assert (view.phase, view.round, view.answered, view.joined, view.counts) == ("open", 1, 2, 2, ())
    assert here.turn(room, TEACHER, "counts")
    assert seen(here, room).counts == ((1, 0, 1),)
    assert [seen(here, room, one).mine for one in (ALICE, BOB, TEACHER)] == ["size", "order", None]


def test_a_browser_has_one_reply_in_a_round_and_may_change_it_until_the_reveal(here: Rooms, room: str) -> None:
    for reply in ("order", "size", "size", "pattern"):
        assert here.reply(room, ALICE, SIZE.name, 1, reply) == "counted"
        assert seen(here, room, ALICE).mine == reply
        assert sum(counts(here, room)) == 1
    assert counts(here, room) == (0, 1, 0)
    for phase in ("counts", "told"):
        assert here.turn(room, TEACHER, phase)
        assert here.reply(room, ALICE, SIZE.name, 1, "size") == "late"
        assert here.reply(room, BOB, SIZE.name, 1, "size") == "late"
        assert counts(here, room) == (0, 1, 0)


def test_the_class_votes_again_and_both_rounds_stand_side_by_side(here: Rooms, room: str) -> None:
    here.reply(room, ALICE, SIZE.name, 1, "order")
    here.turn(room, TEACHER, "counts")
    assert here.turn(room, TEACHER, "open")
    view = seen(here, room, ALICE)
    assert (view.round, view.phase, view.answered, view.mine, view.counts) == (2, "open", 0, None, ((1, 0, 0),))
    assert here.reply(room, ALICE, SIZE.name, 1, "size") == "late", "it is of the first round"
    assert here.reply(room, ALICE, SIZE.name, 2, "size") == "counted"
    here.turn(room, TEACHER, "told")
    assert seen(here, room).counts == ((1, 0, 0), (0, 0, 1))
    assert not here.turn(room, TEACHER, "counts"), "what is told is known"


def test_to_open_what_is_open_begins_no_round_and_rounds_have_an_end(here: Rooms, room: str) -> None:
    assert here.turn(room, TEACHER, "open")
    assert seen(here, room).round == 1
    for _ in range(2 * ROUNDS):
        here.turn(room, TEACHER, "counts")
        here.turn(room, TEACHER, "open")
    assert seen(here, room).round == ROUNDS


def test_a_question_that_is_asked_again_goes_on_as_it_was_left(here: Rooms, room: str) -> None:
    here.reply(room, ALICE, SIZE.name, 1, "size")
    assert here.ask(room, TEACHER, SUMS)
    assert here.reply(room, ALICE, SIZE.name, 1, "order") == "late", "another question is asked"
    assert here.reply(room, ALICE, SUMS.name, 1, "rows") == "counted"
    assert here.ask(room, TEACHER, SIZE)
    view = seen(here, room, ALICE)
    assert (view.asked, view.mine, view.answered) == (SIZE, "size", 1)
    assert here.reply(room, ALICE, SIZE.name, 1, "pattern") == "counted"
    assert counts(here, room) == (0, 1, 0)
    results = here.results(room, TEACHER)
    assert results is not None
    assert [(result.asked.question, result.rounds) for result in results] == [
        ("sums", ((1, 0, 0),)),
        ("ask_scale", ((0, 1, 0),)),
    ]


def test_of_questions_long_past_only_counts_are_known(here: Rooms, room: str) -> None:
    here.reply(room, ALICE, SIZE.name, 1, "size")
    for number in range(OPEN_QUESTIONS):
        here.ask(room, TEACHER, SUMS._replace(question=f"sums_{number}"))
    here.ask(room, TEACHER, SIZE)
    view = seen(here, room, ALICE)
    assert (view.phase, view.mine, view.counts) == ("counts", None, ((0, 0, 1),))


def test_a_question_with_other_replies_begins_anew_and_one_with_another_link_goes_on(here: Rooms, room: str) -> None:
    here.reply(room, ALICE, SIZE.name, 1, "size")
    here.ask(room, TEACHER, SIZE._replace(link=(("model", "fresh"),)))
    view = seen(here, room, ALICE)
    assert view.asked
    assert (view.asked.link, view.answered) == ((("model", "fresh"),), 1)
    here.ask(room, TEACHER, SIZE._replace(replies=("size", "order")))
    assert seen(here, room).answered == 0


@pytest.mark.parametrize("reply", ["", "sizes", "0", "<b>", "size "])
def test_a_reply_that_is_none_of_the_question_is_not_counted(here: Rooms, room: str, reply: str) -> None:
    assert here.reply(room, ALICE, SIZE.name, 1, reply) == "late"
    assert sum(counts(here, room)) == 0


def test_a_reply_to_another_question_or_round_is_not_counted(here: Rooms, room: str) -> None:
    for question, number in ((SUMS.name, 1), (("masks", "ask_scale"), 1), (SIZE.name, 0), (SIZE.name, 2)):
        assert here.reply(room, ALICE, question, number, "size") == "late"
    assert sum(counts(here, room)) == 0


def test_a_thousand_replies_of_one_browser_count_once_and_soon_come_too_fast(here: Rooms, room: str) -> None:
    draw = random.Random(0)
    receipts = Counter(here.reply(room, ALICE, SIZE.name, 1, draw.choice(SIZE.replies)) for _ in range(1000))
    assert receipts == {"counted": CHANGES[0], "fast": 1000 - CHANGES[0]}
    assert sum(counts(here, room)) == 1
    assert here.reply(room, BOB, SIZE.name, 1, "size") == "counted", "others are not kept waiting"


def test_who_was_too_fast_may_go_on_after_a_moment(here: Rooms, room: str, clock: Clock) -> None:
    while here.reply(room, ALICE, SIZE.name, 1, "size") == "counted":
        pass
    clock.now += 1 / CHANGES[1]
    assert here.reply(room, ALICE, SIZE.name, 1, "order") == "counted"
    assert counts(here, room) == (1, 0, 0)


def test_three_hundred_replies_at_once_are_counted_exactly(here: Rooms, room: str) -> None:
    def vote(number: int) -> str:
        here.at(room, f"browser {number}")
        here.reply(room, f"browser {number}", SIZE.name, 1, SIZE.replies[number % 2])
        return here.reply(room, f"browser {number}", SIZE.name, 1, SIZE.replies[number % 3])

    with ThreadPoolExecutor(32) as hands:
        assert set(hands.map(vote, range(300))) == {"counted"}
    assert counts(here, room) == (100, 100, 100)
    assert seen(here, room).answered == 300


def test_a_room_has_place_for_so_many_browsers_and_others_look_on(here: Rooms, room: str) -> None:
    for number in range(BROWSERS + 5):
        assert here.at(room, f"browser {number}")
    late = f"browser {BROWSERS + 4}"
    assert seen(here, room).joined == BROWSERS
    assert seen(here, room, late).asked == SIZE
    assert here.reply(room, late, SIZE.name, 1, "size") == "full"
    assert here.reply(room, ALICE, SIZE.name, 1, "size") == "counted"


COMMANDS: dict[str, Callable[[Rooms, str, str], object]] = {
    "ask": lambda here, room, who: here.ask(room, who, SUMS),
    "turn": lambda here, room, who: here.turn(room, who, "told"),
    "results": lambda here, room, who: here.results(room, who),
    "close": lambda here, room, who: here.close(room, who),
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_only_the_browser_that_has_opened_a_room_leads_it(
    here: Rooms, room: str, command: Callable[[Rooms, str, str], object]
) -> None:
    before = seen(here, room, ALICE)
    nowhere = [command(here, "BCDF", who) for who in (ALICE, TEACHER)]
    assert command(here, room, ALICE) == command(here, room, "") == nowhere[0] == nowhere[1]
    assert seen(here, room, ALICE) == before
    assert not before.teaches
    assert seen(here, room).teaches
    assert command(here, room, TEACHER) not in (False, None)


def test_a_room_ends_with_its_teacher_and_after_two_hours(here: Rooms, room: str, clock: Clock) -> None:
    other = here.open(BOB)
    assert other
    assert here.close(room, TEACHER)
    for gone in (room, other):
        if gone is other:
            clock.now += LIFE
        assert here.at(gone, ALICE) is None
        assert here.reply(gone, ALICE, SIZE.name, 1, "size") == "gone"
        assert here.results(gone, TEACHER) is None
    assert here._rooms == {}, "nothing is kept"


def test_a_room_lives_to_the_second_whatever_the_wall_clock_says(
    here: Rooms, room: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 0.0)
    monkeypatch.setattr(time, "time_ns", lambda: 10**30)
    clock.now += LIFE - 1
    assert seen(here, room).left == 1
    clock.now += 1
    assert here.at(room, TEACHER) is None
    assert Rooms()._clock is time.monotonic


def test_what_is_gone_and_what_never_was_are_one_answer(here: Rooms, room: str) -> None:
    here.close(room, TEACHER)
    for name in (room, "BCDF", "", "x" * 10_000, "<b>"):
        assert here.at(name, ALICE) is None
        assert here.reply(name, ALICE, SIZE.name, 1, "size") == "gone"


def test_who_guesses_names_soon_finds_no_room_not_even_the_right_one(here: Rooms, room: str, clock: Clock) -> None:
    for number in range(GUESSES[0]):
        assert here.at(f"{number}", "guesser") is None
    assert here.at(room, "guesser") is None
    assert here.reply(room, "guesser", SIZE.name, 1, "size") == "gone"
    assert here.at(room, "newcomer"), "others find it"
    assert here.at(room, ALICE)
    clock.now += 1 / GUESSES[1]
    assert here.at(room, "guesser")


def test_guesses_under_a_thousand_names_are_held_up_and_the_class_is_not(here: Rooms, room: str, clock: Clock) -> None:
    tried = [here.at(f"{number}", f"guesser {number}") for number in range(1000)]
    assert set(tried) == {None}
    assert here.at(room, "guesser 1000") is None, "nothing is learned"
    assert here.reply(room, ALICE, SIZE.name, 1, "size") == "counted"
    assert seen(here, room, BOB).answered == 1
    clock.now += 1
    assert here.at(room, "newcomer")


def test_a_reply_without_a_look_is_none(here: Rooms, room: str) -> None:
    assert here.reply(room, "never seen", SIZE.name, 1, "size") == "gone"
    assert seen(here, room).answered == 0


def test_rooms_are_so_many_and_a_deserted_one_makes_place(
    here: Rooms, room: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ROOMS", 2)
    other = here.open(BOB)
    assert other
    assert here.open(ALICE) is None
    clock.now += DESERTED
    assert seen(here, room).teaches
    assert here.open(ALICE)
    assert here.at(room, TEACHER)
    assert here.at(other, BOB) is None


@pytest.mark.parametrize(
    "asked",
    [
        SIZE._replace(replies=()),
        SIZE._replace(right="none of them"),
        SIZE._replace(replies=("size", *map(str, range(MOST_REPLIES)))),
        SIZE._replace(question="x" * 1000),
        SIZE._replace(link=(("src", "1 " * LONGEST_LINK),)),
    ],
)
def test_what_is_too_large_or_has_no_right_reply_is_not_asked(here: Rooms, room: str, asked: ClassQuestion) -> None:
    assert not here.ask(room, TEACHER, asked)
    assert seen(here, room).asked == SIZE


def test_questions_of_a_room_are_so_many(here: Rooms, room: str) -> None:
    asked = [here.ask(room, TEACHER, SUMS._replace(question=f"sums_{number}")) for number in range(QUESTIONS)]
    assert asked == [True] * (QUESTIONS - 1) + [False]
    assert here.ask(room, TEACHER, SIZE), "one that was asked before"


def test_all_that_goes_in_and_comes_out_is_a_value_of_its_own(here: Rooms, room: str) -> None:
    here.reply(room, ALICE, SIZE.name, 1, "size")
    before = seen(here, room)
    results = here.results(room, TEACHER)
    for value in (SIZE, before, results):
        assert pickle.loads(pickle.dumps(value)) == value
    here.reply(room, BOB, SIZE.name, 1, "size")
    here.turn(room, TEACHER, "counts")
    assert (before.answered, before.counts) == (1, ())
    assert results
    assert results[-1].rounds == ((0, 0, 1),)


def test_of_browsers_a_room_keeps_no_secret(here: Rooms, room: str) -> None:
    here.reply(room, ALICE, SIZE.name, 1, "size")
    kept = repr(here._rooms)
    assert not [secret for secret in (TEACHER, ALICE, BOB) if secret in kept]
    other = here.open(BOB)
    assert other
    here.at(other, ALICE)
    assert set(here._rooms[room].browsers).isdisjoint(here._rooms[other].browsers), "nor one name in two rooms"


def test_two_teachers_who_are_the_first_to_ask_at_the_same_moment_have_the_same_rooms(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where making them takes so long that both are at it: here each would wait for the other."""
    spec = importlib.util.find_spec(server_rooms.__name__)
    assert spec is not None
    assert spec.loader is not None
    begun = importlib.util.module_from_spec(spec)  # a server of its own
    spec.loader.exec_module(begun)
    together = threading.Barrier(2)

    class Slow(Rooms):
        def __init__(self) -> None:
            together.wait(timeout=AGES)
            super().__init__()

    monkeypatch.setattr(begun, "Rooms", Slow)
    found: list[Rooms] = []
    threads = [threading.Thread(target=lambda: found.append(begun.rooms())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] is found[1]


def test_an_allowance_fills_by_the_clock_and_never_above_its_most() -> None:
    limit = RateLimit(2, 0.5)
    assert [limit.take(10.0) for _ in range(3)] == [True, True, False]
    assert [limit.take(11.9), limit.take(12.0), limit.take(12.0)] == [False, True, False]
    assert [limit.take(1e6) for _ in range(3)] == [True, True, False]


def test_of_many_allowances_the_one_not_heard_of_for_longest_is_let_go() -> None:
    many = RateLimits(1, 0.0, names=2)
    assert many.of("a").take(0.0)
    assert many.of("b").take(0.0)
    assert not many.of("a").has(0.0)
    many.of("c")
    assert not many.of("a").has(0.0)
    assert many.of("b").has(0.0)
