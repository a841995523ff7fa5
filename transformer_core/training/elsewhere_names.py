"""Names of the parameters of models that others have published: of those that compute what ours does, and of others."""

import re
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

EXPLAINED = {  # how the names of models end that are built otherwise, and that `explain` reads
    "torch.nn.Transformer": ("self_attn.in_proj_weight", "self_attn.q_proj_weight"),
    "Hugging Face": ("self_attn.q_proj.weight", "SelfAttention.q.weight", "attention.self.query.weight"),
}
BUILT_OTHERWISE = {  # and of those that it does not
    "fairseq": ("encoder.version", "decoder.version", "output_projection.weight", "embed_positions._float_tensor"),
    "jadore801120/attention-is-all-you-need-pytorch": ("slf_attn.w_qs.weight",),
    "SamLynnEvans/Transformer": ("attn.q_linear.weight", "attn_1.q_linear.weight"),
    "OpenNMT-py": ("self_attn.linear_keys.weight",),
    "JoeyNMT": ("src_src_att.k_layer.weight",),
    "Dive into Deep Learning": ("attention.W_q.weight",),
    "GPT-2": ("attn.c_attn.weight",),
    "x-transformers": (".to_q.weight",),
}
DIFFERENCES = {  # of some of them: what makes it another model, with the same sizes
    "fairseq": "its position code has all sines before all cosines, and begins after the padding's index",
    "jadore801120/attention-is-all-you-need-pytorch": "it normalises the embeddings before the first layer, and "
    "divides the logits by √d_model",
    "SamLynnEvans/Transformer": "its position code has twice the paper's exponents",
}
UNSAID = "its layers are built otherwise than those of the Annotated Transformer, which are read here"
UNSCALED = "encoder.emb.tok_emb.weight"  # of a model that does not multiply its embeddings by √d_model
FIRST_TABLES = (  # the source's embedding, by which a model is found among others' parameters
    "src_embed.0.lut.weight",
    "encoder_input_embedding.embedding.weight",
    "src_embedding.embeddings_table.weight",
    "src_embed.embedding.weight",
    "encoder.tok_embedding.weight",
    UNSCALED,
)
RENAMED = (
    # gordicaleksa/pytorch-original-transformer: pre-norm, with PyTorch's LayerNorm
    (r"src_embedding\.embeddings_table\.", "src_embed.0.lut."),
    (r"trg_embedding\.embeddings_table\.", "tgt_embed.0.lut."),
    (r"src_pos_embedding\.positional_encodings_table", "src_embed.1.pe"),
    (r"trg_pos_embedding\.positional_encodings_table", "tgt_embed.1.pe"),
    (r"decoder_generator\.linear\.", "generator.proj."),
    (r"(en|de)coder\.\1coder_layers\.", r"\1coder.layers."),
    (r"(.+)\.(?:trg_)?multi_headed_attention\.", r"\1.self_attn."),
    (r"(.+)\.src_multi_headed_attention\.", r"\1.src_attn."),
    (r"(.+)\.qkv_nets\.", r"\1.linears."),
    (r"(.+)\.out_projection_net\.", r"\1.linears.3."),
    (r"(.+)\.pointwise_net\.linear(\d)\.", r"\1.feed_forward.w_\2."),
    (r"(.+)\.sublayers\.", r"\1.sublayer."),
    # hkproj/pytorch-transformer: pre-norm, with the formula of our LayerNorm
    (r"(src|tgt)_embed\.embedding\.", r"\1_embed.0.lut."),
    (r"(src|tgt)_pos\.pe", r"\1_embed.1.pe"),
    (r"projection_layer\.proj\.", "generator.proj."),
    (r"(.+)\.self_attention_block\.", r"\1.self_attn."),
    (r"(.+)\.cross_attention_block\.", r"\1.src_attn."),
    *((rf"(.+_attn)\.w_{letter}\.", rf"\1.linears.{at}.") for at, letter in enumerate("qkvo")),
    (r"(.+)\.feed_forward_block\.linear_(\d)\.", r"\1.feed_forward.w_\2."),
    (r"(.+)\.residual_connections\.", r"\1.sublayer."),
    (r"(.+\.norm)\.alpha$", r"\1.a_2"),
    # hyunwoongko/transformer: post-norm; the 1e-12 of its norms is PyTorch's 1e-5 here
    (r"encoder\.emb\.tok_emb\.", "src_embed.0.lut."),
    (r"decoder\.emb\.tok_emb\.", "tgt_embed.0.lut."),
    (r"decoder\.linear\.", "generator.proj."),
    (r"(.+layers\.\d+)\.enc_dec_attention\.", r"\1.src_attn."),
    (r"(.+layers\.\d+)\.(?:self_)?attention\.(?=w_)", r"\1.self_attn."),
    *((rf"(.+_attn)\.w_{name}\.", rf"\1.linears.{at}.") for at, name in enumerate(("q", "k", "v", "concat"))),
    (r"(.+)\.ffn\.linear(\d)\.", r"\1.feed_forward.w_\2."),
    *((rf"(.+)\.norm{at + 1}\.gamma$", rf"\1.sublayer.{at}.norm.weight") for at in range(3)),
    *((rf"(.+)\.norm{at + 1}\.beta$", rf"\1.sublayer.{at}.norm.bias") for at in range(3)),
    # bentrevett/pytorch-seq2seq: post-norm, with learned positions
    (r"encoder\.tok_embedding\.", "src_embed.0.lut."),
    (r"decoder\.tok_embedding\.", "tgt_embed.0.lut."),
    (r"encoder\.pos_embedding\.", "src_embed.1.lut."),
    (r"decoder\.pos_embedding\.", "tgt_embed.1.lut."),
    (r"decoder\.fc_out\.", "generator.proj."),
    (r"(.+)\.self_attention\.fc_", r"\1.self_attn.fc_"),
    (r"(.+)\.encoder_attention\.fc_", r"\1.src_attn.fc_"),
    *((rf"(.+_attn)\.fc_{letter}\.", rf"\1.linears.{at}.") for at, letter in enumerate("qkvo")),
    (r"(.+)\.positionwise_feedforward\.fc_(\d)\.", r"\1.feed_forward.w_\2."),
    (r"(.+)\.self_attn_layer_norm\.", r"\1.sublayer.0.norm."),
    (r"(.+)\.enc_attn_layer_norm\.", r"\1.sublayer.1.norm."),
    (r"encoder\.(.+)\.ff_layer_norm\.", r"encoder.\1.sublayer.1.norm."),
    (r"decoder\.(.+)\.ff_layer_norm\.", r"decoder.\1.sublayer.2.norm."),
)
BIAS_OF = ("attn.linears.", "feed_forward.w_", "generator.proj.")  # layers that some build without one


def renamed(state: Mapping[str, Any]) -> dict[str, Any]:
    """The same parameters under our names, where they are known to be those of the same blocks under others."""
    table = state.get(UNSCALED)
    if isinstance(table, Tensor) and table.dim() == 2:
        tables = (UNSCALED, UNSCALED.replace("encoder", "decoder"))
        state = {name: value / table.size(1) ** 0.5 if name in tables else value for name, value in state.items()}
    patterns = [(re.compile(f"^{before}"), after) for before, after in RENAMED]
    ours = {}
    for name, value in state.items():
        for before, after in patterns:
            name = before.sub(after, name, count=1)
        ours[name] = value
    stretched = {name.removesuffix(".a_2") for name in ours if name.endswith(".a_2")}
    return {
        f"{name.removesuffix('.bias')}.b_2" if name.removesuffix(".bias") in stretched else name: value
        for name, value in ours.items()
    }


def completed(state: Mapping[str, Any]) -> dict[str, Any]:
    """With what such models leave unsaid: a linear layer without a bias has one of zeros, a norm's single number is
    meant for all of a vector, and a table of positions serves each sequence of a batch."""
    whole = dict(state)
    for layer in BIAS_OF:
        names = [name for name in state if layer in name]
        if not any(name.endswith(".bias") for name in names):
            weights = {name: state[name] for name in names if name.endswith(".weight") and _axes(state[name]) == 2}
            whole |= {
                f"{name.removesuffix('weight')}bias": torch.zeros(1, dtype=weight.dtype).expand(weight.size(0))
                for name, weight in weights.items()
            }
    table = state.get("src_embed.0.lut.weight")
    for name, value in state.items():
        if name.endswith((".a_2", ".b_2")) and _axes(value) == 1 and len(value) == 1 and _axes(table) == 2:
            whole[name] = value.expand(table.size(1))  # type: ignore[union-attr]
        if name.endswith("_embed.1.pe") and _axes(value) in (2, 3):  # (length, d_model), (length, 1, d_model)
            whole[name] = value.transpose(0, 1) if _axes(value) == 3 and value.size(1) == 1 else value
            whole[name] = value.unsqueeze(0) if _axes(value) == 2 else whole[name]
    return whole


def _axes(value: object) -> int:
    return value.dim() if isinstance(value, Tensor) else -1
