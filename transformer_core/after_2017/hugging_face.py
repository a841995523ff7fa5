"""GPT-2, BERT, Llama, Mistral and Mixtral of `transformers` as models of this package: the same numbers, our names.

Read are a configuration and a state dict, so that the library itself is not needed. ValueError, which names it, for a
setting that our parts do not have, and for a parameter too many or too few.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from transformer_core.after_2017.make import build
from transformer_core.after_2017.one_stack import OneStack
from transformer_core.after_2017.rotary import interleaved
from transformer_core.after_2017.shape import OneStackShape
from transformer_core.positions import BASE

Settings = Mapping[str, Any]  # of a configuration, `config.json` or `model.config.to_dict()`
State = dict[str, Tensor]
ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh"}
LEFT = (  # buffers, and what stands beside the model of words
    ".attn.bias", ".masked_bias", ".inv_freq", ".position_ids", "pooler.dense.weight", "pooler.dense.bias",
    "cls.seq_relationship.weight", "cls.seq_relationship.bias",
)  # fmt: skip
OLD_NAMES = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}  # of files before 2019
ONLY: dict[str, Settings] = {  # settings whose other values are other models
    "gpt2": {"add_cross_attention": False, "scale_attn_by_inverse_layer_idx": False},
    "bert": {
        "hidden_act": "gelu",
        "is_decoder": False,
        "position_embedding_type": "absolute",
        "add_cross_attention": False,
    },
    "llama": {"hidden_act": "silu", "attention_bias": False, "mlp_bias": False},
    "mistral": {"hidden_act": "silu"},
    "mixtral": {"hidden_act": "silu"},
}


def from_transformers(model: Any) -> OneStack:
    """A model of `transformers` as one of ours, in evaluation mode: GPT2LMHeadModel, BertForMaskedLM, LlamaForCausalLM.

    >>> ours = from_transformers(GPT2LMHeadModel.from_pretrained("gpt2"))
    >>> with record(ours) as trace:
    ...     log_probs = ours.generator(ours(tokens))

    The numbers are copies. Of BERT's two segments all tokens belong to the first.
    """
    settings = model.config.to_dict()
    state = our_state(settings, model.state_dict())
    ours = build(shape_of(settings)).eval()
    with torch.no_grad():
        for name, parameter in ours.named_parameters():
            parameter.copy_(state[name])
    return ours


def is_known(settings: object) -> bool:
    """Whether these are the settings of a model that is read here."""
    return isinstance(settings, Mapping) and settings.get("model_type") in ONLY


def shape_of(settings: Settings) -> OneStackShape:
    """What a configuration says of a model, in our terms."""
    kind = settings.get("model_type")
    if kind not in ONLY:
        raise ValueError(f"a model of the type {kind!r:.40} is not read here, but {', '.join(ONLY)}")
    for name, wanted in ONLY[kind].items():
        if settings.get(name, wanted) != wanted:
            raise ValueError(f"{name} = {settings[name]!r:.40} is not read here, but {wanted!r}")
    return {"gpt2": _gpt2_shape, "bert": _bert_shape}.get(kind, _llama_shape)(settings)


def our_state(settings: Settings, state: Mapping[str, Any]) -> State:
    """The parameters under our names."""
    kind = settings["model_type"]
    taken = _Taken(state)
    ours = {"gpt2": _gpt2_state, "bert": _bert_state}.get(kind, _llama_state)(taken, shape_of(settings))
    if taken.state:
        raise ValueError(f"{next(iter(taken.state)):.80} is no parameter of a {kind} model that is read here")
    return ours


class _Taken:
    """A state dict from which parameters are taken, whether the model stood alone in it or under its name."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        self.state = {self._plain(name): value for name, value in state.items() if not f".{name}".endswith(LEFT)}

    def _plain(self, name: str) -> str:
        for old, new in OLD_NAMES.items():
            name = name.replace(old, new)
        return name.removeprefix("transformer.").removeprefix("bert.").removeprefix("model.")

    def __call__(self, name: str) -> Tensor:
        if not isinstance(value := self.state.pop(name, None), Tensor):
            raise ValueError(f"the parameter {name} is missing")
        return value

    def both(self, theirs: str, ours: str, change: Callable[[Tensor], Tensor] = Tensor.detach) -> State:
        """Weight and bias of a layer."""
        return {f"{ours}.{part}": change(self(f"{theirs}.{part}")) for part in ("weight", "bias")}

    def tied(self, name: str, table: Tensor) -> bool:
        """Take the generator's matrix away where it is left out or is the table; whether it was."""
        found = self.state.get(name, table)
        same = found is table or (found.shape == table.shape and torch.equal(found, table))
        self.state.pop(name if same else "", None)
        return same


def _activation(settings: Settings, name: str) -> str:
    if (found := settings.get(name)) not in ACTIVATIONS:
        raise ValueError(f"{name} = {found!r:.40} is not read here, but {', '.join(ACTIVATIONS)}")
    return ACTIVATIONS[found]


def _gpt2_shape(settings: Settings) -> OneStackShape:
    return OneStackShape(
        "decoder",
        settings["vocab_size"],
        settings["n_layer"],
        settings["n_embd"],
        settings.get("n_inner") or 4 * settings["n_embd"],
        settings["n_head"],
        dropout=0.0,
        norm="torch",
        norm_eps=settings.get("layer_norm_epsilon", 1e-5),
        scale=settings.get("scale_attn_weights", True),
        positions="learned",
        feed_forward=_activation(settings, "activation_function"),
        tied=settings.get("tie_word_embeddings", True),
        scale_embeddings=False,
        generator_bias=False,
        max_len=settings["n_positions"],
        pad=None,
    )


def _gpt2_state(take: _Taken, shape: OneStackShape) -> State:
    """Its layers multiply from the other side, and W_Q, W_K and W_V are one matrix."""
    table = take("wte.weight")
    ours = {"tgt_embed.0.lut.weight": table, "tgt_embed.1.lut.weight": take("wpe.weight")}
    ours |= _generator(take, "lm_head.weight", table, shape)
    for n in range(shape.N):
        at, to = f"h.{n}", f"decoder.layers.{n}"
        weights, biases = (take(f"{at}.attn.c_attn.{part}").t().chunk(3) for part in ("weight", "bias"))
        for i, (weight, bias) in enumerate(zip(weights, biases)):
            ours |= {f"{to}.self_attn.linears.{i}.weight": weight, f"{to}.self_attn.linears.{i}.bias": bias}
        ours |= take.both(f"{at}.attn.c_proj", f"{to}.self_attn.linears.3", Tensor.t)
        ours |= take.both(f"{at}.mlp.c_fc", f"{to}.feed_forward.w_1", Tensor.t)
        ours |= take.both(f"{at}.mlp.c_proj", f"{to}.feed_forward.w_2", Tensor.t)
        ours |= take.both(f"{at}.ln_1", f"{to}.sublayer.0.norm") | take.both(f"{at}.ln_2", f"{to}.sublayer.1.norm")
    return ours | take.both("ln_f", "decoder.norm")


def _bert_shape(settings: Settings) -> OneStackShape:
    return OneStackShape(
        "encoder",
        settings["vocab_size"],
        settings["num_hidden_layers"],
        settings["hidden_size"],
        settings["intermediate_size"],
        settings["num_attention_heads"],
        dropout=0.0,
        norm_first=False,
        norm_eps=settings.get("layer_norm_eps", 1e-12),
        positions="learned",
        feed_forward="gelu",
        tied=settings.get("tie_word_embeddings", True),
        scale_embeddings=False,
        embedding_norm=True,
        transformed=True,
        max_len=settings["max_position_embeddings"],
        pad=settings.get("pad_token_id", 0),
    )


def _bert_state(take: _Taken, shape: OneStackShape) -> State:
    """The vector of the first segment, which is added at every position, goes into the positions."""
    table, segments = take("embeddings.word_embeddings.weight"), take("embeddings.token_type_embeddings.weight")
    places = take("embeddings.position_embeddings.weight") + segments[0]
    ours = {"src_embed.0.lut.weight": table, "src_embed.1.lut.weight": places}
    ours |= take.both("embeddings.LayerNorm", "src_embed.2")
    for n in range(shape.N):
        at, to = f"encoder.layer.{n}", f"encoder.layers.{n}"
        for i, name in enumerate(("self.query", "self.key", "self.value", "output.dense")):
            ours |= take.both(f"{at}.attention.{name}", f"{to}.self_attn.linears.{i}")
        ours |= take.both(f"{at}.attention.output.LayerNorm", f"{to}.sublayer.0.norm")
        ours |= take.both(f"{at}.intermediate.dense", f"{to}.feed_forward.w_1")
        ours |= take.both(f"{at}.output.dense", f"{to}.feed_forward.w_2")
        ours |= take.both(f"{at}.output.LayerNorm", f"{to}.sublayer.1.norm")
    head = "cls.predictions"
    ours |= take.both(f"{head}.transform.dense", "generator.dense")
    ours |= take.both(f"{head}.transform.LayerNorm", "generator.norm")
    used, unused = (f"{head}.decoder.bias", f"{head}.bias")  # where there are both, the layer has its own
    ours |= {"generator.proj.bias": take(used if used in take.state else unused)}
    take.state.pop(unused, None)
    return ours | _generator(take, f"{head}.decoder.weight", table, shape)


def _llama_shape(settings: Settings) -> OneStackShape:
    rope = settings.get("rope_parameters") or settings.get("rope_scaling") or {}
    if (kind := rope.get("rope_type", rope.get("type", "default"))) != "default":
        raise ValueError(f"rope_type = {kind!r:.40} is not read here, but 'default'")
    d_model, h = settings["hidden_size"], settings["num_attention_heads"]
    if (size := settings.get("head_dim") or d_model // h) * h != d_model:
        raise ValueError(f"head_dim = {size} is not read here, but hidden_size / num_attention_heads")
    experts, top_k = _experts(settings)
    return OneStackShape(
        "decoder",
        settings["vocab_size"],
        settings["num_hidden_layers"],
        d_model,
        settings["intermediate_size"],
        h,
        dropout=0.0,
        norm="rms",
        norm_eps=settings.get("rms_norm_eps", 1e-6),
        positions="rotary",
        rotary_base=float(rope.get("rope_theta") or settings.get("rope_theta") or BASE),
        feed_forward="swiglu",
        tied=settings.get("tie_word_embeddings", False),
        groups=settings.get("num_key_value_heads") or h,
        window=None if settings["model_type"] == "llama" else settings.get("sliding_window"),
        experts=experts,
        top_k=top_k,
        scale_embeddings=False,
        bias=False,
        generator_bias=False,
        max_len=settings["max_position_embeddings"],
        pad=None,
    )


def _llama_state(take: _Taken, shape: OneStackShape) -> State:
    """Its pairs to rotate stand apart, and here side by side."""
    table = take("embed_tokens.weight")
    ours = {"tgt_embed.0.lut.weight": table, "decoder.norm.weight": take("norm.weight")}
    ours |= _generator(take, "lm_head.weight", table, shape)
    for n in range(shape.N):
        at, to = f"layers.{n}", f"decoder.layers.{n}"
        for i, (name, heads) in enumerate({"q": shape.h, "k": shape.key_heads, "v": 0, "o": 0}.items()):
            weight = take(f"{at}.self_attn.{name}_proj.weight")
            ours[f"{to}.self_attn.linears.{i}.weight"] = interleaved(weight, heads) if heads else weight
        ours |= _networks(take, at, f"{to}.feed_forward", shape.experts)
        ours[f"{to}.sublayer.0.norm.weight"] = take(f"{at}.input_layernorm.weight")
        ours[f"{to}.sublayer.1.norm.weight"] = take(f"{at}.post_attention_layernorm.weight")
    return ours


def _experts(settings: Settings) -> tuple[int | None, int]:
    """How many a Mixtral has, and how many it chooses. Where it is one its gate is 1, and ours the probability."""
    if settings["model_type"] != "mixtral":
        return None, 1
    if (top_k := settings["num_experts_per_tok"]) == 1:
        raise ValueError("num_experts_per_tok = 1 is not read here, but 2 or more")
    return settings["num_local_experts"], top_k


def _networks(take: _Taken, at: str, to: str, experts: int | None) -> State:
    """The feed-forward network of a layer, or its experts: each by itself, as in files, or all in three tensors."""
    if experts is None:
        names = {"gate_proj": "w_1", "up_proj": "w_3", "down_proj": "w_2"}
        return {f"{to}.{name}.weight": take(f"{at}.mlp.{theirs}.weight") for theirs, name in names.items()}
    if f"{at}.block_sparse_moe.gate.weight" in take.state:
        ours, inner = {f"{to}.router.weight": take(f"{at}.block_sparse_moe.gate.weight")}, "block_sparse_moe.experts"
        for n in range(experts):
            ours |= {f"{to}.experts.{n}.w_{i}.weight": take(f"{at}.{inner}.{n}.w{i}.weight") for i in (1, 2, 3)}
        return ours
    ours, inputs, outputs = (
        {f"{to}.router.weight": take(f"{at}.mlp.gate.weight")},
        take(f"{at}.mlp.experts.gate_up_proj"),  # (experts, 2 d_ff, d_model)
        take(f"{at}.mlp.experts.down_proj"),
    )
    for n, (both, w_2) in enumerate(zip(inputs, outputs)):
        w_1, w_3 = both.chunk(2)
        ours |= {f"{to}.experts.{n}.w_{i}.weight": weight for i, weight in enumerate((w_1, w_2, w_3), 1)}
    return ours


def _generator(take: _Taken, name: str, table: Tensor, shape: OneStackShape) -> State:
    """Its matrix, unless it is the table of the embeddings."""
    if not shape.tied:
        return {"generator.proj.weight": take(name)}
    if not take.tied(name, table):
        raise ValueError(f"{name} is not the table of the embeddings, though tie_word_embeddings says so")
    return {}
