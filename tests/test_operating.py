"""What the operator's page says, in both languages, beside the code."""

import math
import re
import tomllib

import pytest

from tests.test_structure import ROOT, our_sources
from ui.host import metrics
from ui.training_service import memory_budget

PAGES = ["docs/hosting.md", "docs/hosting.zh.md"]


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def rows(name: str, first: str) -> list[list[str]]:
    """The rows of tables that begin with `first…`: the code of the first cell, and the other cells."""
    return [re.split(r" +\| +", row) for row in re.findall(rf"(?m)^\| `({first}\w+.*) \|$", page(name))]


@pytest.mark.parametrize("name", PAGES)
def test_every_variable_that_the_code_reads_is_in_the_table_and_no_other(name: str) -> None:
    read = {found for path in our_sources() for found in re.findall(r"GLASSFORMER_[A-Z]+", path.read_text())}
    assert sorted(row[0].strip("`") for row in rows(name, "GLASSFORMER_")) == sorted(read)


@pytest.mark.parametrize("name", PAGES)
def test_every_metric_is_in_the_table_and_no_other(name: str) -> None:
    given = {*re.findall(r"# TYPE (\w+) ", metrics.report()), "glassformer_memory_bytes"}  # which Linux alone has
    assert {re.sub(r"[`{].*", "", row[0]) for row in rows(name, "glassformer_")} == given


@pytest.mark.parametrize("name", PAGES)
def test_the_memory_it_names_is_that_of_the_code(name: str) -> None:
    (row,) = (row for row in rows(name, "GLASSFORMER_") if row[0].startswith("GLASSFORMER_MEMORY"))
    assert f" {memory_budget.LEAST}" in row[1]
    assert row[2].startswith(f"`{memory_budget.DEFAULT}`")
    assert f" {memory_budget.FURTHER}" in row[2]
    total, workers = memory_budget.settle({}, 16, None)
    assert f"`GLASSFORMER_MEMORY={math.ceil(total / 100) * 100}`" in page(name)
    assert workers == 15
    sent = memory_budget.share_out(memory_budget.DEFAULT, 1).sent // memory_budget.MB
    assert re.search(rf"\b{sent} MB.*\b{sent // 2} MB", page(name), re.ASCII)


@pytest.mark.parametrize("name", PAGES)
def test_a_server_of_the_hosts_own_takes_messages_as_large_as_ours(name: str) -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert f"--ws-max-size {settings['server']['maxMessageSize'] * memory_budget.MB}`" in page(name)


def test_both_languages_have_the_same_commands_and_figures() -> None:
    english, chinese = (sorted(re.findall(r"`[^`]+`", page(name))) for name in PAGES)
    assert english == chinese
    english, chinese = (re.findall(r"(?m)^\| .*\|$", page(name)) for name in PAGES)
    assert [re.findall(r"[\d.]+", row) for row in english] == [re.findall(r"[\d.]+", row) for row in chinese]


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_the_readme_leads_to_it(name: str) -> None:
    assert f"({name.replace('README', 'docs/hosting')})" in page(name)
