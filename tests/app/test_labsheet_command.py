"""The command that checks lab sheets: the core's knows its own exercises, the app's its questions and pages too."""

import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.app.answers import right
from tests.app.conftest import ROOT
from transformer_core.labsheet.command import main as core
from transformer_core.labsheet.judges import JUDGES, worked_out
from transformer_core.labsheet.key import KEYS, key
from transformer_core.labsheet.sheet import Entry, LabSheet
from ui.chapters.practice.labsheet import COMMAND, lab_page
from ui.labsheet import main

ASKED = Entry("question", "tokens learned", "http://localhost/tokens?learned=zero", ())


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """One question, answered right."""
    entry = ASKED._replace(link=f"http://localhost/tokens?{urlencode(right('tokens', 'learned'))}")
    file = tmp_path / "labsheet.html"
    file.write_text(
        lab_page(LabSheet("en", "Ann", (entry._replace(claims=worked_out(entry) or ()),))), encoding="utf-8"
    )
    return file


def test_the_app_judges_its_questions_and_says_what_is_right(sheet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(sheet)]) == 0
    assert "Ann: 1 right, 0 wrong" in capsys.readouterr().out
    assert key(ASKED) == worked_out(ASKED._replace(link="http://localhost/tokens?learned=zero"))


def test_without_the_app_its_questions_are_unchecked(
    sheet: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(JUDGES, "question")
    monkeypatch.delitem(KEYS, "question")
    assert core(["check", "--models", str(sheet)]) == 0
    assert "1 unchecked" in capsys.readouterr().out
    assert key(ASKED) == ()


@pytest.mark.long
def test_the_command_of_the_core_knows_what_stands_below_it(sheet: Path) -> None:
    command = [sys.executable, "-m", "transformer_core.labsheet", "check", str(sheet)]
    assert "1 unchecked" in subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


@pytest.mark.long
def test_the_command_is_found_by_the_name_that_it_has_where_the_app_is_installed(sheet: Path, tmp_path: Path) -> None:
    for name, folder in (("glassformer", ROOT), ("transformer_core", ROOT / "transformer_core")):
        (tmp_path / name).symlink_to(folder, target_is_directory=True)
    command = [sys.executable, "-m", "glassformer.ui.labsheet", "check", str(sheet)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "1 right" in done.stdout


def test_a_sheet_says_the_command_that_is_there(sheet: Path) -> None:
    module = COMMAND.split()[2]
    assert ROOT.joinpath(*module.split(".")).with_suffix(".py").is_file()
    assert f"{COMMAND} FILE" in sheet.read_text(encoding="utf-8")
