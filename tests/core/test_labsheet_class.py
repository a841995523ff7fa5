"""A class's lab sheets at once: a folder of files, the slips of all, and links that are opened once."""

from pathlib import Path

import pytest

from tests.core.test_labsheet import SEED, edit, first_claim, mended, page, solved, worksheet
from tests.core.test_parsons import with_distractor
from transformer_core.exercises.parsons import PUZZLES
from transformer_core.exercises.parsons.assembly import written
from transformer_core.exercises.worksheet import TASKS
from transformer_core.labsheet.check import check, once
from transformer_core.labsheet.command import SAME, WHY, main
from transformer_core.labsheet.file import LARGEST
from transformer_core.labsheet.sheet import Entry, LabSheet

TASK = "attention"


def with_slip(seed: int) -> Entry:
    """A worksheet whose first blank with a known slip has that."""
    blanks, replies = TASKS[TASK].exercise(seed).blanks, solved(TASK, seed)
    at = next(at for at, blank in enumerate(blanks) if blank.slips)
    replies[at] = f"{next(iter(blanks[at].slips.values())):.4f}"
    return worksheet(TASK, replies, seed)


def test_a_folder_is_its_files_and_those_of_its_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("anna", "ben"):
        (tmp_path / name).mkdir()
        text = page(LabSheet("en", name, (worksheet("beam", solved("beam")),)))
        (tmp_path / name / "labsheet.html").write_text(text, encoding="utf-8")
    (tmp_path / ".hidden").write_text("no sheet", encoding="utf-8")
    (tmp_path / ".folder").mkdir()
    (tmp_path / ".folder" / "labsheet.html").write_text("no sheet", encoding="utf-8")
    assert main(["check", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[1] for line in lines[:-1]] == ["anna", "ben"]
    assert lines[-1] == SAME


def test_whatever_lies_among_them_has_its_sentence_and_the_others_are_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = page(LabSheet("en", "", (worksheet("beam", solved("beam")),)))
    files: dict[str, str | bytes] = {
        "a.html": good,
        "binary.html": b"\xff\xfe\0\x01",
        "empty.html": "",
        "judged.html": edit(good, lambda said: first_claim(said).update(kind="wrong")),
        "large.html": " " * (5 * LARGEST),
        "other.html": "<html><body>homework</body></html>",
        "version.html": good.replace('"version":2', '"version":3'),
        "z.html": good,
    }
    for name, text in files.items():
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    assert main(["check", str(tmp_path)]) == 2
    told = {line.split(": ")[0].rpartition("/")[2]: line for line in capsys.readouterr().out.splitlines()[:-1]}
    assert [*told] == [*files]
    for name in ("binary.html", "empty.html", "other.html"):
        assert told[name].endswith(WHY["none"])
    assert told["large.html"].endswith(WHY["huge"])
    assert told["version.html"].endswith(WHY["version"])
    assert "1 differing" in told["judged.html"]
    assert all("0 wrong, 0 changed, 0 differing" in told[name] for name in ("a.html", "z.html"))


def test_an_empty_folder_has_its_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path)]) == 2
    assert capsys.readouterr().out == f"{tmp_path}: {WHY['missing']}\n"


def test_the_slips_of_all_are_counted_in_sheets_the_most_frequent_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    greedy = PUZZLES["greedy"]
    bug = mended("greedy", written(with_distractor(greedy, greedy.distractors[0])))
    for seed in (SEED, SEED + 1):
        entries = (with_slip(seed), bug) if seed == SEED else (bug, worksheet("beam", solved("beam")))
        (tmp_path / f"{seed}.html").write_text(page(LabSheet("en", "", entries)), encoding="utf-8")
    assert main(["check", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    slip = next(claim.cause for claim in with_slip(SEED).claims if claim.kind == "slip")
    assert lines[3:] == [f"     2  mend greedy: {greedy.distractors[0].name}", f"     1  worksheet {TASK}: {slip}"]


def test_a_link_that_thirty_sheets_have_is_opened_once() -> None:
    opened = list[str]()

    def show(entry: Entry) -> Entry:
        opened.append(entry.link)
        return entry

    keeps = once(show)
    for reader in range(30):
        one = worksheet("beam", solved("beam"), note=f"note {reader}")._replace(kind="of a model")
        outcomes = check(LabSheet("en", f"reader {reader}", (one,)), keeps)
        assert {outcome.state for outcome in outcomes} == {"right"}
    assert len(opened) == 1
