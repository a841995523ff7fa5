"""A function's own source as a program."""

import ast
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest
import streamlit as st
import torch

from transformer_core import EncoderDecoder, make_model, softmax_jacobian
from transformer_core.experiments.score_size import sampled_products
from ui.figures.runnable import NotRunnable, _read, runnable, written

FACTOR = 3


Which = Literal["first", "second"]
Row = torch.Tensor | list[float]


class Two(NamedTuple):
    first: torch.Tensor
    second: torch.Tensor


def tripled(x: torch.Tensor) -> torch.Tensor:
    return FACTOR * x


def both(size: int, *, start: float = 0.0) -> Two:
    """Two rows, one of them three times the other."""
    x = torch.arange(size) + start
    return Two(x, tripled(x))


def down(n: int) -> int:
    return n and down(n - 1)


def one_of(which: Which, size: int) -> Row:
    found: Row = getattr(both(size), which)
    return found


def on_a_page() -> None:
    st.title("no")


def of_a_model(model: EncoderDecoder) -> int:
    return len(list(model.parameters()))


def fresh() -> int:
    return len(list(make_model(5, 5, N=1, d_model=8, d_ff=8, h=2).parameters()))


def shown(program: str) -> object:
    names: dict[str, object] = {}
    exec(program, names)
    return names["shown"]


def test_the_program_brings_its_helpers_constants_and_classes_and_gives_the_same() -> None:
    program = runnable(both, 4, start=0.5, then=".second")
    np.testing.assert_array_equal(torch.as_tensor(shown(program)), both(4, start=0.5).second)
    assert "FACTOR = 3" in program
    assert program.index("def tripled") < program.index("def both")
    assert "import" not in program.replace("import torch", "").replace("from typing import NamedTuple", "")


def test_a_function_of_the_core_comes_with_its_source() -> None:
    p = torch.tensor([0.25, 0.75], dtype=torch.float64)
    program = runnable(softmax_jacobian, p)
    assert "def softmax_jacobian" in program
    np.testing.assert_array_equal(torch.as_tensor(shown(program)), softmax_jacobian(p))
    assert "import torch" in runnable(sampled_products, [1, 2], 3, 4)


def test_names_for_types_come_with_what_they_stand_for() -> None:
    program = runnable(one_of, "second", 3)
    np.testing.assert_array_equal(torch.as_tensor(shown(program)), [0, 3, 6])
    assert "Which = typing.Literal['first', 'second']" in program


def test_a_function_may_call_itself_and_a_model_stays_an_import() -> None:
    assert shown(runnable(down, 3)) == 0
    assert "from transformer_core.model import EncoderDecoder" in runnable(of_a_model, None)
    assert runnable(fresh).startswith("from transformer_core.model import make_model\n\n\ndef fresh")


@pytest.mark.parametrize("value", [1, -0.5, "a", None, True, [1, (2,)], (1, 2), {"a": [1.5]}, ()])
def test_values_are_written_as_python_reads_them(value: object) -> None:
    assert eval(written(value)) == value


def test_a_generator_is_written_with_its_seed() -> None:
    drawn = sampled_products(torch.tensor([2]), 3, 4, torch.Generator().manual_seed(5))
    program = runnable(sampled_products, torch.tensor([2]), 3, 4, torch.Generator().manual_seed(5), then=".products")
    torch.testing.assert_close(shown(program), drawn.products, rtol=0, atol=0)


def test_what_no_text_can_say_is_refused() -> None:
    with pytest.raises(NotRunnable):
        runnable(both, object())
    with pytest.raises(NotRunnable):
        runnable(on_a_page)


def test_two_readers_sources_are_parsed_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.11 counts the depth of what is parsed for all threads together: two at once end in a SystemError."""
    parse, together, met = ast.parse, threading.Barrier(2), list[int]()

    def slow(lines: str) -> Any:
        try:
            met.append(together.wait(timeout=0.2))
        except threading.BrokenBarrierError:
            together.reset()
        return parse(lines)

    monkeypatch.setattr(ast, "parse", slow)
    _read.cache_clear()
    with ThreadPoolExecutor(2) as readers:
        assert [name for name, *_ in readers.map(_read, [tripled, both])] == ["tripled", "both"]
    assert met == []
