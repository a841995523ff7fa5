"""What the chapters share: colours, words, settings, figures and the frame around them."""

if __name__ == "ui":  # and not glassformer.ui, as the installed command is found, before it has made this folder known
    from ui.server import process

    process.prepare()  # every page comes by here first, long before it has imported PyTorch
