"""GPT-2, BERT, Llama, Mistral and Mixtral of `transformers`, tiny and random: nothing is downloaded."""

from typing import Any

import torch
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    MixtralConfig,
    MixtralForCausalLM,
)

from tests.core.build import D_FF, D_MODEL, HEADS, MAX_LEN, N, unsettle

VOCAB, WINDOW = 13, 3
SIZES: dict[str, Any] = {
    "vocab_size": VOCAB,
    "hidden_size": D_MODEL,
    "num_hidden_layers": N,
    "num_attention_heads": HEADS,
    "intermediate_size": D_FF,
    "max_position_embeddings": MAX_LEN,
    "initializer_range": 0.3,
}
GPT2_SIZES: dict[str, Any] = {
    "vocab_size": VOCAB,
    "n_embd": D_MODEL,
    "n_layer": N,
    "n_head": HEADS,
    "n_inner": D_FF,
    "n_positions": MAX_LEN,
    "initializer_range": 0.3,
}


def gpt2(**changes: Any) -> Any:
    return _settled(GPT2LMHeadModel, GPT2Config(**GPT2_SIZES | changes))


def bert(**changes: Any) -> Any:
    return _settled(BertForMaskedLM, BertConfig(**SIZES | {"pad_token_id": 0} | changes))


def llama(**changes: Any) -> Any:
    return _settled(LlamaForCausalLM, LlamaConfig(**SIZES | {"num_key_value_heads": 2} | changes))


def mistral(**changes: Any) -> Any:
    sizes = SIZES | {"num_key_value_heads": 2, "sliding_window": WINDOW}
    return _settled(MistralForCausalLM, MistralConfig(**sizes | changes))


def mixtral(**changes: Any) -> Any:
    sizes = SIZES | {"num_key_value_heads": 2, "num_local_experts": 5, "num_experts_per_tok": 2}
    made = _settled(MixtralForCausalLM, MixtralConfig(**sizes | changes))
    made.set_experts_implementation("eager")  # the fast one wants sizes of whole 16 bytes
    return made


def rotary(base: float) -> dict[str, Any]:
    return {"rope_parameters": {"rope_type": "default", "rope_theta": base}}


MODELS: dict[str, Any] = {
    "GPT-2": gpt2,
    "GPT-2, untied": lambda: gpt2(tie_word_embeddings=False, activation_function="relu", layer_norm_epsilon=1e-3),
    "GPT-2, unscaled": lambda: gpt2(scale_attn_weights=False),
    "BERT": bert,
    "BERT, untied": lambda: bert(tie_word_embeddings=False, layer_norm_eps=1e-3),
    "Llama": llama,
    "Llama, tied": lambda: llama(tie_word_embeddings=True, num_key_value_heads=1, rms_norm_eps=1e-3, **rotary(500.0)),
    "Mistral": mistral,
    "Mixtral": mixtral,
}


def _settled(kind: Any, config: Any) -> Any:
    torch.manual_seed(0)
    model = kind(config)
    unsettle(model)
    return model.eval()
