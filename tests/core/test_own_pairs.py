"""Pairs that somebody has brought along: how lines are read, split and learned, and why others are refused."""

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as some

from transformer_core.tasks import NotPairs, OwnPairs
from transformer_core.tasks.own_pairs import FEWEST, MOST_BYTES, PairLimits
from transformer_core.tasks.own_vocabulary import SPACE, OwnVocabulary, Unit, clean, cut, letters
from transformer_core.tasks.pair_examples import EXAMPLES, dates, example, pigs, plural, roman, sums
from transformer_core.tasks.pair_lines import read_pairs
from transformer_core.tasks.vocabulary import PAD, UnknownWord
from transformer_core.training.checkpoint import load, to_bytes
from transformer_core.training.command import main
from transformer_core.training.config import ConfigError, TrainConfig
from transformer_core.training.memory import resting
from transformer_core.training.models import fresh_model
from transformer_core.training.probing import watched_of
from transformer_core.training.run import TrainingRun

NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"]
LINES = "\n".join(f"{number}\t{word}" for number, word in enumerate(NUMBERS))
LIMITS = PairLimits(pairs=50, tokens=40, longest=7, longest_token=9, text=3000)
SMALL: dict[str, Any] = {"d_model": 16, "h": 2, "batch": 8, "steps": 12}


def lines(count: int, of: str = "{n} a\t{n} b") -> str:
    return "\n".join(of.format(n=number, letter=chr(0x4E00 + number)) for number in range(count))


def rows(side: torch.Tensor) -> list[list[int]]:
    return [[token for token in row if token != PAD] for row in side.tolist()]


def test_lines_of_two_columns_are_pairs_each_side_cut_as_suits_it():
    reading = read_pairs("7 March\t7/3\n8 May\t8/5\n" + lines(FEWEST, "{n} June\t{n}/6"))
    assert reading.units == ("words", "letters")
    pairs = reading.pairs
    assert pairs.count == FEWEST + 2
    assert {"7", "March", "June"} <= set(pairs.source.words)
    assert set(pairs.target.words) == set("/0123456789")
    source = pairs.source.sequence(pairs.source.read("8 May"))
    answer = pairs.answer(source)
    assert answer is not None
    assert pairs.target.text(answer) == "8/5"
    assert pairs.alignment(source, answer) is None
    assert pairs.answer(pairs.source.sequence(pairs.source.read("9 May"))) is None
    assert pairs.answer([*source, *source, *source]) is None


@pytest.mark.parametrize("sign", ["\t", ",", ";"])
def test_a_cell_in_quotes_keeps_the_sign_quotes_and_the_end_of_a_line(sign: str):
    first = f'"a{sign}b ""c"""{sign}"d\ne"'
    pairs = read_pairs("\n".join([first, *(f"{n}{sign}x{n}" for n in range(FEWEST))]), "words").pairs
    assert pairs.text.split("\n")[0].split("\t") == [" ".join(cut(clean(f'a{sign}b "c"'), "words")), "d e"]


def test_a_line_that_comes_again_counts_once_and_a_source_may_have_several_targets():
    reading = read_pairs(lines(FEWEST, "{n}\tx{n}") + "\n3\tx3\n3\ty\n\n \t \n")
    pairs = reading.pairs
    assert (pairs.count, reading.repeated, pairs.ambiguous) == (FEWEST + 1, 1, 1)
    answer = pairs.answer(pairs.source.sequence(pairs.source.read("3")))
    assert answer is not None
    assert pairs.target.text(answer) == "x3"


def test_letters_are_what_a_person_takes_for_one():
    family, flag, hand, accented = "👨‍👩‍👧", "🇩🇪", "👍🏽", "e\u0323\u0301"
    assert letters(f"a{family}{flag}{flag}{hand}{accented}✈️") == ["a", family, flag, flag, hand, accented, "✈️"]
    assert letters("שָׁלוֹם") == ["שָׁ", "ל", "וֹ", "ם"]
    pairs = read_pairs(lines(FEWEST, "{n}" + family + "\t" + flag + "{n}"), "letters").pairs
    assert family in pairs.source.words
    assert flag in pairs.target.words


def test_what_runs_from_right_to_left_is_shown_isolated_and_read_all_the_same():
    pairs = read_pairs(lines(FEWEST, "ספר {n}\tكتاب {n}"), "words").pairs
    (token,) = pairs.source.read("ספר")
    assert pairs.source.names[token] == "ספר"
    assert pairs.source.labels([token]) == ["\u2068ספר\u2069"] == [pairs.source.every[token]]
    assert pairs.source.tokens_of(pairs.source.names_of([token])) == [token]
    assert pairs.source.read(pairs.source.labels([token])[0]) == [token]
    assert pairs.source.text([token]) == "ספר"


def test_capitals_and_signs_are_tokens_of_their_own_and_a_word_is_found_without_its_capitals():
    vocabulary = OwnVocabulary.of_words(["Paris", "may", "May", "don't", "?", "$5", "😀"])
    assert vocabulary.names_of(vocabulary.read("PARIS may May don't? $5 😀")) == [
        "Paris", "may", "May", "don't", "?", "$5", "😀",
    ]  # fmt: skip
    with pytest.raises(UnknownWord):
        vocabulary.read("MAY")
    with pytest.raises(UnknownWord) as unknown:
        vocabulary.read("Pari")
    assert unknown.value.nearest == ("Paris",)
    assert vocabulary.pieces("Paris, may!") == [("Paris", True), (",", False), ("may", True), ("!", False)]
    assert vocabulary.read("⟨s⟩ may ⟨/s⟩ ⟨pad⟩")[1:2] == vocabulary.read("may")


def test_a_space_between_letters_is_a_token_where_a_line_has_one():
    spaced = OwnVocabulary.of_words(["a", "b", SPACE])
    assert spaced.text(spaced.read("a b")) == "a b"
    close = OwnVocabulary.of_words(["a", "b"])
    assert close.read("a b") == close.read("ab") == [3, 4]
    assert spaced.by_letters
    with pytest.raises(UnknownWord):
        close.read("abc")


REFUSED = {
    "empty": ["", " \n \n", "\t\n"],
    "one_column": ["cat\ndog\nbird", lines(20, "{n} a b"), lines(FEWEST, "red {n}\t")],
    "none_left": ["\n".join("a," if at % 2 else ",b" for at in range(FEWEST))],
    "quotes": [lines(FEWEST, '"{n}"x,{n}')],
    "duplicates": ["cat\tKatze\n" * 30],
    "few": [lines(FEWEST - 1), "a\tb\na\tc"],
    "one_target": [lines(FEWEST, "{n}\tyes")],
    "binary": ["a\0b\tc\n" + lines(FEWEST), "\x7fELF\t\x01\x02"],
    "large": ["a\tb\n" * (LIMITS.text // 2), "x" * (10 * LIMITS.text)],
}


@pytest.mark.parametrize("reason", REFUSED)
def test_lines_that_cannot_be_learned_are_refused_with_the_reason(reason: str):
    for text in REFUSED[reason]:
        with pytest.raises(NotPairs) as refusal:
            read_pairs(text, limits=LIMITS)
        assert refusal.value.reason == reason
        assert len(str(refusal.value)) < 200


BEYOND = {
    "many": lines(LIMITS.pairs + 1, "x{n}\ty").replace("x1\ty", "x1\tz"),
    "many_source": lines(LIMITS.tokens + 1, "{letter}\t{n}"),
    "many_target": "\n".join(f"{n % FEWEST}\tword{n}" for n in range(LIMITS.tokens + 1)),
    "long": lines(FEWEST, "{n}\tx{n}") + "\n" + " ".join("a" * (LIMITS.longest + 1)) + "\tb",
    "long_token": lines(FEWEST, "a {n}\tx{n}") + "\nb " + "a" * (LIMITS.longest_token + 1) + "\tb",
}


@pytest.mark.parametrize("reason", BEYOND)
def test_pairs_beyond_a_limit_are_refused_by_whoever_sets_it(reason: str):
    pairs = OwnPairs(BEYOND[reason])
    with pytest.raises(NotPairs) as refusal:
        pairs.check(LIMITS)
    assert refusal.value.reason == reason
    pairs.check(PairLimits())


def test_lines_that_no_models_file_has_room_for_are_refused_unread():
    with pytest.raises(NotPairs) as refusal:
        OwnPairs("x" * (MOST_BYTES + 1))
    assert refusal.value.reason == "large"


def test_without_limits_a_vocabulary_may_be_large_and_a_sentence_long():
    many, long = 9000, 300
    text = "\n".join(f"w{n} is\tx{n % 7}" for n in range(many)) + "\n" + " ".join(["w1"] * long) + "\tx1"
    pairs = read_pairs(text, "words").pairs
    assert (pairs.count, len(pairs.source.words), pairs.longest[0]) == (many + 1, many + 1, long + 2)
    source, target = pairs.source.read(f"w{many - 1} is"), pairs.target.read(f"x{(many - 1) % 7}")
    assert pairs.answer(pairs.source.sequence(source)) == pairs.target.sequence(target)


FORGED = ["", "⟨s⟩ a\tb", "a", "a\t", "a\tb\tc", "a  b\tc", "a\u202eb\tc", "a\ud800\tc", "a\ue000\tb", "\n\n", "a\0\tb"]


def test_forged_lines_are_refused_whoever_has_written_them():
    good = read_pairs(LINES).pairs.text
    assert OwnPairs(good).count == len(NUMBERS)
    for text in FORGED:
        for forged in (text, f"{good}\n{text}"):
            with pytest.raises(NotPairs):
                OwnPairs(forged)


TOKENS = some.text(some.characters(codec="utf-8", exclude_categories=["C", "Z", "M"]), min_size=1, max_size=4)


@settings(derandomize=True, database=None, deadline=None, max_examples=25)
@given(some.data())
def test_whatever_the_pairs_what_is_examined_is_never_trained_on_and_made_of_known_tokens(data: some.DataObject):
    words = data.draw(some.lists(TOKENS, min_size=2, max_size=12, unique=True))
    side = some.lists(some.sampled_from(words), min_size=1, max_size=5)
    drawn = data.draw(some.lists(some.tuples(side, side), min_size=FEWEST, max_size=40))
    sources, targets = ({" ".join(pair[at]) for pair in drawn} for at in (0, 1))
    assume(len(sources) >= FEWEST and len(targets) > 1)
    pairs = OwnPairs.of(drawn)
    learned, examined = pairs.pairs(400, torch.Generator().manual_seed(1)), pairs.held_out(1000)
    assert pairs == OwnPairs(pairs.text) == pickle.loads(pickle.dumps(pairs))
    assert pairs.digest == OwnPairs(pairs.text).digest
    given_pairs = {tuple(" ".join(cell) for cell in pair) for pair in drawn}
    for part in (learned, examined):
        for source, target in zip(rows(part.src), rows(part.tgt)):
            named = [vocabulary.names for vocabulary in (pairs.source, pairs.target)]
            cells = [" ".join(names[token] for token in row[1:-1]) for names, row in zip(named, (source, target))]
            assert tuple(cells) in given_pairs
            assert pairs.answer(source) is not None
    for row in rows(examined.src):
        assert pairs.source.read(pairs.source.text(row)) == row[1:-1]
    if pairs.unseen:
        assert len(examined.src) == pairs.unseen <= max(1, pairs.count // 10)
        assert not {tuple(row) for row in rows(learned.src)} & {tuple(row) for row in rows(examined.src)}
        trained = pairs._rows(pairs._read.trained)
        for known, unseen in zip(trained, examined):
            assert set(unseen.unique().tolist()) <= set(known.unique().tolist()) | {PAD}
    else:
        assert pairs.trained == pairs.count


def test_where_each_line_has_a_token_of_its_own_none_is_held_out():
    pairs = read_pairs(lines(FEWEST, "word{n} x\ty{n}"), "words").pairs
    assert (pairs.unseen, pairs.trained) == (0, FEWEST)
    assert len(pairs.held_out(100).src) == FEWEST


def test_the_examples_are_what_their_rules_say():
    assert [plural(noun) for noun in ("bandy", "toy", "grush", "tax", "stom")] == [
        "bandies", "toys", "grushes", "taxes", "stoms",
    ]  # fmt: skip
    assert [pigs(word) for word in ("strand", "olly", "bit")] == ["andstray", "ollyway", "itbay"]
    assert [roman(number) for number in (1, 4, 1949, 1987, 2000)] == ["I", "IV", "MCMXLIX", "MCMLXXXVII", "MM"]
    assert dict(sums())["27+45"] == "72"
    for source, target in dates():
        year, month, day = map(int, target.split("-"))
        assert source.startswith(f"{day} ")
        assert source.endswith(f" {year}")
        assert 1 <= month <= 12


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_lies_within_the_limits_and_no_line_stands_in_it_twice(name: str):
    reading = read_pairs(example(name))
    pairs = reading.pairs
    assert (reading.repeated, reading.aside, pairs.ambiguous) == (0, 0, 0)
    assert reading.units == ("letters", "letters")
    assert pairs.unseen == pairs.count // 10 > 100


def of_lines(text: str, unit: Unit | None = None, **changes: Any) -> TrainConfig:
    return TrainConfig.of_task("pairs", pairs=read_pairs(text, unit).pairs.text, **changes)


def test_pairs_are_a_setting_of_a_run_which_is_a_function_of_its_settings():
    config = of_lines(LINES, **SMALL)
    sent = TrainConfig.from_dict(json.loads(json.dumps(config.to_dict())))
    assert sent == config
    assert hash(sent) == hash(config)
    assert pickle.loads(pickle.dumps(config)) == config
    assert config.words is not None
    assert [config.vocab, config.tgt_vocab] == [len(config.words.source), len(config.words.target)]
    assert of_lines(LINES + "\n12\ttwelve", **SMALL) != config
    assert LINES[:20] not in repr(config)
    losses = [[run.update().loss for _ in range(3)] for run in (TrainingRun(config), TrainingRun(sent))]
    assert losses[0] == losses[1]
    assert resting(config) > resting(replace(config, task="copy"))


def test_other_tasks_have_no_pairs_and_this_one_has_no_others():
    assert TrainConfig(pairs="a\tb").pairs == ""
    for text, reason in (("", "pairs_empty"), ("a\tb", "pairs_few"), ("a", "pairs_columns")):
        for make in (TrainConfig, TrainConfig.of_task):
            with pytest.raises(ConfigError) as refusal:
                make(task="pairs", pairs=text)
            assert refusal.value.reason == reason


def test_what_is_watched_of_few_pairs_are_those_there_are():
    config = of_lines(LINES, **SMALL)
    assert len(watched_of(config)) == 1
    reports = [report for report in TrainingRun(config).work() if report]
    assert reports[-1].exact_match in (0.0, 1.0)
    assert reports[-1].right_words is not None
    assert reports[-1].right_order is None


def test_a_run_is_saved_with_its_pairs_and_opened_again_whatever_they_are_written_in():
    family = "👨‍👩‍👧"
    text = lines(FEWEST, 'ספר {n} "quoted" ' + family + "\t学 {n} \\")
    config = of_lines(text, **SMALL)
    found = load(to_bytes(fresh_model(config), config, 7, {"loss": [1.0]}))
    assert (found.config, found.step) == (config, 7)
    assert found.config.words == config.words


def test_the_largest_pairs_there_may_be_are_saved_and_opened_again():
    rows = (" ".join(f"{(at * 37 + n * 101) % 30_011:05x}" for n in range(30)) + f"\t{at % 991}" for at in range(6000))
    config = of_lines("\n".join(rows), "words", d_model=8, h=1, N=1, d_ff=8, batch=4, steps=5000)
    assert len(config.pairs.encode()) > 0.99 * MOST_BYTES
    history = {
        name: [0.123456789] * 5001 for name in ("step", "loss", "rate", "gradient_norm", "exact_match", "held_out")
    }
    assert load(to_bytes(fresh_model(config), config, 5000, history)).config == config


def test_the_command_learns_a_file_of_pairs_and_says_what_is_wrong_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file, out = tmp_path / "numbers.tsv", tmp_path / "numbers.safetensors"
    file.write_text(LINES, encoding="utf-8")
    options = [part for name, value in SMALL.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    assert main(["--pairs", str(file), "--json", "--out", str(out), *options]) == 0
    summary = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert summary["config"]["pairs"] == read_pairs(LINES).pairs.name
    assert load(out).config == of_lines(LINES, **SMALL)
    assert main(["--task", "pairs"]) == 2
    assert "there are no pairs to learn" in capsys.readouterr().err


@pytest.mark.long
def test_an_example_is_learned_by_its_recipe():
    """Of what is held out half comes right after its first steps; a guess gets none right."""
    run = TrainingRun(of_lines(example("plurals")))
    while run.step < 120:
        run.update()
    assert run.examination.match(run.model, run.examination.pairs(64))["exact_match"] > 0.5
