"""Files that no page has read yet: what is beyond a limit is not held, and its page knows which limit it was."""

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from transformer_core.training.not_a_model import NotAModel
from ui import upload_limits
from ui.training_service import memory_budget
from ui.uploads import MOST


@pytest.fixture
def manager() -> MemoryUploadedFileManager:
    manager = MemoryUploadedFileManager("upload")
    upload_limits.bound(manager, own=100, together=250)
    upload_limits.bound(manager, own=1, together=1)  # the second reader's page: once is enough
    return manager


def send(manager: MemoryUploadedFileManager, session: str, name: str, size: int) -> None:
    manager.add_file(session, UploadedFileRec(name, f"{name}.pt", "application/octet-stream", bytes(size)))


def sizes(manager: MemoryUploadedFileManager, session: str, *names: str) -> list[int]:
    return [len(file.data) for file in manager.get_files(session, names)]


def why(manager: MemoryUploadedFileManager, session: str, name: str) -> str | None:
    (file,) = manager.get_files(session, [name])
    try:
        upload_limits.check(file.type)
    except NotAModel as problem:
        return problem.reason
    return None


def test_a_session_has_room_for_so_much_and_what_it_holds_stays(manager: MemoryUploadedFileManager) -> None:
    send(manager, "a", "one", 60)
    send(manager, "a", "two", 40)
    send(manager, "a", "three", 1)
    assert sizes(manager, "a", "one", "two", "three") == [60, 40, 0]
    assert [why(manager, "a", name) for name in ("one", "two", "three")] == [None, None, "waiting_own"]


def test_all_sessions_together_have_room_for_so_much(manager: MemoryUploadedFileManager) -> None:
    for session in "abc":
        send(manager, session, "file", 90)
    assert [sizes(manager, session, "file") for session in "abc"] == [[90], [90], [0]]
    assert why(manager, "c", "file") == "waiting_all"


def test_a_file_that_was_read_gives_its_room_back(manager: MemoryUploadedFileManager) -> None:
    send(manager, "a", "one", 90)
    manager.remove_file("a", "one")
    send(manager, "a", "two", 90)
    assert sizes(manager, "a", "two") == [90]
    manager.remove_session_files("a")
    send(manager, "b", "three", 100)
    send(manager, "c", "four", 100)
    assert (sizes(manager, "b", "three"), sizes(manager, "c", "four")) == ([100], [100])


def test_a_file_sent_again_takes_no_room_twice(manager: MemoryUploadedFileManager) -> None:
    send(manager, "a", "one", 90)
    send(manager, "a", "one", 95)
    assert sizes(manager, "a", "one") == [95]


def test_names_alone_are_not_held_without_end(manager: MemoryUploadedFileManager) -> None:
    for number in range(5 * upload_limits.FILES):
        send(manager, "a", f"file {number}", 0)
    assert len(manager.file_storage["a"]) == upload_limits.FILES


def test_the_room_is_part_of_the_servers_memory_and_holds_the_largest_file_of_a_reader() -> None:
    assert MOST <= upload_limits.OWN <= memory_budget.SENT
    assert memory_budget.share_out(memory_budget.LEAST, 1).sent >= MOST
