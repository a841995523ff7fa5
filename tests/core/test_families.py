"""The tables of docs/families.md: what is read and changed, and the sentence for what is not."""

import re
from pathlib import Path

import pytest
import torch

from tests.core.families import FAMILIES
from tests.core.hugging import SOURCE, TARGET
from transformer_core import explain
from transformer_core.training.elsewhere_names import DIFFERENCES

DOCS = Path(__file__).resolve().parents[2] / "docs"
PATH = "decoder.layers.1.src_attn.weights"


def rows(page: str) -> dict[str, str]:
    """What stands beside each name in both tables."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return dict(re.findall(r"^\| ([\w/ -]+) \| ([^`|].*) \|$", text, re.MULTILINE))


TOLD = rows("families.md")
READ = "read and changed"


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_is_read_and_changed_or_refused_in_the_sentence_that_is_told(name: str) -> None:
    model = FAMILIES[name]()
    if TOLD[name] == READ:
        plain = explain(model, SOURCE, TARGET, wanted=lambda path: path in (PATH, "generator.log_probs"))
        changed = explain(model, SOURCE, TARGET, intervene={PATH: torch.zeros_like})
        assert PATH in plain.trace
        assert not torch.allclose(changed.log_probs, plain.log_probs)
        return
    with pytest.raises(ValueError, match=re.escape(TOLD[name].strip("“”…"))):
        explain(model, SOURCE, TARGET)


def test_every_family_and_repository_has_its_row_in_both_languages() -> None:
    assert FAMILIES.keys() <= TOLD.keys()
    assert rows("families.zh.md").keys() == TOLD.keys()
    for name in TOLD.keys() & DIFFERENCES.keys():
        assert DIFFERENCES[name] in TOLD[name]
