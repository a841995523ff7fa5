"""The same weights in `torch.nn` give the same numbers (paper, section 3: figures 1 and 2)."""

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from transformer_core.attention import MultiHeadedAttention
from transformer_core.layer_norm import LayerNorm, torch_layer_norm_steps
from transformer_core.masks import padding_mask, subsequent_mask, target_mask
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.vocabulary import PAD
from transformer_core.trace import record
from transformer_core.verify.broken import Break, broken
from transformer_core.verify.samples import BATCH, D_MODEL, S, T, gap, small_batch, small_model, vectors, worst

FORMS = (True, False)  # pre-norm with our LayerNorm, post-norm with PyTorch's
State = dict[str, Tensor]


def multi_head_attention(how: Break = "none") -> float:
    """`MultiHeadedAttention` beside `nn.MultiheadAttention`: output and weights of every head, all under a mask.

    Once across, with a padding mask from queries (3, 5, 24) to keys (3, 7, 24), and once within, under look-ahead.
    """
    ours: Any = small_model().decoder.layers[0].src_attn
    theirs: Any = torch_attention(ours)
    ours = broken(ours, how)
    query, memory = vectors(BATCH, T, D_MODEL), vectors(BATCH, S, D_MODEL, seed=1)
    real, ahead = padding_mask(small_batch(torch.Generator().manual_seed(0)).src), subsequent_mask(T)
    across, weights = theirs(query, memory, memory, key_padding_mask=~real.squeeze(1), average_attn_weights=False)
    with record(ours) as trace:
        found = [gap(ours(query, memory, memory, real), across), gap(trace["weights"], weights)]
    within, weights = theirs(query, query, query, attn_mask=~ahead[0], average_attn_weights=False)
    with record(ours) as trace:
        found += [gap(ours(query, query, query, ahead), within), gap(trace["weights"], weights)]
    return worst(found)


class Weights(NamedTuple):
    ours: Tensor  # (h, T, T)
    theirs: Tensor  # (h, T, T)


def first_attention(model: EncoderDecoder, src: Tensor, tgt: Tensor, how: Break = "none") -> Weights:
    """Weights of the decoder's first attention, and those of `nn.MultiheadAttention` on the same vectors, under
    look-ahead: src (1, S), tgt (1, T) without paddings."""
    path = "decoder.layers.0"
    examined = broken(model, how)
    attention: Any = model.get_submodule(f"{path}.self_attn")
    with torch.no_grad(), record(examined) as trace:
        examined(src, tgt, padding_mask(src, PAD), target_mask(tgt, PAD))
    x = trace[f"{path}.sublayer.0.given"]
    ahead = subsequent_mask(tgt.size(1))[0]
    _, theirs = torch_attention(attention)(x, x, x, attn_mask=~ahead, average_attn_weights=False)
    return Weights(trace[f"{path}.self_attn.weights"][0], theirs[0].detach())


def layer_norm() -> float:
    """PyTorch's formula beside `nn.LayerNorm`; and our `LayerNorm`, which is theirs times √((n-1)/n) without eps."""
    x, weight, bias = 3 * vectors(BATCH, T, D_MODEL) + 1, vectors(D_MODEL, seed=1), vectors(D_MODEL, seed=2)
    theirs = nn.LayerNorm(D_MODEL).double()
    theirs.load_state_dict({"weight": weight, "bias": bias})
    formula = gap(torch_layer_norm_steps(x, weight, bias).output, theirs(x))
    ours = LayerNorm(D_MODEL, eps=0.0).double()
    plain = nn.functional.layer_norm(x, (D_MODEL,), eps=1e-300)
    return worst([formula, gap(ours(x), plain * math.sqrt((D_MODEL - 1) / D_MODEL))])


def encoder_layer(how: Break = "none") -> float:
    """One `EncoderLayer` beside `nn.TransformerEncoderLayer`, both forms, under a padding mask."""
    x, found = vectors(BATCH, S, D_MODEL), []
    src = small_batch(torch.Generator().manual_seed(0)).src
    for norm_first in FORMS:
        model = small_model(norm_first, norm=nn.LayerNorm)
        theirs = torch_transformer(model).encoder.layers[0]
        ours = broken(model, how).encoder.layers[0]
        found.append(gap(ours(x, padding_mask(src)), theirs(x, src_key_padding_mask=src == PAD)))
    return worst(found)


def decoder_layer(how: Break = "none") -> float:
    """One `DecoderLayer` beside `nn.TransformerDecoderLayer`, both forms, under both masks."""
    x, memory, found = vectors(BATCH, T, D_MODEL), vectors(BATCH, S, D_MODEL, seed=1), []
    batch = small_batch(torch.Generator().manual_seed(0))
    for norm_first in FORMS:
        model = small_model(norm_first, norm=nn.LayerNorm)
        theirs = torch_transformer(model).decoder.layers[0]
        ours = broken(model, how).decoder.layers[0]
        expected = theirs(
            x,
            memory,
            tgt_mask=~subsequent_mask(T)[0],  # True = may not attend, over there
            tgt_key_padding_mask=batch.tgt == PAD,
            memory_key_padding_mask=batch.src == PAD,
        )
        found.append(gap(ours(x, memory, batch.src_mask, batch.tgt_mask), expected))
    return worst(found)


def both_forms(how: Break = "none") -> float:
    """Small models of both forms, memory and output, beside `nn.Transformer`, under both masks."""
    batch = small_batch(torch.Generator().manual_seed(0))
    models = (small_model(norm_first, norm=nn.LayerNorm) for norm_first in FORMS)
    return worst(transformer(model, batch.src, batch.tgt, how) for model in models)


def transformer(model: EncoderDecoder, src: Tensor, tgt: Tensor, how: Break = "none") -> float:
    """Memory and output of a whole model beside `nn.Transformer`: src (batch, S), tgt (batch, T).

    `torch.nn` has no embeddings of its own for this, so it is given those of the model.
    """
    theirs, ours = torch_transformer(model), broken(model, how)
    src_mask, tgt_mask = padding_mask(src, PAD), target_mask(tgt, PAD)
    with torch.enable_grad():  # without gradients PyTorch would take another kernel, which leaves paddings out
        source, target = model.src_embed(src), model.tgt_embed(tgt)
        memory = theirs.encoder(source, src_key_padding_mask=src == PAD)
        expected = theirs(
            source,
            target,
            tgt_mask=~subsequent_mask(tgt.size(1))[0],
            src_key_padding_mask=src == PAD,
            tgt_key_padding_mask=tgt == PAD,
            memory_key_padding_mask=src == PAD,
        )
        return worst([gap(ours.encode(src, src_mask), memory), gap(ours(src, tgt, src_mask, tgt_mask), expected)])


def torch_attention(ours: MultiHeadedAttention) -> nn.MultiheadAttention:
    """`nn.MultiheadAttention` with our weights, in evaluation mode: it has one matrix for W_Q, W_K and W_V."""
    with torch.device("meta"):  # nothing is drawn or allocated: the weights take their places
        theirs = nn.MultiheadAttention(ours.h * ours.d_k, ours.h, batch_first=True)
    theirs.load_state_dict(_attention_state(ours), assign=True)
    return theirs.eval()


def torch_transformer(model: EncoderDecoder) -> nn.Transformer:
    """`nn.Transformer` with the weights of our stacks, in evaluation mode. What can be shared is, but no gradients.

    In the paper's post-norm form the stacks end with the norm of their last layer; PyTorch's own builder would add one
    more. A stack has one where ours has.
    """
    layer: Any = model.encoder.layers[0]
    d_model, h, d_ff = layer.size, layer.self_attn.h, layer.feed_forward.w_1.out_features
    norm_first, eps = layer.sublayer[0].norm_first, _norm(layer.sublayer[0].norm)[1]
    options: dict[str, Any] = {"norm_first": norm_first, "layer_norm_eps": eps, "batch_first": True}
    with torch.device("meta"):
        encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(d_model, h, d_ff, **options),
            len(model.encoder.layers),
            None if isinstance(model.encoder.norm, nn.Identity) else nn.LayerNorm(d_model, eps),
            enable_nested_tensor=False,
        )
        decoder = nn.TransformerDecoder(
            nn.TransformerDecoderLayer(d_model, h, d_ff, **options),
            len(model.decoder.layers),
            None if isinstance(model.decoder.norm, nn.Identity) else nn.LayerNorm(d_model, eps),
        )
        theirs = nn.Transformer(d_model, h, custom_encoder=encoder, custom_decoder=decoder, batch_first=True)
    theirs.load_state_dict(torch_state(model), assign=True)
    return theirs.eval()


def torch_state(model: EncoderDecoder) -> State:
    """The weights of both stacks under the names of `nn.Transformer`."""
    state: State = {}
    for name, stack in (("encoder", model.encoder), ("decoder", model.decoder)):
        for i, layer in enumerate(stack.layers):
            state |= _under(f"{name}.layers.{i}", _layer_state(layer))
        if not isinstance(stack.norm, nn.Identity):
            state |= _under(f"{name}.norm", _norm(stack.norm)[0])
    return state


def _layer_state(layer: Any) -> State:
    state = _under("self_attn", _attention_state(layer.self_attn))
    if hasattr(layer, "src_attn"):
        state |= _under("multihead_attn", _attention_state(layer.src_attn))
    state |= _under("linear1", _detached(layer.feed_forward.w_1)) | _under("linear2", _detached(layer.feed_forward.w_2))
    for i, sublayer in enumerate(layer.sublayer, start=1):
        state |= _under(f"norm{i}", _norm(sublayer.norm)[0])
    return state


def _attention_state(attention: MultiHeadedAttention) -> State:
    """PyTorch stacks W_Q, W_K and W_V, and always divides by √d_k: a model without the scale gets it into its W_Q."""
    query, key, value, output = map(_detached, attention.linears)
    scale = 1.0 if attention.scale else math.sqrt(attention.d_k)
    projections = ({name: scale * part for name, part in query.items()}, key, value)
    state = {f"in_proj_{name}": torch.cat([each[name] for each in projections]) for name in ("weight", "bias")}
    return state | _under("out_proj", output)


def _norm(norm: Any) -> tuple[State, float]:
    """Weights and eps with which `nn.LayerNorm` computes the same, up to a share of eps in the spread of ours."""
    if isinstance(norm, nn.LayerNorm):
        return _detached(norm), norm.eps
    unbiased = math.sqrt((norm.a_2.numel() - 1) / norm.a_2.numel())
    return {"weight": norm.a_2.detach() * unbiased, "bias": norm.b_2.detach()}, (norm.eps * unbiased) ** 2


def _detached(module: nn.Module) -> State:
    return {name: value.detach() for name, value in module.state_dict().items()}


def _under(path: str, state: State) -> State:
    return {f"{path}.{name}": value for name, value in state.items()}
