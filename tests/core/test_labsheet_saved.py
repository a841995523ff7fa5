"""A lab sheet as it comes back: saved by an editor or a browser, zipped by a learning platform, or with ill intent."""

import csv
import io
import struct
import zipfile
from pathlib import Path

import pytest

from tests.core.test_labsheet import SEED, page, sheet, solved, worksheet
from transformer_core.labsheet import command, handed_in
from transformer_core.labsheet.command import main
from transformer_core.labsheet.file import LARGEST, Unreadable, found_in
from transformer_core.labsheet.sheet import Entry, LabSheet

GOOD = page(sheet())
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gb18030"]
Out = pytest.CaptureFixture[str]


def handed(name: str, *entries: Entry) -> str:
    return page(LabSheet("en", name, entries or (worksheet("beam", solved("beam")),)))


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_sheet_that_an_editor_has_saved_is_the_same_sheet(encoding: str, ends: str) -> None:
    text = GOOD.replace("<p>", "\n<p>").replace("\n", ends)
    found = found_in(text.encode(encoding))
    assert found.unchanged
    assert found.sheet == sheet()


def test_a_sheet_in_the_letters_of_the_west_is_read() -> None:
    found = found_in(handed("José").encode("cp1252"))
    assert found.unchanged
    assert found.sheet.name == "José"


def test_a_page_that_a_browser_has_saved_with_all_that_belongs_to_it_is_the_same_sheet() -> None:
    text = GOOD.replace(
        "<!doctype html>", "<!DOCTYPE html>\r\n<!-- saved from url=(0029)http://localhost/practice -->\r\n"
    )
    text = text.replace("<head>", '<head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8">')
    text = text.replace("</body>", '<div id="of-an-extension" style="all: initial"></div></body>')
    assert found_in(text.encode()).unchanged


def mhtml(text: str) -> bytes:
    return (
        'From: <Saved by Blink>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\ttype="text/html";'
        '\r\n\tboundary="----b--x----"\r\n\r\n\r\n------b--x----\r\nContent-Type: text/html; charset=utf-8\r\n'
        "Content-Transfer-Encoding: 8bit\r\n\r\n" + text + "\r\n------b--x------\r\n"
    ).encode()


def test_of_mhtml_the_page_is_read_and_where_the_browser_has_left_its_data_out_that_is_said() -> None:
    assert found_in(mhtml(GOOD)).unchanged
    with pytest.raises(Unreadable) as refused:
        found_in(mhtml("<html><body><p>what was shown</p></body></html>"))
    assert refused.value.reason == "mhtml"


def zipped(files: dict[str, str | bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", kind) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


PLATFORMS = {
    "Name One_98765_assignsubmission_file/labsheet.html": "Name One",
    "陈一_98766_assignsubmission_file_labsheet.html": "陈一",
    "twoname_LATE_1234_56789_labsheet-1.html": "twoname",
    "threename_1235_56790_labsheet.html": "threename",
    "Lab 3_four_attempt_2026-11-26-20-00-00_labsheet.html": "four",
    "labsheet.html": "",
}


def test_the_zip_of_a_learning_platform_is_its_files_each_with_its_student(tmp_path: Path, capsys: Out) -> None:
    files: dict[str, str | bytes] = {
        name: handed(f"reader {at}", worksheet("beam", solved("beam", at), at)) for at, name in enumerate(PLATFORMS, 1)
    }
    (tmp_path / "all.zip").write_bytes(zipped({**files, "__MACOSX/._labsheet.html": "x", "empty/": ""}))
    assert main(["check", "--csv", "-", str(tmp_path / "all.zip")]) == 0
    out, err = capsys.readouterr()
    rows = {row["file"].partition(" › ")[2]: row for row in csv.DictReader(io.StringIO(out))}
    assert {name: row["student"] for name, row in rows.items()} == PLATFORMS
    assert len(err.splitlines()) == len(PLATFORMS)
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        archive.extractall(tmp_path / "unpacked")
    assert main(["check", "--csv", "-", str(tmp_path / "unpacked")]) == 0
    students = [row["student"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))]
    assert sorted(students) == sorted(PLATFORMS.values())


def test_a_name_in_the_old_letters_of_china_is_read() -> None:
    one = zipfile.ZipInfo("x")
    one.filename, one.flag_bits = "陈一_1_assignsubmission_file/a.html".encode("gb2312").decode("cp437"), 0
    assert handed_in._name(one) == "陈一_1_assignsubmission_file/a.html"


def test_a_table_has_a_row_for_each_file_and_no_cell_of_it_is_a_formula(tmp_path: Path, capsys: Out) -> None:
    folder = tmp_path / "handed-in"
    folder.mkdir()
    wrong = worksheet("beam", [*solved("beam")[:-1], "77"])
    (folder / "a.html").write_text(handed("=1+1", wrong, worksheet("attention", ["x"], 3)), encoding="utf-8")
    (folder / "b.pdf").write_bytes(b"%PDF-1.7")
    (folder / "c.html").write_text(handed("陈").replace('"note":""', '"note":"x"'), encoding="utf-8")
    table = folder / "marks.csv"
    for _ in range(2):  # the table itself is none of the files
        assert main(["check", "--csv", str(table), str(folder)]) == 2
    assert table.read_bytes().startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8-sig"))))
    assert [row["name"] for row in rows] == ["'=1+1", "", "陈"]
    right = len(solved("beam"))
    counted = [[row[name] for name in ("exercises", "right", "wrong", "differing", "unchecked")] for row in rows]
    assert counted == [["2", str(right - 1), "2", "0", "0"], [""] * 5, ["1", str(right), "0", "0", "0"]]
    assert [row["notes"] for row in rows] == ["", command.WHY["pdf"], command.CHANGED]
    assert "a.html" in capsys.readouterr().out
    assert main(["check", "--csv", str(tmp_path / "nowhere" / "marks.csv"), str(folder)]) == 2
    assert "nowhere" in capsys.readouterr().err


def test_sheets_that_are_the_same_are_named_and_what_is_the_same_of_them(tmp_path: Path, capsys: Out) -> None:
    wrong = [*solved("beam")[:-1], "77"]
    sheets = {
        "1.html": handed("one", worksheet("beam", wrong, note="mine")),
        "2.html": handed("two", worksheet("beam", wrong)),
        "3.html": handed("one", worksheet("beam", wrong, note="mine")),
        "4.html": handed("four", worksheet("beam", solved("beam", SEED + 1), SEED + 1)),
        "5.html": handed("five", worksheet("beam", solved("beam"))),
        "6.html": handed("six", worksheet("beam", [])),
        "7.html": handed("seven", worksheet("beam", [])),
    }
    for name, text in sheets.items():
        (tmp_path / name).write_bytes(("\ufeff" if name == "3.html" else "").encode() + text.encode())
    table = tmp_path.parent / "same.csv"
    assert main(["check", "--csv", str(table), str(tmp_path)]) == 0
    lines = {line.split(": ")[0]: line for line in capsys.readouterr().out.splitlines()}
    first = tmp_path / "1.html"
    answers = "the same answers to the same exercises as"
    assert lines[f"{tmp_path / '2.html'}"].endswith(f"; {answers} {first}, 1 of them wrong")
    assert lines[f"{tmp_path / '3.html'}"].endswith(f"; word for word the same sheet as {first}")
    assert all("; " not in lines[f"{tmp_path / f'{name}.html'}"] for name in (1, 4, 5, 6, 7))
    assert command.SAME.split(": ")[0] in lines
    notes = [row["notes"] for row in csv.DictReader(io.StringIO(table.read_text(encoding="utf-8-sig")))]
    said = f"{answers} {tmp_path / '2.html'}, 1 of them wrong; word for word the same sheet as {tmp_path / '3.html'}"
    assert notes[0] == said
    assert notes[3:] == [""] * 4


def locked() -> bytes:
    content = bytearray(zipped({"a.html": GOOD}, zipfile.ZIP_STORED))
    for at in (6, content.rindex(b"PK\x01\x02") + 8):
        content[at] |= 1
    return bytes(content)


def of_many() -> bytes:
    return zipped({f"{at}.html": "x" for at in range(handed_in.MEMBERS + 1)})


def with_long_list() -> bytes:
    content = bytearray(zipped({"a.html": GOOD}))
    at = content.rindex(b"PK\x05\x06")
    content[at + 12 : at + 16] = struct.pack("<L", handed_in.DIRECTORY + 1)
    return bytes(content)


def deep() -> bytes:
    return zipped({"one.zip": zipped({"two.zip": zipped({"a.html": GOOD})})})


HOSTILE = {
    "zip": [
        b"PK\x03\x04 and no more",
        zipped({"a.html": GOOD})[:-30],
        zipped({"a.html": GOOD}).replace(b"PK\x01\x02", b"PK\x01\x03"),
    ],
    "locked": [locked()],
    "deep": [deep()],
    "many": [of_many(), with_long_list()],
    "huge": [zipped({"bomb.html": b" " * (100 * LARGEST)})],
    "missing": [zipped({}), zipped({".hidden": "x"})],
}  # fmt: skip


@pytest.mark.parametrize("reason", HOSTILE)
def test_a_zip_that_is_none_or_means_ill_has_its_sentence(
    reason: str, tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for content in HOSTILE[reason]:
        Path("all.zip").write_bytes(content)
        assert main(["check", "all.zip"]) == 2
        (said,) = {line.partition(": ")[2] for line in capsys.readouterr().out.splitlines()} - {command.WHY["none"]}
        assert said == {**command.WHY}[reason]  # type: ignore[index]
    assert [path.name for path in tmp_path.iterdir()] == ["all.zip"]


def test_all_that_is_read_of_a_zip_and_of_those_in_it_is_bounded(
    tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handed_in, "ALTOGETHER", 3 * LARGEST)
    inner = zipped({f"{at}.html": b" " * (LARGEST - 1) for at in range(3)})
    (tmp_path / "all.zip").write_bytes(zipped({"a/one.zip": inner, "b/two.zip": inner}))
    assert main(["check", str(tmp_path / "all.zip")]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.endswith(command.WHY["none"]) for line in lines) == 2
    assert lines[-1].endswith(command.WHY["many"])


def test_a_zip_in_the_zip_of_all_is_its_students(tmp_path: Path, capsys: Out) -> None:
    inner = zipped({"my work/labsheet.html": handed("one")})
    (tmp_path / "all.zip").write_bytes(zipped({"../../Name One_9_assignsubmission_file/work.zip": inner}))
    assert main(["check", "--csv", "-", str(tmp_path / "all.zip")]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["student"], row["name"]) == ("Name One", "one")
    assert [path.name for path in tmp_path.iterdir()] == ["all.zip"]
