"""Five lessons of ten minutes: each a list of links, a chapter with the settings that the class is to see."""

from collections.abc import Mapping

Settings = Mapping[str, str | int]

# The translator, reading a sentence that it was not trained on; where a stop names no model, numbers are copied.
WORDS = {"model": "translate", "src": "two white cats sleep"}

LESSONS: dict[str, list[tuple[str, Settings]]] = {
    "attention": [
        ("attention", {"kind": "encoder", "stage": "products", "only": "stages"} | WORDS),
        ("attention", {"kind": "encoder", "stage": "scores", "only": "stages"} | WORDS),
        ("attention", {"kind": "encoder", "stage": "weights", "only": "stages"} | WORDS),
        ("attention", {"kind": "encoder", "stage": "output", "only": "stages"} | WORDS),
        ("attention", {"kind": "cross", "stage": "weights", "only": "stages"} | WORDS),
    ],
    "masks": [
        ("masks", {"size": 8, "only": "look_ahead"}),
        ("masks", {"only": "both"} | WORDS),
        ("attention", {"kind": "decoder", "stage": "masked", "only": "stages"} | WORDS),
        ("masks", {"only": "fill"} | WORDS),
        ("masks", {"only": "probes"} | WORDS),
    ],
    "scale": [
        ("scaling", {"only": "steps"}),
        ("scaling", {"factor": "8", "only": "steps"}),
        ("scaling", {"only": "size"}),
        ("scaling", {"only": "self", "divide": "0"}),
        ("scaling", {"only": "run"}),
    ],
    "order": [
        ("positions", {"only": "order"} | WORDS),
        ("positions", {"only": "code"}),
        ("positions", {"only": "wavelengths"}),
        ("positions", {"only": "products"}),
        ("positions", {"only": "sum"} | WORDS),
    ],
    "training": [
        ("loss", {"only": "targets"}),
        ("loss", {"only": "rate"}),
        ("training", {}),
        ("heads", {"only": "wall"}),
        ("decoding", {}),
    ],
}
