"""Encoder-decoders of Hugging Face's, tiny and random: nothing is downloaded."""

from typing import Any

import torch
from torch import Tensor
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    BlenderbotSmallConfig,
    BlenderbotSmallForConditionalGeneration,
    FSMTConfig,
    FSMTForConditionalGeneration,
    MarianConfig,
    MarianMTModel,
    MBartConfig,
    MBartForConditionalGeneration,
    T5Config,
    T5ForConditionalGeneration,
    T5GemmaConfig,
    T5GemmaForConditionalGeneration,
    T5GemmaModuleConfig,
)

from tests.core.build import D_FF, D_MODEL, HEADS, MAX_LEN, N, unsettle

VOCAB, PAD, LAYERS = 17, 16, N + 1  # of the decoder
SOURCE = torch.tensor([[3, 4, 5, 6, 0], [2, 1, 0, PAD, PAD]])
TARGET = torch.tensor([[PAD, 7, 8], [PAD, 9, 9]])

SIZES: dict[str, Any] = {
    "vocab_size": VOCAB,
    "d_model": D_MODEL,
    "encoder_layers": N,
    "decoder_layers": LAYERS,
    "encoder_attention_heads": HEADS,
    "decoder_attention_heads": HEADS,
    "encoder_ffn_dim": D_FF,
    "decoder_ffn_dim": D_FF,
    "max_position_embeddings": MAX_LEN,
    "pad_token_id": PAD,
    "decoder_start_token_id": PAD,
    "eos_token_id": 0,
    "forced_eos_token_id": 0,
    "init_std": 0.3,
}
T5_SIZES: dict[str, Any] = {
    "vocab_size": VOCAB,
    "d_model": D_MODEL,
    "d_kv": 5,
    "d_ff": D_FF,
    "num_layers": N,
    "num_decoder_layers": LAYERS,
    "num_heads": HEADS,
    "relative_attention_num_buckets": 8,
    "relative_attention_max_distance": 12,
    "pad_token_id": PAD,
    "decoder_start_token_id": PAD,
    "eos_token_id": 1,
    "initializer_factor": 0.5,
}


def marian(**changes: Any) -> Any:
    return _settled(
        MarianMTModel, MarianConfig(**SIZES | {"decoder_vocab_size": VOCAB, "scale_embedding": True} | changes)
    )


def bart(**changes: Any) -> Any:
    return _settled(BartForConditionalGeneration, BartConfig(**SIZES | changes))


def mbart(**changes: Any) -> Any:
    return _settled(MBartForConditionalGeneration, MBartConfig(**SIZES | {"scale_embedding": True} | changes))


def blenderbot_small() -> Any:
    return _settled(BlenderbotSmallForConditionalGeneration, BlenderbotSmallConfig(**SIZES))


def t5(**changes: Any) -> Any:
    return _settled(T5ForConditionalGeneration, T5Config(**T5_SIZES | changes))


def gated_t5() -> Any:
    return t5(feed_forward_proj="gated-gelu", tie_word_embeddings=False)


def fsmt() -> Any:
    """Its vectors are laid length first, and its decoder ends with the logits."""
    sizes = {name: value for name, value in SIZES.items() if name not in ("vocab_size", "forced_eos_token_id")}
    config = FSMTConfig(src_vocab_size=VOCAB, tgt_vocab_size=VOCAB, scale_embedding=True, **sizes)
    return _settled(FSMTForConditionalGeneration, config)


def t5_gemma() -> Any:
    """A window of two in every other layer, and limits that the scores come near."""
    sizes: dict[str, Any] = {
        "vocab_size": VOCAB,
        "hidden_size": D_MODEL,
        "intermediate_size": D_FF,
        "num_attention_heads": HEADS,
        "num_key_value_heads": 1,
        "head_dim": 8,
        "query_pre_attn_scalar": 6,
        "sliding_window": 2,
        "pad_token_id": PAD,
        "attn_logit_softcapping": 5.0,
        "final_logit_softcapping": 9.0,
        "initializer_range": 0.3,
    }
    encoder, decoder = (T5GemmaModuleConfig(num_hidden_layers=layers, **sizes) for layers in (N, LAYERS))
    config = T5GemmaConfig(encoder=encoder, decoder=decoder, vocab_size=VOCAB)
    return _settled(T5GemmaForConditionalGeneration, config)


MODELS = {
    "Marian": marian,
    "BART": bart,
    "mBART": mbart,
    "Blenderbot, small": blenderbot_small,
    "T5": t5,
    "gated T5": gated_t5,
    "FSMT": fsmt,
    "T5Gemma": t5_gemma,
}


def _settled(kind: Any, config: Any) -> Any:
    torch.manual_seed(0)
    model = kind(config)
    unsettle(model)
    return model.eval()


def called(model: Any, source: Tensor = SOURCE, **more: Any) -> Any:
    """What the model itself returns."""
    mask = (source != PAD).long()
    with torch.no_grad():
        return model(input_ids=source, attention_mask=mask, decoder_input_ids=TARGET, use_cache=False, **more)
