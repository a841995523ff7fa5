"""What is counted of reruns."""

import pytest

from ui.rerun_metrics import BOUNDS, Reruns, Times


@pytest.mark.parametrize(("seconds", "at"), [(0.0, 0), (0.025, 0), (0.026, 1), (0.3, 4), (10.0, 8), (11.0, 9)])
def test_a_time_counts_where_it_is_within_the_bound(seconds: float, at: int) -> None:
    seen = Times().and_one(seconds, failed=False)
    assert [index for index, count in enumerate(seen.counts) if count] == [at]
    assert len(seen.counts) == len(BOUNDS) + 1
    assert seen.seconds == seconds


def test_parts_are_counted_apart() -> None:
    reruns = Reruns()
    before = reruns.seen
    for part in ("page", "fragment", "fragment"):
        with reruns.timed(part):
            pass
    assert [sum(times.counts) for times in reruns.seen.values()] == [1, 2]
    assert sum(before["page"].counts) == 0, "a look never changes"


class MakesWay(BaseException):
    """As Streamlit's own, when a page is asked for anew."""


@pytest.mark.parametrize(("end", "failed"), [(ValueError, 1), (MakesWay, 0)])
def test_a_rerun_that_ends_in_an_error_has_failed_and_one_that_makes_way_has_not(
    end: type[BaseException], failed: int
) -> None:
    reruns = Reruns()
    with pytest.raises(end), reruns.timed("page"):
        raise end
    assert sum(reruns.seen["page"].counts) == 1
    assert reruns.seen["page"].failed == failed
