"""The names of the lecture notes' third document, a notebook: W_Q to W_O apart, each norm beside its sub-layer.

Its layers normalise after each residual sum, with `nn.LayerNorm`, and no stack ends with a norm: the form of
`make_model(..., norm_first=False)`. One position code serves both sides.
"""

import re

WHOLE = {
    "encoder_input_embedding.embedding": "src_embed.0.lut",
    "decoder_input_embedding.embedding": "tgt_embed.0.lut",
    "positional_encoding": "src_embed.1",  # its buffer, `pe`
    "projection": "generator.proj",
}
ATTENTIONS = {
    "multi_head_attention": ("self_attn", 0),
    "masked_multi_head_attention": ("self_attn", 0),
    "encoder_decoder_attention": ("src_attn", 1),
}
MATRICES = {"W_Q": 0, "W_K": 1, "W_V": 2, "W_O": 3}
LINEARS = {"linear_1": "w_1", "linear_2": "w_2"}
FEED_FORWARD = {"encoder": 1, "decoder": 2}  # which sub-layer it is
PART = re.compile(r"((encoder|decoder)\.layers\.\d{1,4})\.(\w+)\.(.+)\.(weight|bias)")


def notebook_name(name: str) -> str:
    """Our name of a parameter that is called so in the notebook; any other name as it is.

    >>> notebook_name("decoder.layers.1.encoder_decoder_attention.self_attention.W_K.bias")
    'decoder.layers.1.src_attn.linears.1.bias'
    """
    module, _, last = name.rpartition(".")
    if module in WHOLE:
        return f"{WHOLE[module]}.{last}"
    found = PART.fullmatch(name)
    if found is None:
        return name
    layer, side, block, inner, last = found.groups()
    if block in ATTENTIONS:
        ours, place = ATTENTIONS[block]
        matrix = MATRICES.get(inner.removeprefix("self_attention."))
        if matrix is not None:
            return f"{layer}.{ours}.linears.{matrix}.{last}"
    elif block == "feed_forward":
        place = FEED_FORWARD[side]
        if inner in LINEARS:
            return f"{layer}.feed_forward.{LINEARS[inner]}.{last}"
    else:
        return name
    return f"{layer}.sublayer.{place}.norm.{last}" if inner == "layer_norm" else name
