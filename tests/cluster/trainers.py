"""Where actors live."""

import subprocess


def trainers() -> list[int]:
    """The processes in which actors live; Ray names them so."""
    listed = subprocess.run(["ps", "-axo", "pid=,command="], capture_output=True, text=True, check=True).stdout
    return [int(line.split()[0]) for line in listed.splitlines() if "ray::Trainer" in line]
