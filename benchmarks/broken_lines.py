"""Lines of the app and of its library that are broken one at a time, and whether a test notices.

Whoever makes the tests fewer runs it before and after: as many are noticed as before. Each line is broken in a copy of
the files that git tracks, and the tests that could notice run there until one fails.

python -m benchmarks.broken_lines [part of a file's name]
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
CORE, UI, APP, BROWSER = "tests/core/test_", "tests/ui/test_", "tests/app/test_", "tests/browser/test_"


class Broken(NamedTuple):
    file: str
    text: str  # which stands there once
    instead: str
    tests: str


MASKS = f"{CORE}masks.py"
ATTENTION = f"{CORE}attention.py"
POSITIONS = f"{CORE}positions.py"
SCANNED = f"{BROWSER}teachers.py"
PAPER = f"{BROWSER}print.py"
MADE = "transformer_core/exercises/symptoms"
SYMPTOM = f"{CORE}symptoms.py -k "
FIGURES = f"{APP}figures.py -k stuck"
OPENED = "return load(SHIPPED / file)\n    except (OSError, ValueError)"
SYMPTOMS_PAGE = "ui/chapters/symptoms/symptom.py"
FAULT, STORIES, BAD = f"{APP}fault.py -k ", f"{APP}stories.py -k ", f"{APP}bad_input.py -k "
EXPERIMENTS = f"{APP}training_experiments.py"
KEYS = f"{UI}text_keys.py"
ONE_STACK = f"{CORE}one_stack.py"

LINES = [
    Broken("transformer_core/masks.py", "device=device).tril()", "device=device).triu()", MASKS),
    Broken("transformer_core/masks.py", "device=device).tril()", "device=device).tril(1)", MASKS),
    Broken(
        "transformer_core/masks.py", "return (tokens != pad).unsqueeze(-2)", "return (tokens != 0).unsqueeze(-2)", MASKS
    ),
    Broken("transformer_core/masks.py", "return padding_mask(tgt, pad) & ", "return padding_mask(tgt, pad) | ", MASKS),
    Broken(
        "transformer_core/masks.py", "return (tgt != pad).unsqueeze(-1)", "return (tgt != pad).unsqueeze(-2)", MASKS
    ),
    Broken("transformer_core/attention.py", "math.sqrt(query.size(-1))", "math.sqrt(query.size(-2))", ATTENTION),
    Broken("transformer_core/attention.py", "math.sqrt(query.size(-1))", "query.size(-1)", ATTENTION),
    Broken("transformer_core/attention.py", "dropped, dropped @ value)", "dropped, weights @ value)", ATTENTION),
    Broken("transformer_core/attention.py", "BLOCKED = -1e9", "BLOCKED = -1e1", ATTENTION),
    Broken("transformer_core/attention.py", "self.d_k = d_model // h", "self.d_k = d_model", ATTENTION),
    Broken(
        "transformer_core/positions.py", "-(math.log(base) / d_model)", "-(math.log(base) / (d_model + 1))", POSITIONS
    ),
    Broken("transformer_core/positions.py", "(2 * math.pi / frequencies", "(math.pi / frequencies", POSITIONS),
    Broken("ui/classroom/qr.py", "border=QUIET)[0], list[str]()", "border=0)[0], list[str]()", f"{UI}qr.py {SCANNED}"),
    Broken("ui/classroom/qr.py", "            start += length", "            start += 1", f"{UI}qr.py {SCANNED}"),
    Broken("ui/classroom/qr.py", 'fill="black", d="".join(lines)', 'fill="white", d="".join(lines)', SCANNED),
    Broken("ui/classroom/qr.py", 'type="primary", key="scan.close"', 'disabled=True, key="scan.close"', SCANNED),
    Broken("ui/classroom/qr.py", 'host.startswith("127.")', 'host.startswith("128.")', SCANNED),
    Broken(
        "ui/frame/embed.py", '"lesson": "", "at_stop": 1}', '"at_stop": 1}', f"{SCANNED} tests/app/test_embedded.py"
    ),
    Broken(f"{MADE}/forced.py", "return tgt[:, 1:]", "return tgt[:, :-1]", f"{SYMPTOM}forced"),
    Broken(f"{MADE}/forced.py", "filled_run(seed, PAD), pad=NOTHING", "filled_run(seed, PAD)", f"{SYMPTOM}forced"),
    Broken(f"{MADE}/ends.py", "seed, axis=0)", "seed, axis=1)", f"{SYMPTOM}ends"),
    Broken(f"{MADE}/ends.py", "start=END)", "start=START)", f"{SYMPTOM}ends"),
    Broken(f"{MADE}/stuck.py", "tgt.roll(1, 0) if mixed", "tgt.roll(0, 0) if mixed", f"{SYMPTOM}stuck"),
    Broken(f"{MADE}/stuck.py", "scheduled=False", "scheduled=True", f"{SYMPTOM}stuck"),
    Broken(f"{MADE}/validation.py", "smoothing=SMOOTHED)", "smoothing=0.0)", f"{SYMPTOM}validation"),
    Broken(f"{MADE}/every_symptom.py", 'for made in (cause, ""))', 'for made in ("", cause))', FIGURES),
    Broken(SYMPTOMS_PAGE, 'zip(LANES, (cause.name, ""))', 'zip(LANES, ("", cause.name))', FIGURES),
    Broken(SYMPTOMS_PAGE, "name=one.name, cause=cause.name, seed", "name=one.name, cause='', seed", FIGURES),
    Broken(
        "ui/frame/notices.py", '"fault.banner", seed=at_hand.fault)', '"fault.banner", seed=0)', f"{FAULT}is_hidden"
    ),
    Broken("ui/frame/notices.py", "if not at_hand.fault:", "if at_hand.fault:", f"{FAULT}is_hidden"),
    Broken("ui/frame/notices.py", "seed = seed_of(said)", "seed = 0", f"{FAULT}another_model"),
    Broken("ui/model/shipped.py", OPENED, OPENED.replace("(OSError, ValueError)", "ValueError"), f"{BAD}shipped_model"),
    Broken("ui/model/shipped.py", OPENED, OPENED.replace("(OSError, ValueError)", "OSError"), f"{BAD}shipped_model"),
    Broken(
        "ui/model/shipped.py", "raise NotShipped(file) from", "raise NotShipped(PEEKING) from", f"{BAD}shipped_model"
    ),
    Broken("ui/chapters/masks/story.py", "TOP - 12) / self.rows", "TOP + 40) / self.rows", f"{STORIES}masks"),
    Broken("ui/chapters/masks/story.py", "self.table.stage.of(96, 44)", "0", f"{STORIES}masks"),
    Broken(
        "ui/chapters/tokens/story.py",
        "table.ids + 22, table.middle(v.token - v.first)",
        "table.ids + 22, table.middle(v.token - v.first + 1)",
        f"{STORIES}tokens",
    ),
    Broken("ui/sections/story.py", '(f".{told.words}" if told.words else "")', '""', f"{STORIES}numbers"),
    Broken("ui/chapters/training/experiments.py", "0.0) > ALMOST", "0.0) < ALMOST", EXPERIMENTS),
    Broken("ui/chapters/training/experiments.py", "step > base.learned.step", "step < base.learned.step", EXPERIMENTS),
    Broken("ui/chapters/training/experiments.py", '"norm_first": False}', '"norm_first": True}', EXPERIMENTS),
    Broken(
        "ui/sections/prediction.py",
        "    if anew and _reply(chapter, name):",
        "    if False:",
        f"{APP}predict.py -k anew",
    ),
    Broken("ui/frame/notices.py", '"fault.elsewhere"', '"fault.otherwise"', KEYS),
    Broken("ui/chapters/symptoms/symptom.py", 'chapter.write(f"apart.{one.name}")', "", KEYS),
    Broken("ui/upload_limits.py", "if sum(mine) + len(file.data) > own:", "if False:", "tests/test_routes.py"),
    Broken("ui/classroom/ballot.py", "            counts[before] -= 1", "            pass", "tests/test_classroom.py"),
    Broken("transformer_core/verify/gradients.py", "start + side * step", "start + step", f"{CORE}verify.py"),
    Broken("transformer_core/schedule.py", "min(step**-0.5,", "max(step**-0.5,", f"{CORE}noam.py"),
    Broken("transformer_core/loss.py", "smoothing / (size - 2)", "smoothing / (size - 1)", f"{CORE}loss.py"),
    Broken(
        "transformer_core/layer_norm.py", "math.sqrt(x.size(-1) - 1)", "math.sqrt(x.size(-1))", f"{CORE}layer_norm.py"
    ),
    Broken(
        "transformer_core/decoding/beam.py",
        "((5 + length) / 6) ** alpha",
        "((5 + length) / 6) * alpha",
        f"{CORE}beam.py",
    ),
    Broken(
        "transformer_core/after_2017/rotary.py",
        "even * sin + odd * cos",
        "even * sin - odd * cos",
        f"{CORE}hugging_face_one_stack.py",
    ),
    Broken("transformer_core/after_2017/window.py", "near.triu(1 - window)", "near.triu(-window)", ONE_STACK),
    Broken("transformer_core/after_2017/rms_norm.py", "x.square().mean(-1", "x.abs().mean(-1", ONE_STACK),
    Broken(
        "transformer_core/after_2017/experts.py",
        "probabilities.size(1) * (load",
        "probabilities.size(0) * (load",
        f"{CORE}experts.py",
    ),
    Broken(
        "transformer_core/after_2017/flash_attention.py",
        "total = fades * before.total +",
        "total = before.total +",
        f"{CORE}flash_attention.py",
    ),
    Broken(
        "ui/sections/question.py",
        "right = reply == self.right",
        "right = reply != self.right",
        f"{APP}labsheet.py {APP}predict.py",
    ),
    Broken(
        "ui/settings/chapters.py",
        '"turn": "4"',
        '"turn": "7"',
        f"{APP}chosen_honestly.py",
    ),
    Broken("ui/figures/curves.py", "LISTED * width - icon", "LISTED * width + 20 * icon", f"{UI}curves.py"),
    Broken(
        "ui/chapters/further/story.py",
        "0.66 * across",
        "0.3 * across",
        f"{BROWSER}poster.py -k further",
    ),
]


def noticed(line: Broken) -> str:
    """The first test that fails once the line is broken; "" if none does."""
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder)
        for name in subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")[:-1]:
            (there / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, there / name)
        source = (there / line.file).read_text(encoding="utf-8")
        if source.count(line.text) != 1:
            raise ValueError(f"{line.file} has {source.count(line.text)} times {line.text!r}")
        (there / line.file).write_text(source.replace(line.text, line.instead), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "--tb=no", *line.tests.split()]
        said = subprocess.run(command, cwd=there, capture_output=True, text=True, check=False)
        failed = [told.split()[1] for told in said.stdout.splitlines() if told.startswith(("FAILED", "ERROR"))]
        return "" if said.returncode == 0 else (failed or [f"pytest ended with {said.returncode}"])[0]


def main() -> None:
    chosen = [line for line in LINES if all(part in line.file for part in sys.argv[1:])]
    found = []
    for line in chosen:
        found.append(noticed(line))
        print(f"{line.file}: {line.text} → {line.instead}: {found[-1] or 'noticed by none'}", flush=True)
    print(f"{sum(map(bool, found))} of {len(found)} noticed")


if __name__ == "__main__":
    main()
