"""Files of pairs as people have them: what is taken of them, and what is left out, with its reason."""

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from transformer_core.tasks import NotPairs, OwnPairs
from transformer_core.tasks.own_pairs import PairLimits
from transformer_core.tasks.pair_encoding import decoded, encoding_of
from transformer_core.tasks.pair_lines import Left, look_at, read_pairs
from transformer_core.training.checkpoint import load
from transformer_core.training.command import main

LIMITS = PairLimits(pairs=400, tokens=200, longest=7, longest_token=9)
ENGLISH = ["red", "blue", "green", "one", "two", "three", "four", "five"]
FRENCH = ["rouge", "bleu", "vert", "un", "deux", "trois", "quatre", "cinq"]
HAN = ["红", "蓝", "绿", "一", "二", "三", "四", "五"]
PAIRS = [(f"{a} {b}", f"{FRENCH[ENGLISH.index(b)]} {FRENCH[ENGLISH.index(a)]}") for a in ENGLISH for b in ENGLISH]
CHINESE = [(source, "".join(HAN[FRENCH.index(word)] for word in target.split())) for source, target in PAIRS]


def tsv(rows: Sequence[tuple[str, ...]], sign: str = "\t") -> str:
    return "\n".join(map(sign.join, rows))


DIGEST = read_pairs(tsv([*PAIRS])).pairs.digest

TABLES: dict[str, tuple[str, tuple[int, int], bool]] = {
    "ids": (tsv([(f"{1000 + at}", a, f"{7000 - at}", b) for at, (a, b) in enumerate(PAIRS)]), (2, 4), False),
    "ids that come again": (
        tsv([(f"{33 + at // 3}", a, f"{9000 + at}", b) for at, (a, b) in enumerate(PAIRS)]), (2, 4), False,
    ),
    "ids and languages": (
        tsv([(f"{70 - at}", "eng", a, f"{at + 5}", "fra", b) for at, (a, b) in enumerate(PAIRS)]), (3, 6), False,
    ),
    "an index": (tsv([(f"{at}", a, b) for at, (a, b) in enumerate(PAIRS)], ","), (2, 3), False),
    "an index with its column's name empty": (
        ",en,fr\n" + tsv([(f"{at}", a, b) for at, (a, b) in enumerate(PAIRS)], ","), (2, 3), True,
    ),
    "a score before": (tsv([(f"{1.2 - at % 7 / 10:.2f}", a, b) for at, (a, b) in enumerate(PAIRS)]), (2, 3), False),
    "a score after": (tsv([(f"{at}", a, b, f"{at % 5 / 7:.3f}") for at, (a, b) in enumerate(PAIRS)]), (2, 3), False),
    "codes": (tsv([(f"sent_{at:03}", a, b) for at, (a, b) in enumerate(PAIRS)]), (2, 3), False),
    "a spreadsheet's sign": ("sep=;\r\nEnglish;French\r\n" + tsv([*PAIRS], ";"), (1, 2), True),
    "a licence": (tsv([(a, b, f"CC-BY 2.0 (France) #{at}") for at, (a, b) in enumerate(PAIRS)]), (1, 2), False),
    "a split": (tsv([("train" if at % 4 else "test", a, b) for at, (a, b) in enumerate(PAIRS)]), (2, 3), False),
    "columns named backwards": (
        "id;target;source\n" + tsv([(f"x{at}", b, a) for at, (a, b) in enumerate(PAIRS)], ";"), (3, 2), True,
    ),
    "three texts, two of which say what they are": (
        "text,source,target\n" + tsv([(a[:2], a, b) for a, b in PAIRS], ","), (2, 3), True,
    ),
    "a header of a spreadsheet": ("\r\n".join(["English;French", *map(";".join, PAIRS)]), (1, 2), True),
    "a header in Chinese": ("英文,法文\n" + tsv([*PAIRS], ","), (1, 2), True),
    "a header with underscores": ("text_en\ttext_fr\n" + tsv([*PAIRS]), (1, 2), True),
    "a header of words that nobody knows": ("Klingon,Na'vi\n" + tsv([*PAIRS], ",").replace("'", ""), (1, 2), True),
    "a name over numbers": (
        "no\ten\tfr\n" + tsv([(f"{at * at}", a, b) for at, (a, b) in enumerate(PAIRS)]), (2, 3), True,
    ),
    "commas within semicolons": (tsv([*PAIRS], ";"), (1, 2), False),
    "empty columns": (tsv([("", a, "", b, "") for a, b in PAIRS], ","), (2, 4), False),
    "old line ends": (tsv([*PAIRS]).replace("\n", "\r"), (1, 2), False),
    "JSON lines": (
        "\n".join(json.dumps({"id": at, "en": a, "fr": b}) for at, (a, b) in enumerate(PAIRS)), (2, 3), True,
    ),
    "JSON lines of translations": (
        "\n".join(json.dumps({"translation": {"en": a, "fr": b}}) for a, b in PAIRS), (1, 2), True,
    ),
    "JSON": (json.dumps([{"source": a, "target": b} for a, b in PAIRS], indent=1), (1, 2), True),
    "JSON of lists": (json.dumps({"version": 2, "data": [*map(list, PAIRS)]}), (1, 2), False),
    "JSON of columns": (json.dumps({"en": [a for a, _ in PAIRS], "fr": [b for _, b in PAIRS]}), (1, 2), True),
    "JSON of names and values": (json.dumps(dict(PAIRS)), (1, 2), False),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_the_columns_of_texts_are_taken_and_a_header_is_not(name: str) -> None:
    text, columns, header = TABLES[name]
    reading = read_pairs(text)
    assert (reading.look.columns, reading.look.header, reading.look.left) == (columns, header, ())
    assert reading.pairs.digest == DIGEST
    assert reading.aside in (0, len(PAIRS))
    assert (reading.look.lines, reading.look.seed) == (len(PAIRS), None)


def test_numbers_labels_and_names_are_pairs_where_there_is_nothing_else() -> None:
    for rows in (
        [(str(at), f"{'iv' * (at % 3)}x") for at in range(1, 30)],
        [(f"{at}", f"{at % 7}+{at}", f"{at % 7 + at}") for at in range(1, 30)],
        [(f"{at}", a, ("good", "bad")[at % 2]) for at, (a, _) in enumerate(PAIRS)],
        [
            ("German", "Deutsch"),
            ("English", "Englisch"),
            ("French", "Spanisch"),
            *[(f"w{at}", f"x{at}") for at in range(9)],
        ],
        [("zero", "0"), *[(f"w{at}", f"{at}") for at in range(30)]],
    ):
        look = look_at(tsv(rows))
        assert look.columns == (len(rows[0]) - 1, len(rows[0]))
        assert not look.header
        assert len(look.rows) == len(rows)


def test_what_is_found_out_can_be_said_instead() -> None:
    text = "English\tFrench\tGerman\n" + tsv([(a, b, b.upper()) for a, b in PAIRS])
    assert (look_at(text).columns, look_at(text).header) == ((1, 2), True)
    other = read_pairs(text, columns=(3, 1), header=False)
    assert other.pairs.count == len(PAIRS) + 1
    assert other.pairs.text.startswith("German\tEnglish\n")
    assert read_pairs(text, header=True).pairs.digest == DIGEST
    assert [look_at(text, columns=columns).columns for columns in ((0, 1), (2, 0), (0, 3))] == [(2, 1), (2, 1), (1, 3)]
    for columns in ((1, 4), (2, 2), (-1, 2)):
        with pytest.raises(NotPairs) as refused:
            read_pairs(text, columns=columns)
        assert refused.value.reason == "no_column"


LEFT: dict[str, tuple[str, str]] = {
    "no target": ("red\t", "empty_cell"),
    "no source": ("\tbleu", "empty_cell"),
    "no columns": ("# a remark", "columns"),
    "a long side": (" ".join(["red"] * (LIMITS.longest + 1)) + "\tbleu", "long"),
    "a long word": ("red " + "a" * (LIMITS.longest_token + 1) + "\tbleu", "long_token"),
    "a sign that is not seen": ("red\x08\tbleu", "unseen"),
}


@pytest.mark.parametrize("name", LEFT)
def test_a_line_that_cannot_be_learned_is_left_out_and_the_others_are_not(name: str) -> None:
    line, reason = LEFT[name]
    reading = read_pairs(tsv([*PAIRS[:20]]) + f"\n\n{line}\n" + tsv([*PAIRS[20:]]), limits=LIMITS)
    assert [(one.line, one.reason) for one in reading.look.left] == [(22, reason)]
    assert reading.pairs.digest == DIGEST


def test_a_comma_that_no_quotes_hold_shifts_the_cells_of_its_line_which_is_left_out() -> None:
    look = look_at("en,fr\nred, please,rouge\n" + tsv([*PAIRS], ",") + "\nred")
    assert look.left == (Left(2, "columns"), Left(67, "columns"))
    assert len(look.rows) == len(PAIRS)
    text = '"red, please",rouge\n' + tsv([*PAIRS], ",")
    assert read_pairs(text).pairs.text.startswith("red , please\trouge\n")


def test_a_quotation_mark_that_does_not_fit_leaves_out_its_line_and_remarks_stand_before_a_header() -> None:
    text = "# from the web\nen,fr\n" + tsv([*PAIRS[:9]], ",") + '\n"red,rouge\n"blue" one,un\n' + tsv([*PAIRS[9:]], ",")
    look = look_at(text)
    assert look.left == (Left(1, "columns"), Left(12, "quotes"), Left(13, "quotes"))
    assert (look.header, look.kinds) == (True, ("header", "pair", "pair", "pair"))
    assert read_pairs(text).pairs.digest == DIGEST
    assert look_at("red\t\n" + tsv([*PAIRS])).kinds == ("left", "pair", "pair", "pair")


def test_beside_tabs_quotes_never_swallow_lines() -> None:
    rows = [*PAIRS[:5], ('"red', "rouge"), *PAIRS[5:10], ('red"', "rouge"), *PAIRS[10:]]
    pairs = read_pairs(tsv(rows)).pairs
    assert pairs.count == len(rows)


def test_lines_of_rare_words_are_left_out_where_there_are_too_many_words() -> None:
    rows = [(f"the {n % 150} and a rest of words", f"word{n % 150} and so on, and on") for n in range(600)]
    rows += [(f"the rare{n} and a rest of words", "word1 and so on, and on") for n in range(LIMITS.tokens)]
    random.Random(1).shuffle(rows)
    reading = read_pairs(tsv(rows), limits=LIMITS._replace(pairs=800))
    assert reading.units == ("words", "words")
    assert {one.reason for one in reading.look.left} == {"rare"}
    assert len(reading.pairs.source.words) == LIMITS.tokens
    assert len(reading.look.left) == 150 + 6  # for these fill the vocabulary, too


def test_of_more_lines_than_can_be_learned_some_are_drawn_by_a_seed() -> None:
    lines = [f"{n}\t{n * n}" for n in range(3 * LIMITS.pairs)]
    one, same, other = (read_pairs("\n".join(lines), seed=seed, limits=LIMITS) for seed in (0, 0, 1))
    assert one.pairs.digest == same.pairs.digest != other.pairs.digest
    assert one.pairs.count == LIMITS.pairs == other.pairs.count
    assert (one.look.seed, other.look.seed, one.look.lines) == (0, 1, len(lines))
    numbers = [int(line.split("\t")[0].replace(" ", "")) for line in one.pairs.text.split("\n")]
    assert numbers == sorted(numbers)
    assert max(numbers) > 2 * LIMITS.pairs
    every = "\n".join(lines[:100] * (1 + 2 * LIMITS.pairs // 100))
    assert read_pairs(every, limits=LIMITS).look.seed is None
    assert read_pairs(every, seed=3, limits=LIMITS).pairs.digest == read_pairs("\n".join(lines[:100])).pairs.digest


def test_fifty_thousand_lines_are_read() -> None:
    draw = random.Random(2)
    rows = [(f"{at}", *draw.choice(PAIRS), "x" * 50) for at in range(50_000)]
    text = tsv(rows)
    assert read_pairs(text).pairs.count == len({row[1:3] for row in rows})
    with pytest.raises(NotPairs) as refused:
        read_pairs("red\trouge\n" * 100, limits=PairLimits(text=999))
    assert refused.value.reason == "large"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gb18030", "gbk", "gb2312"]
)
def test_a_file_is_read_in_the_encoding_that_it_was_saved_in(encoding: str) -> None:
    text = "英文,中文\r\n" + "\r\n".join(f"{a},{b}。" for a, b in CHINESE)
    assert decoded(text.encode(encoding)) == text
    assert read_pairs(decoded(text.encode(encoding))).pairs.count == len(CHINESE)


FOREIGN = {
    "cp1252": "café;thé\nété;naïveté\nélève;garçon",
    "cp1251": "красный;синий\nзелёный;один",
    "koi8-r": "красный;синий\nзелёный;один\nдва;три",
    "euc-kr": "빨강 하나;파랑 둘\n안녕하세요;감사합니다\n학교에 갑니다;집에 갑니다",
    "euc-jp": "あかい;あおい\nみどりの木;おはようございます\n私は学生です;ありがとう",
    "shift-jis": "あかい;あおい\nみどりの木;おはようございます\n私は学生です;ありがとう",
    "big5": "我學習;你教書\n紅色的花;綠色的樹\n貓睡覺;狗跑步",
}


@pytest.mark.parametrize("encoding", FOREIGN)
def test_another_encoding_is_named_and_never_taken_for_chinese(encoding: str) -> None:
    with pytest.raises(NotPairs) as refused:
        encoding_of((FOREIGN[encoding] + "\n").encode(encoding) * 20)
    assert refused.value.reason == "encoding"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"PK\x03\x04\x14\0", "packed"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "packed"),
        (b"BZh91AY&SY", "packed"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary"),
    ],
)
def test_what_is_no_text_is_named(content: bytes, reason: str) -> None:
    with pytest.raises(NotPairs) as refused:
        decoded(content)
    assert refused.value.reason == reason


NOT_JSON = {
    '{"a": "b"}\n{"c": "d"}': "none_left",
    "[1, 2, 3]": "json",
    '[["a"], ["b"]]': "json",
    "[" * 5000: "one_column",
    '{"a": ' + "1" * 5000 + "}": "none_left",
    "[a] b\n[c] d": "one_column",
}


@pytest.mark.parametrize("text", NOT_JSON)
def test_json_without_pairs_is_named(text: str) -> None:
    with pytest.raises(NotPairs) as refused:
        read_pairs(text, limits=LIMITS)
    assert refused.value.reason == NOT_JSON[text]


def test_a_line_that_is_no_json_among_lines_that_are_is_left_out() -> None:
    lines = [json.dumps({"source": a, "target": b}) for a, b in PAIRS]
    lines[3:3] = ["{broken", json.dumps({"source": "red"}), json.dumps({"source": ["red"], "target": "rouge"})]
    look = look_at("\n".join(lines))
    assert look.left == (Left(4, "json"), Left(5, "empty_cell", 1), Left(6, "empty_cell", 0))
    assert len(look.rows) == len(PAIRS)
    assert look.lines == len(PAIRS) + 3


SMALL = ["--steps", "3", "--batch", "4", "--d-model", "8", "--h", "2"]


def test_the_shell_says_how_it_has_read_a_file_and_can_be_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "pairs.tsv", tmp_path / "pairs.safetensors"
    rows = [(f"{1000 + at}", a, f"{7000 - at}", b) for at, (a, b) in enumerate(PAIRS)]
    file.write_text("no\ten\tnr\tfr\n" + tsv(rows) + "\n7\tred\t8\t\n", encoding="utf-16")
    arguments = ["--pairs", str(file), "--out", str(out), *SMALL]
    assert main(arguments) == 0
    told = capsys.readouterr().err
    assert "pairs.tsv: UTF-16, columns apart by tabs" in told
    assert "source: column 2 (en), by words; target: column 4 (fr), by words, 2 left aside" in told
    assert "the first line is a header, and left out; --no-header trains on it: no | en | nr | fr" in told
    assert f"pairs: {len(PAIRS)} of {len(PAIRS) + 1} lines" in told
    assert "left out: 1 with an empty source or target (line 66)" in told
    assert load(out).config.words == read_pairs(tsv([*PAIRS])).pairs
    assert main([*arguments, "--columns", "4,2", "--no-header", "--cut", "letters"]) == 0
    told = capsys.readouterr().err
    assert "source: column 4, by letters; target: column 2, by letters" in told
    assert "the first line is a pair; --header leaves it out" in told
    words = load(out).config.words
    assert isinstance(words, OwnPairs)
    assert words.source.by_letters
    assert words.text.startswith("f r\te n\n")


def test_the_shell_says_in_a_sentence_what_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text("red,rouge\nblue,", encoding="utf-8")
    said: list[tuple[list[str], str]] = [
        (["--pairs", str(file)], "1 different sources; at least 10 are needed"),
        (["--pairs", str(file), "--columns", "1,3"], "columns 1 and 3 of 2 are no source and target"),
        (["--columns", "1,3"], "say how the file of --pairs is read"),
        (["--pairs", str(tmp_path / "nowhere.csv")], "nowhere.csv"),
    ]
    for arguments, sentence in said:
        assert main(arguments) == 2
        assert sentence in capsys.readouterr().err.splitlines()[-1]


def test_the_shell_draws_from_too_many_lines_by_the_seed_that_it_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("transformer_core.tasks.pair_lines.MOST_BYTES", 480)  # 30 lines
    lines, file = [f"{n},{n + 1}" for n in range(1000, 1070)], tmp_path / "many.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    drawn = [read_pairs("\n".join(lines), seed=seed).pairs for seed in (0, 5)]
    assert drawn[0] != drawn[1]
    out = tmp_path / "drawn.safetensors"
    assert main(["--pairs", str(file), "--out", str(out), *SMALL, "--sample-seed=5"]) == 0
    assert "pairs: 30 of 70 lines, drawn with --sample-seed 5" in capsys.readouterr().err
    assert load(out).config.words == drawn[1]
