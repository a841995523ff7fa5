"""Whose run it is: what other visitors of a server can see of a reader's run, and what they can do to it."""

import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.parse import parse_qsl

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.browser.driver import AGES, Server, serving
from tests.wire import Answer, Reader
from ui.text import Words

LONG = {"lang": "en", "steps": "5000", "d_model": "8", "h": "2", "batch": "4", "vocab": "7", "length": "6"}
ALICE, BOB = ("_streamlit_xsrf=2|{}|{}|1".format("00000000", letter * 32) for letter in "ab")
ALICE_AGAIN = "_streamlit_xsrf=2|ffffffff|{}|1".format("5" * 32)  # the same secret under another mask: a ^ f = 5
say = Words("training", "en")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving("app.py") as server:
        yield server


def visit(server: Server, cookie: str = "", **query: str) -> Reader:
    return Reader(server.url, "training", LONG | query, cookie=cookie)


def until(reader: Reader, reached: Callable[[Answer], bool], answer: Answer | None = None) -> Answer:
    """Run the page again until it shows what is awaited; only a broken program lets one wait for ages."""
    end, answer = time.monotonic() + AGES / 1000, answer or reader.rerun()
    while not reached(answer) and time.monotonic() < end:
        time.sleep(0.2)
        answer = reader.rerun()
    assert reached(answer)
    return answer


def labels(reader: Reader) -> set[str]:
    return {key for key, widget in reader.widgets.items() if widget.kind == "button" and not widget.proto.disabled}


def under_way(answer: Answer) -> bool:
    return any(bar.text.startswith("Training: step") for bar in answer.shown("progress"))


def tells(answer: Answer, words: str) -> bool:
    return any(words in text.body for text in answer.shown("markdown"))


def workers_of(server: Server) -> set[str]:
    return set(subprocess.run(["pgrep", "-P", str(server.pid)], capture_output=True, text=True).stdout.split())


def test_a_visitor_who_empties_the_caches_ends_nobodys_run(server: Server) -> None:
    with visit(server, ALICE, seed="1") as alice, visit(server, BOB, seed="2") as bob:
        until(alice, under_way, alice.press(say("start")))
        workers = workers_of(server)
        for _ in range(3):
            bob.send(BackMsg(clear_cache=True))
            bob.rerun()
        assert under_way(alice.rerun())
        assert set() < workers <= workers_of(server)


def test_a_reloaded_page_finds_its_run_and_a_newcomer_does_not(server: Server) -> None:
    with visit(server, ALICE, seed="3") as alice:
        until(alice, under_way, alice.press(say("start")))
        link = dict(parse_qsl(alice.query))
        with visit(server, BOB, **link) as bob, visit(server, **link) as unknown:
            for newcomer in (bob, unknown):
                assert not under_way(newcomer.rerun())
                assert say("pause") not in labels(newcomer)
            assert say("state.gone") in [alert.body for alert in bob.opened.shown("alert")]
    with visit(server, ALICE_AGAIN, **link) as alice:
        until(alice, under_way)


def test_links_to_long_runs_do_not_keep_a_reader_from_training(server: Server) -> None:
    def follow(seed: int) -> Reader:
        run = f"steps:5000,d_model:8,h:2,batch:4,vocab:7,length:6,seed:{seed}"
        return visit(server, model="run", run=run, seed=str(seed))

    with ExitStack() as tabs:
        with ThreadPoolExecutor() as hands:  # each page waits some seconds for its run
            for tab in hands.map(follow, range(100, 106)):  # more than links have places
                tabs.enter_context(tab)
        with visit(server, seed="5", steps="10") as reader:
            answer = reader.press(say("start"))
            until(reader, lambda seen: say("pause") not in labels(reader) and tells(seen, "step 10 ·"), answer)
