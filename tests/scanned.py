"""What a phone reads off a page: the text of a QR code, from its drawing."""

import re

import numpy as np
import zxingcpp

DOTS = 3  # of the camera, per module


def picture(svg: str) -> np.ndarray:
    """The drawing as grey values, (size, size) uint8, painted the way a browser does: the white ground, the black."""
    (size,) = map(int, re.findall(r'viewBox="0 0 (\d+) \1"', svg))
    (ground,) = re.findall(r'<path fill="white" d="M0 0h(\d+)v\1h-\1z"/>', svg)
    (black,) = re.findall(r'<path fill="black" d="([^"]*)"/>', svg)
    painted = np.zeros((size, size), np.uint8)
    painted[: int(ground), : int(ground)] = 255
    strokes = re.findall(r"M(\d+) (\d+)h(\d+)v1h-\3z", black)
    assert "".join(f"M{x} {y}h{width}v1h-{width}z" for x, y, width in strokes) == black
    for x, y, width in strokes:
        painted[int(y), int(x) : int(x) + int(width)] = 0
    return painted.repeat(DOTS, 0).repeat(DOTS, 1)


def scanned(svg: str) -> "zxingcpp.Barcode":
    """The one code of a drawing: `.text`, `.ec_level`."""
    (found,) = zxingcpp.read_barcodes(picture(svg))
    return found
