"""A tiny random model of each family of encoder-decoders in `transformers`: docs/families.md says which are read."""

from collections.abc import Callable
from typing import Any

import torch
import transformers

from tests.core.hugging import MODELS, PAD, SIZES, T5_SIZES, VOCAB

POSITIONS = {"max_encoder_position_embeddings": 32, "max_decoder_position_embeddings": 32}
BERT: dict[str, Any] = {
    "vocab_size": VOCAB,
    "hidden_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "pad_token_id": PAD,
}


def of(name: str, **changes: Any) -> Callable[[], Any]:
    """The class of that name for what is generated, with sizes that all of BART's kin take."""

    def make() -> Any:
        torch.manual_seed(0)
        sizes = {key: value for key, value in SIZES.items() if changes.get(key, 0) is not None} | changes
        config = getattr(transformers, f"{name}Config")(
            **{key: value for key, value in sizes.items() if value is not None}
        )
        return getattr(transformers, f"{name}ForConditionalGeneration")(config).eval()

    return make


def like_t5(name: str, **changes: Any) -> Callable[[], Any]:
    def make() -> Any:
        torch.manual_seed(0)
        config = getattr(transformers, f"{name}Config")(**T5_SIZES | changes)
        return getattr(transformers, f"{name}ForConditionalGeneration")(config).eval()

    return make


def prophet_net() -> Any:
    sizes: dict[str, Any] = {"vocab_size": VOCAB, "hidden_size": 24, "max_position_embeddings": 32, "pad_token_id": PAD}
    for stack in ("encoder", "decoder"):
        sizes |= {f"{stack}_ffn_dim": 20, f"num_{stack}_layers": 2, f"num_{stack}_attention_heads": 4}
    return transformers.ProphetNetForConditionalGeneration(transformers.ProphetNetConfig(**sizes)).eval()


def two_berts() -> Any:
    decoder = transformers.BertLMHeadModel(transformers.BertConfig(**BERT, is_decoder=True, add_cross_attention=True))
    return transformers.EncoderDecoderModel(
        encoder=transformers.BertModel(transformers.BertConfig(**BERT)), decoder=decoder
    )


FAMILIES: dict[str, Callable[[], Any]] = {
    "Marian": MODELS["Marian"],
    "BART": MODELS["BART"],
    "mBART": MODELS["mBART"],
    "PLBart": of("PLBart"),
    "M2M100": of("M2M100"),
    "Pegasus": of("Pegasus"),
    "Blenderbot": of("Blenderbot"),
    "BlenderbotSmall": MODELS["Blenderbot, small"],
    "FSMT": MODELS["FSMT"],
    "T5": MODELS["T5"],
    "mT5": like_t5("MT5"),
    "UMT5": like_t5("UMT5"),
    "T5Gemma": MODELS["T5Gemma"],
    "LongT5": like_t5("LongT5"),
    "SwitchTransformers": like_t5("SwitchTransformers", num_experts=2),
    "NLLB-MoE": of("NllbMoe", num_experts=2),
    "PegasusX": of("PegasusX"),
    "BigBirdPegasus": of("BigBirdPegasus"),
    "LED": of("LED", attention_window=4, max_position_embeddings=None, **POSITIONS),
    "ProphetNet": prophet_net,
    "two BERTs": two_berts,
    "Whisper": of("Whisper", num_mel_bins=4, max_position_embeddings=None, begin_suppress_tokens=None),
}
