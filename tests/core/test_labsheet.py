"""A lab sheet: what was written is read and worked out again, and what is no sheet gets its sentence."""

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.core.test_parsons import with_distractor
from transformer_core.exercises.drawing import rate, wave
from transformer_core.exercises.drawing.packed import packed as packed_levels
from transformer_core.exercises.faults.which_fault import FAULTS, fault_of
from transformer_core.exercises.parsons import PUZZLES
from transformer_core.exercises.parsons.assembly import right, written
from transformer_core.exercises.reply import packed
from transformer_core.exercises.worksheet import TASKS
from transformer_core.labsheet import command, judges
from transformer_core.labsheet.check import Show, check
from transformer_core.labsheet.command import main
from transformer_core.labsheet.file import BEGIN, END, LARGEST, OfSheet, Unreadable, found, with_data
from transformer_core.labsheet.judges import worked_out
from transformer_core.labsheet.sheet import ENTRIES, NOTE, Claim, Entry, LabSheet, from_plain, plain

SEED, CLASS = 7, 30


def link(**said: object) -> str:
    return f"http://localhost/class/practice?{urlencode(said)}"


def answered(kind: str, what: str, link: str, note: str = "") -> Entry:
    """As the app gathers it."""
    entry = Entry(kind, what, link, (), note=note, presses=1)
    return entry._replace(claims=worked_out(entry) or ())


def worksheet(task: str, replies: list[str], seed: int = SEED, note: str = "") -> Entry:
    said = {"sheet_task": task, "sheet_seed": seed, "sheet_replies": packed(replies), "sheet_first": packed(["1"])}
    return answered("worksheet", f"{task} {seed}", link(**said), note)


def solved(task: str, seed: int = SEED) -> list[str]:
    return [f"{blank.right:.2f}" for blank in TASKS[task].exercise(seed).blanks]


def mended(puzzle: str, order: str) -> Entry:
    return answered("mend", puzzle, link(mend_puzzle=puzzle, mend_judged=order, mend_first="00"))


@cache
def sheet() -> LabSheet:
    """Of each exercise one, right or not, with what might break out of a page."""
    greedy = PUZZLES["greedy"]
    entries = [worksheet(task, solved(task)) for task in TASKS]
    entries += [mended(name, written(right(puzzle))) for name, puzzle in PUZZLES.items() if name != "greedy"]
    entries += [mended("greedy", written(with_distractor(greedy, greedy.distractors[0])))]
    entries += [worksheet("beam", ["0.12", "one", "1e999"], 9, note='</script><b>&amp;"\u2028 注')]
    return LabSheet("zh", "<b>小明</b>", tuple(entries))


def page(of: LabSheet) -> str:
    body = "".join(f"<p>{claim.at} = {claim.reply}: {claim.kind}</p>" for one in of.entries for claim in one.claims)
    return with_data(f"<!doctype html><html><head><style>p{{}}</style></head><body>{body}</body></html>", of)


def data(text: str) -> str:
    return text.partition(BEGIN)[2].partition(END)[0]


def states(text: str) -> list[str]:
    return [one.state for one in check(found(text).sheet)]


def test_a_sheet_is_read_as_it_was_written() -> None:
    read = found(page(sheet()))
    assert read.sheet == sheet()
    assert read.unchanged
    assert from_plain(json.loads(json.dumps(plain(sheet())))) == sheet()


def test_what_its_links_give_is_what_it_says() -> None:
    outcomes = check(sheet())
    of = {kind: [one.state for one in outcomes if one.claim.kind == kind] for kind in ("right", "slip", "unread")}
    assert set(of["right"]) == {"right"}
    blanks = sum(len(TASKS[task].exercise(SEED).blanks) for task in TASKS)
    assert len(of["right"]) >= blanks + len(PUZZLES) - 1
    assert of["unread"] == ["wrong", "wrong"]
    assert {one.state for one in outcomes} == {"right", "wrong"}


def test_the_number_of_a_blank_is_told_only_with_a_right_reply() -> None:
    task = next(iter(TASKS))
    replies = [*solved(task)[:1], "77"]
    claims = worked_out(worksheet(task, replies)) or ()
    assert [len(claim.numbers) for claim in claims] == [1, 0]


def edit(text: str, act: Callable[[dict[str, object]], object]) -> str:
    """A sheet whose data was changed, with a new checksum."""
    said = json.loads(data(text))
    act(said)
    return page(from_plain(said))


def first_claim(said: dict[str, object]) -> dict[str, object]:
    entries = said["entries"]
    assert isinstance(entries, list)
    claim: dict[str, object] = entries[0]["claims"][0]
    return claim


EDITS: dict[str, Callable[[dict[str, object]], object]] = {
    "a verdict": lambda said: first_claim(said).update(kind="slip"),
    "a cause": lambda said: first_claim(said).update(cause="no_scale"),
    "a number": lambda said: first_claim(said).update(numbers=[0.123]),
    "a number left out": lambda said: first_claim(said).update(numbers=[]),
    "a reply": lambda said: first_claim(said).update(reply="0.123"),
    "a first reply": lambda said: first_claim(said).update(first=""),
    "a place": lambda said: first_claim(said).update(at="s₉"),
}


@pytest.mark.parametrize("what", EDITS)
def test_a_claim_that_differs_from_what_its_link_gives_is_told(what: str) -> None:
    edited = edit(page(sheet()), EDITS[what])
    assert found(edited).unchanged
    assert states(edited)[0] == "differing"


def test_an_entry_under_another_name_than_its_links_is_found() -> None:
    one = worksheet("beam", solved("beam"))
    for other in (
        one._replace(what="beam 8"),
        one._replace(kind="mend"),
        one._replace(link="http://[practice"),
        one._replace(link=one.link.replace("practice", "masks")),
        one._replace(link=one.link.replace("sheet_seed=7", "sheet_seed=1234567890"), what="beam 1234567890"),
    ):
        assert set(states(page(LabSheet("en", "", (other,))))) == {"differing"}


def test_what_an_other_release_has_judged_otherwise_is_changed() -> None:
    one = worksheet("beam", solved("beam"))
    other = one._replace(claims=(one.claims[0]._replace(kind="slip", cause="sum"), *one.claims[1:]))
    assert states(page(LabSheet("en", "", (other,), "0.9")))[:2] == ["changed", "right"]
    other = one._replace(claims=(one.claims[0]._replace(reply="1"), *one.claims[1:]))
    assert states(page(LabSheet("en", "", (other,), "0.9")))[:2] == ["differing", "right"]


def test_what_nobody_can_work_out_is_unchecked_and_never_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(judges.JUDGES, "question", raising=False)  # where the app is there, it has added one
    one = worksheet("beam", solved("beam"))
    for kind in ("question", "unheard_of"):
        assert set(states(page(LabSheet("en", "", (one._replace(kind=kind),))))) == {"unchecked"}


def giving(now: Entry | None) -> Show:
    return lambda _: now


def test_what_only_a_model_can_judge_is_what_its_link_shows_or_unchecked() -> None:
    claim = Claim("row", "00rs", "", "wrong", "even", (0.25,))
    one = Entry("draw", "row 5", link(draw_task="row", draw_seed=5, drawn_run="00rs"), (claim,))
    cases: list[tuple[Entry | None, str]] = [
        (one._replace(claims=(claim._replace(numbers=(0.25002,)),)), "wrong"),
        (one._replace(claims=(claim._replace(numbers=(0.26,)),)), "differing"),
        (one._replace(claims=(claim._replace(kind="right", cause=""),)), "differing"),
        (one._replace(claims=()), "unchecked"),
        (None, "unchecked"),
    ]
    for now, state in cases:
        assert [outcome.state for outcome in check(LabSheet("en", "", (one,)), giving(now))] == [state]


def test_data_that_was_changed_after_it_was_saved_is_told_and_the_rest_of_the_page_is_free() -> None:
    text = page(sheet())
    assert not found(text.replace('"first":"1"', '"first":"2"', 1)).unchanged
    assert not found(re.sub('"checksum":"[0-9a-f]+"', '"checksum":""', text)).unchanged
    assert found(text.replace(": right</p>", ": 正确</p>")).unchanged, "a browser has translated it"


def test_a_sheet_of_the_first_version_is_read_whatever_its_seal() -> None:
    said = {"version": 1, **plain(sheet()), "seal": "0" * 64}
    for entry in said["entries"]:
        del entry["presses"]
        for table in entry["tables"]:
            del table["title"]
    text = f"<!doctype html><html><body>{BEGIN}{json.dumps(said)}{END}</body></html>"
    read = found(text.replace("</script><b>", chr(92) + "u003c/script><b>"))
    assert read.unchanged
    assert read.sheet.entries == tuple(one._replace(presses=None) for one in sheet().entries)
    assert {one.state for one in check(read.sheet)} == {"right", "wrong"}


NO_SHEETS: dict[OfSheet, list[str]] = {
    "none": ["", "<html></html>", "PK\x03\x04"],
    "truncated": [page(sheet())[:-200], page(sheet())[:-2], f"{BEGIN}{{}}"],
    "version": [page(sheet()).replace('"version":2', '"version":3')],
    "broken": [
        f"<html>{BEGIN}{said}{END}</html>"
        for said in (
            *("", "[]", "{", "null", '{"version": 2}', "[" * 100_000, '{"version": 2, "entries": 3}'),
            json.dumps({"version": 2, **plain(LabSheet("en", "x" * 61, ()))}),
            json.dumps({"version": 2, **plain(LabSheet("en", "", (Entry("a", "b", "c", ()),) * (ENTRIES + 1)))}),
            json.dumps({"version": 2, **plain(LabSheet("en", "", (Entry("a", "b", "c", (), note="x" * (NOTE + 1)),)))}),
            '{"version": 2, "entries": [], "lang": "en", "name": 3, "release": "1"}',
        )
    ],
}


@pytest.mark.parametrize(("reason", "text"), [(reason, text) for reason, texts in NO_SHEETS.items() for text in texts])
def test_what_is_no_sheet_is_refused_with_its_reason(reason: str, text: str) -> None:
    with pytest.raises(Unreadable) as refused:
        found(text)
    assert refused.value.reason == reason


def test_every_file_that_is_no_sheet_has_its_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files: dict[OfSheet, bytes] = {reason: texts[0].encode() for reason, texts in NO_SHEETS.items()}
    files["huge"] = b" " * (LARGEST + 1)
    for reason, content in files.items():
        (tmp_path / reason).write_bytes(content)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\0")
    named: list[tuple[str, OfSheet]] = [*((name, name) for name in files), ("binary", "none")]
    for name, reason in named:
        assert main(["check", str(tmp_path / name)]) == 2
        assert capsys.readouterr().out == f"{tmp_path / name}: {command.WHY[reason]}\n"
    assert main(["check", str(tmp_path / "nowhere")]) == 2
    assert command.WHY["missing"] in capsys.readouterr().out


def test_thirty_sheets_are_thirty_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = []
    for number in range(1, CLASS + 1):
        replies = [*solved("beam", number)[:-1], "77"]
        of = LabSheet("en", f"reader {number}", (worksheet("beam", replies, number),))
        text = page(of)
        if number == 4:
            text = edit(text, lambda said: first_claim(said).update(kind="wrong"))
        files.append(tmp_path / f"{number:02}.html")
        files[-1].write_text(text, encoding="utf-8")
    assert main(["check", *map(str, files)]) == 1
    lines = capsys.readouterr().out.splitlines()
    count = len(solved("beam"))
    for number, line in enumerate(lines, 1):
        told = f"{count - 1} right, 1 wrong, 0 changed, 0 differing"
        if number == 4:
            told = f"{count - 2} right, 1 wrong, 0 changed, 1 differing"
        assert line == f"{files[number - 1]}: reader {number}: {told}"
    assert main(["check", str(files[0])]) == 0


def test_details_say_each_answer_and_no_letter_of_a_file_is_a_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = worksheet("beam", ["0.12", "77"])
    other = one._replace(claims=(one.claims[0]._replace(kind="right"), one.claims[1]))
    path = tmp_path / "sheet.html"
    path.write_text(page(LabSheet("en", "\x1b[2J", (other,))), encoding="utf-8")
    assert main(["check", "--details", str(path)]) == 1
    told = capsys.readouterr().out
    assert "\x1b" not in told
    head, first, second = told.splitlines()
    assert head.endswith("0 right, 1 wrong, 0 changed, 1 differing")
    assert first.strip().startswith("differing: worksheet beam 7")
    assert "its link gives “0.12”" in first
    assert second.strip().startswith("wrong: worksheet beam 7")


def test_changed_data_is_told_and_ends_with_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sheet.html"
    path.write_text(page(sheet()).replace('"note":""', '"note":"x"', 1), encoding="utf-8")
    assert main(["check", str(path)]) == 1
    assert capsys.readouterr().out.splitlines()[0].endswith(f"; {command.CHANGED}")


def test_the_help_says_what_a_sheet_does_not_prove(capsys: pytest.CaptureFixture[str]) -> None:
    for asked in (["--help"], ["check", "--help"]):
        with pytest.raises(SystemExit):
            main(asked)
        assert command.LIMITS in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", PUZZLES)
def test_what_was_mended_is_judged_by_its_laws(name: str) -> None:
    puzzle = PUZZLES[name]
    (claim,) = mended(name, written(right(puzzle))).claims
    assert (claim.kind, claim.cause, len(claim.numbers)) == ("right", "", len(puzzle.laws))
    bug = puzzle.distractors[0]
    (claim,) = mended(name, written(with_distractor(puzzle, bug))).claims
    assert (claim.kind in ("slip", "wrong"), claim.cause) == (True, bug.name)


def drawn(task: str, levels: list[int], seed: int = SEED) -> Entry:
    said = {"draw_task": task, "draw_seed": seed, "drawn_run": packed_levels(levels), "drawn_first": "00"}
    return answered("draw", f"{task} {seed}", link(**said))


def test_a_drawing_is_judged_by_what_the_core_computes_and_of_a_model_it_is_unchecked() -> None:
    asked = wave.asked(SEED)
    right_levels = [round(500 * (value + 1)) for value in wave.code_of(*asked).tolist()]
    rates = rate.rates(*rate.asked(SEED))[:, 1] / rate.asked(SEED).top
    for entry in (drawn("wave", right_levels), drawn("rate", [round(1000 * float(value)) for value in rates])):
        (claim,) = entry.claims
        assert (claim.kind, claim.first) == ("right", "00")
        assert 0 <= claim.numbers[0] < 1e-2
        assert states(page(LabSheet("en", "", (entry,)))) == ["right"]
        other = entry._replace(claims=(claim._replace(numbers=(0.5,)),))
        assert states(page(LabSheet("en", "", (other,)))) == ["differing"]
    (flat,) = drawn("wave", [500] * len(right_levels)).claims
    assert (flat.kind, flat.cause) == ("wrong", "flat")
    assert drawn("wave", right_levels[1:]).claims == ()
    for task in ("row", "loss"):
        assert worked_out(drawn(task, [500])) is None


@pytest.mark.parametrize("seed", range(1, 13))
def test_a_fault_is_the_one_of_its_seed(seed: int) -> None:
    name = fault_of(seed).name
    other = next(one for one in FAULTS if one != name)
    for named, kind, state in ((name, "right", "right"), (other, "wrong", "wrong")):
        entry = answered("fault", str(seed), link(fault=seed, fault_named=named, fault_first=other))
        (claim,) = entry.claims
        assert (claim.reply, claim.first, claim.kind) == (named, other, kind)
        assert states(page(LabSheet("en", "", (entry,)))) == [state]
        assert name == named or f"'{name}'" not in repr(entry.claims), "the sheet does not tell it"
    for said in ({"fault": "0"}, {"fault": "9" * 11}, {"fault": seed, "fault_named": "nonsense"}, {}):
        assert worked_out(Entry("fault", str(seed), link(**{"fault_named": name} | said), ())) == ()
