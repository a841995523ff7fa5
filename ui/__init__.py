"""What the chapters share: colours, words, settings, figures and the frame around them."""

from ui.server import process

process.prepare()  # every page comes by here first, long before it has imported PyTorch
