"""What the machine gives: cores and memory, on any system, and how many workers that makes."""

import os
from pathlib import Path

import pytest

from transformer_core.training.config import TrainConfig
from ui.training_service import memory_budget
from ui.training_service.memory_budget import DEFAULT, FURTHER, LEAST, MB, MOST, settle, share_out, warn_if_short
from ui.training_service.queue import Slots

GB = 2**30


@pytest.fixture
def group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of this process's control group, in one of a container."""
    (tmp_path / "mine").write_text("0::/container/app\n")
    own = tmp_path / "container" / "app"
    own.mkdir(parents=True)
    monkeypatch.setattr(memory_budget, "CGROUP", tmp_path)
    monkeypatch.setattr(memory_budget, "MINE", tmp_path / "mine")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    return own


def test_without_a_control_group_all_that_the_process_may_use_is_its_own(group: Path) -> None:
    assert memory_budget.cores_of_machine() == 8
    found = memory_budget.memory_of_machine()
    assert found is None or found > GB / 4


def test_the_narrowest_control_group_around_the_process_counts(group: Path) -> None:
    (group / "cpu.max").write_text("max 100000\n")
    (group / "memory.max").write_text("max\n")
    assert memory_budget.cores_of_machine() == 8
    (group.parent / "cpu.max").write_text("350000 100000\n")
    (group.parent / "memory.max").write_text(f"{GB // 8}\n")
    assert memory_budget.cores_of_machine() == 3
    assert memory_budget.memory_of_machine() == GB // 8
    (group / "cpu.max").write_text("50000 100000\n")
    assert memory_budget.cores_of_machine() == 1


@pytest.mark.parametrize("count", [None, 1, 6])
def test_a_system_without_affinity_or_control_groups_counts_its_processors(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, count: int | None
) -> None:
    monkeypatch.setattr(memory_budget, "MINE", tmp_path / "none")
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: count)
    assert memory_budget.cores_of_machine() == (count or 1)


@pytest.mark.parametrize(("cores", "workers"), [(1, 1), (2, 2), (3, 2), (4, 3), (16, 15), (500, MOST)])
def test_a_worker_per_core_and_where_there_are_more_than_two_one_for_the_pages(cores: int, workers: int) -> None:
    assert settle({}, cores, None) == (DEFAULT + (workers - 1) * FURTHER, workers)


@pytest.mark.parametrize(
    ("said", "workers"), [("900", 1), ("1200", 1), (str(DEFAULT + FURTHER), 2), ("3800", 15), ("6000", 15)]
)
def test_there_are_fewer_where_the_memory_that_is_set_would_not_hold_them(said: str, workers: int) -> None:
    assert settle({"GLASSFORMER_MEMORY": said}, 16, 8 * GB) == (int(said), workers)


def test_unless_it_is_set_they_take_no_more_than_half_of_the_machine() -> None:
    workers = 1 + (2048 - DEFAULT) // FURTHER
    assert settle({}, 64, 4 * GB) == (DEFAULT + (workers - 1) * FURTHER, workers)
    assert settle({}, 64, 2 * GB) == (DEFAULT, 1)


@pytest.mark.parametrize("said", ["", "1200", "6000"])
@pytest.mark.parametrize(("has", "total"), [(1024, 1024), (800, 800), (LEAST, LEAST), (512, LEAST)])
def test_they_never_take_more_than_the_machine_has_down_to_what_they_need(said: str, has: int, total: int) -> None:
    assert settle({"GLASSFORMER_MEMORY": said}, 4, has * MB) == (total, 1)


def test_a_machine_that_has_less_is_told_of_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    warn_if_short(None)
    warn_if_short(LEAST * MB)
    assert not caplog.text
    warn_if_short(512 * MB)
    assert "512 MB of memory are too few: the server and a worker need 690." in caplog.text


@pytest.mark.parametrize(
    ("said", "workers"), [("1", 1), ("5", 5), ("0", 1), ("9999999", MOST), ("", 2), ("-3", 2), ("two", 2), ("²", 2)]
)
def test_how_many_there_are_can_be_said_and_nonsense_is_the_default(said: str, workers: int) -> None:
    assert settle({"GLASSFORMER_WORKERS": said}, 2, None)[1] == workers
    assert settle({"GLASSFORMER_WORKERS": said, "GLASSFORMER_MEMORY": "20000"}, 2, None) == (20000, workers)
    assert settle({"GLASSFORMER_WORKERS": said, "GLASSFORMER_MEMORY": "1"}, 2, None) == (LEAST, 1)


@pytest.mark.parametrize("cores", [1, 2, 5, 16, 200])
@pytest.mark.parametrize("said", ["", "690", "900", "1200", "1500", "6000"])
def test_all_shares_together_are_the_budget_and_hold_what_is_promised(cores: int, said: str) -> None:
    total, workers = settle({"GLASSFORMER_MEMORY": said}, cores, None)
    shares = share_out(total, workers)
    assert sum(shares) == total * MB
    assert min(shares) > 0
    places = Slots(small=shares.small_runs, large=shares.large_runs, at_once=workers)
    for config, many, on_a_small_machine in ((TrainConfig(), 58, 12), (TrainConfig.of_task("translate"), 30, 4)):
        together = many if total >= 900 else on_a_small_machine
        assert places.has_room(config, "reports", [(config, "reports")] * (together - 1)), (
            "some sixty of the default size, a class of translators"
        )
    if total >= DEFAULT:
        places.fit(TrainConfig.notes())


def test_the_memory_of_as_many_runs_at_work_as_there_are_workers_is_kept_free() -> None:
    notes = TrainConfig.notes()
    one, two = (Slots(large=notes.memory * 2 - 1, at_once=count) for count in (1, 2))
    assert one.has_room(notes, "reports", [(notes, "reports")])
    assert not two.has_room(notes, "reports", [(notes, "reports")])
