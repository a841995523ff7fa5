"""What we lean on in Ray beyond what it promises: the pinned version has it."""

import pytest
from ray._common.constants import HEAD_NODE_RESOURCE_NAME

from tests.test_private_names import listed
from tests.test_streamlit import found


@pytest.mark.parametrize("name", [name for name in listed("ray") if ":" not in name])
def test_ray_has(name: str) -> None:
    found(name)


def test_the_head_of_a_cluster_has_its_resource() -> None:
    assert [name for name in listed("ray") if ":" in name] == [HEAD_NODE_RESOURCE_NAME]
