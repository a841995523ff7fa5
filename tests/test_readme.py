"""What the README promises, and what SECURITY.md does."""

import re
import tomllib
from pathlib import Path

import pytest

from ui.training_service import memory_budget
from ui.training_service.memory_budget import MB
from ui.training_service.queue import Slots
from ui.upload_limits import FILES, OWN
from ui.uploads import MOST

ROOT = Path(__file__).resolve().parents[1]
READMES = ["README.md", "README.zh.md"]
DOCS = [f"docs/{name}" for name in ("install", "library", "teaching")]
IN_BOTH = [("README.md", "README.zh.md"), *((f"{name}.md", f"{name}.zh.md") for name in DOCS)]
LONGEST = 100  # lines of the README


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL)


def test_the_example_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = blocks("README.md", "python")
    exec(compile(example, "README.md", "exec"), {})
    assert capsys.readouterr().out.strip() == example.rpartition("# ")[2].strip()


@pytest.mark.parametrize("names", IN_BOTH)
def test_both_languages_give_the_same_commands(names: tuple[str, str]) -> None:
    english, chinese = ([re.sub(r" *#.*", "", block) for block in blocks(name, "(?:sh|python)")] for name in names)
    assert english == chinese


@pytest.mark.parametrize("name", READMES)
def test_the_readme_is_read_in_one_go(name: str) -> None:
    assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= LONGEST


def test_what_the_commands_do_is_said_in_the_language_of_the_page() -> None:
    english, chinese = ([re.findall(r"# .*", block) for block in blocks(name, "sh")[1:]] for name in IN_BOTH[1])
    assert [len(said) for said in english] == [len(said) for said in chinese]
    assert not re.search("[\u4e00-\u9fff]", str(english))
    assert all(re.search("[\u4e00-\u9fff]", comment) for said in chinese for comment in said)


@pytest.mark.parametrize("name", IN_BOTH[1])
def test_every_make_target_is_named_and_no_other(name: str) -> None:
    (listed,) = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    targets = {*listed.split()}
    inline = re.findall(r"`(make [^`\n]+)`", (ROOT / name).read_text(encoding="utf-8"))
    named = {word for line in [*inline, *blocks(name, "sh")] for word in re.findall(r"\bmake (\w+)", line)}
    assert {"run", "test", "check", "wheel", "lock", "clean"} <= named <= targets


EVERY_PAGE = sorted(
    str(path.relative_to(ROOT))
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "deploy").glob("*.md"))
    if path.name != "CHANGELOG.md"
)


@pytest.mark.parametrize("name", EVERY_PAGE)
def test_every_path_that_is_named_and_every_page_that_is_linked_exists(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    named = re.findall(r"`((?:\w+/)+(?:[\w.]+\.(?:py|ipynb|js|toml))?)`", text)
    assert [path for path in named if not (ROOT / path).exists()] == []
    linked = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    assert [path for path in linked if not ((ROOT / name).parent / path).exists()] == []


@pytest.mark.parametrize(
    "limit",
    [
        f"Up to {MOST // MB} MB",
        f"at most {FILES} of them, of {OWN // MB} MB",
        f"all sessions {memory_budget.share_out(memory_budget.DEFAULT, 1).sent // MB} MB",
        f"At most {Slots.reports} runs at once, {Slots.linked} of them",
        f"({memory_budget.DEFAULT:,} unless set, and {memory_budget.FURTHER} for every worker after the first;",
        f"at least {memory_budget.LEAST:,})",
    ],
)
def test_a_limit_that_is_promised_is_the_one_in_the_code(limit: str) -> None:
    assert limit in (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_what_the_server_takes_is_what_is_promised() -> None:
    server = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["server"]
    promised = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert f"up to {server['maxMessageSize']} MB, an upload {server['maxUploadSize']} MB" in promised
    assert server["enableXsrfProtection"]
    assert server["enableCORS"]
