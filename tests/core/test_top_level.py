"""What `import transformer_core` offers."""

import pydoc
import re
import subprocess
import sys
from importlib.resources import files
from inspect import cleandoc

import torch

import transformer_core
from transformer_core.shell import RELEASE


def test_every_name_offered_is_there() -> None:
    for name in transformer_core.__all__:
        assert getattr(transformer_core, name) is not None
    assert transformer_core.__version__ == RELEASE
    assert not hasattr(transformer_core, "load_all")


def test_it_is_typed() -> None:
    assert files(transformer_core).joinpath("py.typed").is_file()


def test_what_is_heavy_comes_along_once_it_is_asked_for() -> None:
    """In a fresh process, for here all of it is imported already. The lack of Plotly is said."""
    program = (
        "import sys, transformer_core\n"
        "def there(*names): print(any(name.startswith(names) for name in sys.modules))\n"
        "there('safetensors', 'transformer_core.training', 'transformers', 'plotly')\n"
        "import transformer_core.after_2017.hugging_face\n"
        "there('transformers')\n"
        "from transformer_core import TrainConfig, load_any, train\n"
        "print(TrainConfig().steps > 0, callable(load_any))\n"
        "from transformer_core import train as again\n"
        "print(*(next(iter(each(TrainConfig(steps=1)))).step for each in (train, again, transformer_core.train)))\n"
        "sys.modules['plotly'] = None\n"
        "from transformer_core.picture import heatmap\nimport torch\n"
        "try: heatmap('a', torch.zeros(1, 2, 3))\nexcept ImportError as problem: print(problem)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [
        "False", "False", "True True", "0 0 0", "a figure of Plotly needs it: pip install plotly",
    ]  # fmt: skip


def test_help_is_a_table_of_contents_of_two_pages() -> None:
    page = pydoc.plain(pydoc.render_doc(transformer_core))
    assert len(page.splitlines()) < 120
    told = re.findall(r"\w+", transformer_core.__doc__)
    assert {*transformer_core.__all__} - {*told} == {"__version__"}


def test_its_program_runs() -> None:
    program = re.findall(r"(?:^    .*\n)+", transformer_core.__doc__, re.MULTILINE)[0]
    names = {"torch": torch} | {name: getattr(transformer_core, name) for name in transformer_core.__all__}
    *lines, last = cleandoc(program).splitlines()
    exec("\n".join(lines), names)
    assert f"{tuple(eval(last, names).shape)}" == last.partition("# ")[2]


def test_everything_is_offered_to_an_import_of_all() -> None:
    names: dict[str, object] = {}
    exec("from transformer_core import *", names)
    assert {*transformer_core.__all__} <= {*names}
