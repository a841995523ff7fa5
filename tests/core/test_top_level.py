"""What `import transformer_core` offers."""

import subprocess
import sys
from importlib.resources import files

import transformer_core
from transformer_core.shell import RELEASE


def test_every_name_offered_is_there() -> None:
    for name in transformer_core.__all__:
        assert getattr(transformer_core, name) is not None
    assert transformer_core.__version__ == RELEASE
    assert not hasattr(transformer_core, "load_all")


def test_it_is_typed() -> None:
    assert files(transformer_core).joinpath("py.typed").is_file()


def test_files_and_settings_come_along_once_they_are_asked_for() -> None:
    program = (
        "import sys, transformer_core\n"
        "print(any(name.startswith(('safetensors', 'transformer_core.training')) for name in sys.modules))\n"
        "from transformer_core import TrainConfig, load_any\n"
        "print(TrainConfig().steps > 0, callable(load_any))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "True", "True"]
