"""What more than one chapter lets the reader choose."""

KINDS = ("encoder", "decoder", "cross")
