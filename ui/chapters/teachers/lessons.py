"""Five lessons of ten minutes: each a list of links, a chapter with the settings that the class is to see."""

Settings = dict[str, str | int]

LESSONS: dict[str, list[tuple[str, Settings]]] = {
    "attention": [
        ("attention", {"kind": "encoder", "stage": "products", "only": "stages"}),
        ("attention", {"kind": "encoder", "stage": "scores", "only": "stages"}),
        ("attention", {"kind": "encoder", "stage": "weights", "only": "stages"}),
        ("attention", {"kind": "encoder", "stage": "output", "only": "stages"}),
        ("attention", {"kind": "cross", "stage": "weights", "only": "stages"}),
    ],
    "masks": [
        ("masks", {"size": 8, "only": "look_ahead"}),
        ("masks", {"only": "both"}),
        ("attention", {"kind": "decoder", "stage": "masked", "only": "stages"}),
        ("masks", {"only": "fill"}),
        ("masks", {"only": "probes"}),
    ],
    "scale": [
        ("scaling", {"only": "steps"}),
        ("scaling", {"factor": "8", "only": "steps"}),
        ("scaling", {"only": "size"}),
        ("scaling", {"only": "self", "divide": "0"}),
        ("scaling", {"only": "run"}),
    ],
    "order": [
        ("positions", {"only": "order"}),
        ("positions", {"only": "code"}),
        ("positions", {"only": "wavelengths"}),
        ("positions", {"only": "products"}),
        ("positions", {"only": "sum"}),
    ],
    "training": [
        ("loss", {"only": "targets"}),
        ("loss", {"only": "rate"}),
        ("training", {}),
        ("heads", {"only": "wall"}),
        ("decoding", {}),
    ],
}
