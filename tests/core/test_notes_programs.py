"""The programs of the lecture notes, with nothing but the import changed, print what they print with their own classes.

The documents lie beside the project, if somebody has them there; the program below, in their manner, is always run.
Each program runs twice with the same seeds: once with all that it defines itself, and once with our names in the place
of its definitions. Both have small sizes in the place of the documents', and one epoch.
"""

import ast
import contextlib
import io
import re
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import MagicMock

import numpy as np
import pytest
import torch

from transformer_core import make_model, notes, record
from transformer_core.notes import notebook

DOCUMENTS = sorted((Path(__file__).resolve().parents[3] / "shared" / "seeds").glob("*.txt"))
OWN = """
```python
class Embeddings(nn.Module):
    def __init__(self, d_model, vocab):
        super().__init__()
        self.lut, self.d_model = nn.Embedding(vocab, d_model), d_model
    def forward(self, x):
        return self.lut(x) * math.sqrt(self.d_model)
def attention(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    p_attn = F.softmax(scores if mask is None else scores.masked_fill(mask == 0, -1e9), dim=-1)
    p_attn = p_attn if dropout is None else dropout(p_attn)
    return p_attn @ value, p_attn
class MultiHeadedAttention(nn.Module):
    def __init__(self, head, embedding_dim, dropout=0.1):
        super().__init__()
        self.d_k, self.head, self.attn = embedding_dim // head, head, None
        first = nn.Linear(embedding_dim, embedding_dim)
        self.linears = nn.ModuleList([copy.deepcopy(first) for _ in range(4)])
        self.dropout = nn.Dropout(p=dropout)
    def forward(self, query, key, value, mask=None):
        mask = mask if mask is None else mask.unsqueeze(0)
        query, key, value = (
            linear(x).view(len(x), -1, self.head, self.d_k).transpose(1, 2)
            for linear, x in zip(self.linears, (query, key, value))
        )
        x, self.attn = attention(query, key, value, mask=mask, dropout=self.dropout)
        return self.linears[-1](x.transpose(1, 2).flatten(2))
```
```python
x = Embeddings(512, 1000)(torch.LongTensor([[100, 2, 421, 508], [491, 998, 1, 221]]))
attn, p_attn = attention(x, x, x, torch.zeros(2, 4, 4), dropout=nn.Dropout(0.2))
print(attn, p_attn)
mha = MultiHeadedAttention(head=8, embedding_dim=512, dropout=0.2)
print(mha(x, x, x, torch.ones(8, 4, 4)), mha.attn)
```
"""
# In the place of whole numbers of a document, of a notebook more: sizes, a batch, a set of pairs, layers.
SMALLER = {512: 16, 2048: 24}
SMALLER_YET = SMALLER | {10000: 50, 1000: 40, 64: 8, 32: 4, 6: 2}
EPOCHS = {"epochs": 1, "num_epochs": 1, "n_epochs": 1}  # of a loop that trains
# Broken in an original. The first document has two attentions: one takes a mask (8, 4, 4) of its examples, of 8 heads,
# and the other one (2, 4, 4), of a batch of 2. Both runs keep the first; ours takes either mask. Its model's forward
# applies the generator, though d_model numbers are printed and its loss applies it again: both runs leave that out.
SECOND_ATTENTION, MASK_OF_THE_OTHER = "MultiHeadedAttention", "The size of tensor a (2) must match"
PROSE = re.compile(r"\W*[\u4e00-\u9fff]|\W*\w+ ?[\u4e00-\u9fff]")
KEPT = ("data_generator",)  # both runs learn from the document's own draw
BEFORE = """
import copy, math
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
from unittest.mock import MagicMock
plt = MagicMock()
"""
STOOD_FOR = ("matplotlib", "matplotlib.pyplot", "seaborn", "pyitcast", "pyitcast.transformer_utils")


def blocks(text: str) -> Iterator[ast.Module]:
    """The programs in a document: what stands in fences, or in a notebook's cells, before the output that follows."""
    cells = re.findall(r"^ *``` ?python\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)
    inputs = re.split(r"^In \[\d+\]:\n", text, flags=re.MULTILINE)[1:]
    for cell in inputs or cells:
        lines = [line for line in cell.splitlines() if not line.startswith("%")]
        while lines:
            try:
                tree = ast.parse("\n".join(lines))
            except SyntaxError as problem:  # the output begins there, or a line of prose stands within
                at = min(len(lines), problem.lineno or 1) - 1
                lines = lines[:at] + (lines[at + 1 :] if PROSE.match(lines[at]) else [])
            else:
                yield tree
                break


class Smaller(ast.NodeTransformer):
    """The same program with small sizes; with `ours` in the place of what it defines by these names."""

    def __init__(self, sizes: dict[int, int], ours: tuple[str, ...]) -> None:
        self.sizes, self.ours, self.seen = sizes, ours, set[str]()

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        smaller = self.sizes.get(node.value) if type(node.value) is int else None
        return node if smaller is None else ast.Constant(smaller)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        name = node.targets[0]
        if isinstance(name, ast.Name) and name.id in EPOCHS:
            node.value = ast.Constant(EPOCHS[name.id])
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | None:
        node.args.defaults = [
            ast.Constant(EPOCHS[arg.arg]) if arg.arg in EPOCHS else default
            for arg, default in zip(node.args.args[len(node.args.args) - len(node.args.defaults) :], node.args.defaults)
        ]
        return self._defined(node)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "self.generator":
            node.value = node.value.args[0]
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST | None:
        return self._defined(node)

    def _defined(self, node: ast.FunctionDef | ast.ClassDef) -> ast.AST | None:
        again = node.name == SECOND_ATTENTION and node.name in self.seen
        self.seen.add(node.name)
        return None if again or node.name in self.ours else self.generic_visit(node)


class Block(NamedTuple):
    printed: str
    failed: Exception | None


def ran(text: str, own: dict[str, Any], sizes: dict[int, int]) -> list[Block]:
    """What comes of each block, with these names in the place of the document's own definitions."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(BEFORE, names)
    names |= own
    done = []
    smaller = Smaller(sizes, tuple(own))
    for at, tree in enumerate(blocks(text)):
        torch.manual_seed(at)
        np.random.seed(at)  # noqa: NPY002 - the documents' programs draw from NumPy's global generator
        printed, failed = io.StringIO(), None
        program = ast.fix_missing_locations(smaller.visit(tree))
        with contextlib.redirect_stdout(printed):
            try:
                exec(compile(program, f"block {at}", "exec"), names)
            except Exception as problem:
                failed = problem
        names |= own
        done.append(Block(printed.getvalue(), failed))
    return done


def numbers(printed: str) -> list[float]:
    """All that are printed, but for how quick a run was, an object's address and the names of modules and functions."""
    told = re.sub(r"Tokens per Sec: \S+|0x\w+|grad_fn=\S+|\(\w+\):.*|^\w*\(", "", printed)
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d*)?(?:e[-+]\d+)?", told)]


@pytest.mark.parametrize("text", [OWN, *DOCUMENTS], ids=lambda text: getattr(text, "stem", "own")[:8])
def test_a_document_prints_the_same_with_our_names(text: str | Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in STOOD_FOR:
        monkeypatch.setitem(sys.modules, name, notes if "pyitcast" in name else MagicMock())
    document = text if isinstance(text, str) else text.read_text(encoding="utf-8")
    is_notebook = re.search(r"^In \[\d+\]:", document, re.MULTILINE)
    module, sizes = (notebook, SMALLER_YET) if is_notebook else (notes, SMALLER)
    own = {name: getattr(module, name) for name in module.__all__ if name not in KEPT}
    if not is_notebook:
        own["make_model"] = partial(notes.make_model, d_model=sizes[512], d_ff=sizes[2048])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, ours = ran(document, {}, sizes), ran(document, own, sizes)
    assert len(theirs) == len(ours) > 1
    for at, (block, again) in enumerate(zip(theirs, ours)):
        if again.failed is None and MASK_OF_THE_OTHER in str(block.failed):
            continue
        assert type(again.failed) is type(block.failed), f"block {at}: {block.failed!r} | {again.failed!r}"
        assert len(numbers(again.printed)) == len(numbers(block.printed)), f"block {at}"
        np.testing.assert_allclose(
            numbers(again.printed), numbers(block.printed), rtol=2e-3, atol=2e-3, err_msg=f"block {at}"
        )


def test_their_calls_work_to_the_keyword(capsys: pytest.CaptureFixture[str]) -> None:
    model = notes.make_model(source_vocab=11, target_vocab=7, N=1, d_model=8, d_ff=12, head=2, dropout=0.3)
    batches = list(notes.data_generator(V=7, batch=4, num_batch=3))
    assert [tuple(batch.src.shape) for batch in batches] == [(4, 10)] * 3
    loss = notes.SimpleLossCompute(
        model.generator, notes.LabelSmoothing(size=7, padding_idx=0), notes.get_std_opt(model)
    )
    notes.run_epoch(batches, model, loss)
    assert re.fullmatch(r"Epoch Step: 1 Loss: \d\.\d{6} Tokens per Sec: \d+\.\d{6}\n", capsys.readouterr().out)
    layer = model.decoder.layers[0]
    assert (layer.src_attn.attn.shape, layer.self_attn.head) == ((4, 2, 9, 10), 2)
    assert not layer.src_attn.attn.requires_grad
    assert layer.src_attn.dropout.p == 0.1  # theirs is never told of another
    assert not hasattr(make_model(7, 7, N=1, d_model=8, d_ff=12, h=2).decoder.layers[0].src_attn, "attn")


def test_the_dropped_weights_are_returned_and_a_length_is_no_probability() -> None:
    x = torch.eye(4)
    _, weights = notes.attention(x, x, x, dropout=torch.nn.Dropout(0.5))
    assert 0 < int((weights == 0).sum()) < 16
    positions = notes.PositionalEncoding(6, 100)
    assert (positions.pe.shape, positions.dropout.p) == ((1, 100, 6), 0.0)


def test_the_notebooks_model_reads_sources_and_targets_of_two_lengths_and_is_recorded() -> None:
    model = notebook.Transformer(9, 7, d_model=12, n_layers=2, n_heads=3, d_ff=20, max_len=16).eval()
    src, tgt = torch.tensor([[1, 5, 2, 8, 0]]), torch.tensor([[1, 6, 2]])
    with torch.no_grad(), record(model) as trace:
        logits = model(src, tgt, *notebook.create_masks(src, tgt, 0))
    assert logits.shape == (1, 3, 7)
    weights = trace["decoder.layers.1.encoder_decoder_attention.self_attention.weights"]
    assert weights.shape == (1, 3, 3, 5)
    assert float(weights[..., -1].max()) == 0  # padding
