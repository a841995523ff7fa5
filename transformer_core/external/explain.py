"""`explain`: the recording of a model that somebody else has built from `torch.nn`."""

import inspect
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial

from torch import Tensor, nn

from transformer_core.external import hugging_face
from transformer_core.external.embed import embedded, looked_up, same
from transformer_core.external.explanation import Explanation, Names
from transformer_core.external.given import check_place, check_tokens, refuse_our_names, rounding, within_tables
from transformer_core.external.hugging_face import pretrained
from transformer_core.external.layers import Seen, see_stack
from transformer_core.external.parts import paths, stack
from transformer_core.external.watch import Calls, evaluating, watched
from transformer_core.masks import padding_mask, target_mask
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.vocabulary import PAD
from transformer_core.trace import Trace, record, unwrapped

Run = Callable[[Tensor, Tensor], object]
Output = Callable[[Tensor], Tensor]

EMBED = {"encoder": "src_embed", "decoder": "tgt_embed"}  # what the vectors that a stack reads are called


def explain(
    model: nn.Module,
    source: Tensor,
    target: Tensor,
    *,
    run: Run | None = None,
    encoder: nn.Module | None = None,
    decoder: nn.Module | None = None,
    source_embedding: nn.Module | None = None,
    target_embedding: nn.Module | None = None,
    output: Output | None = None,
    source_names: Names | None = None,
    target_names: Names | None = None,
    tolerance: float | None = None,
) -> Explanation:
    """Run an encoder-decoder made with `torch.nn`, or one of Hugging Face's, and name what it computes as `record`
    names what ours does.

    source, target: int64 tokens as the model takes them, (batch, length) or (length, batch), the target being what the
    decoder reads. `run(source, target)` calls the model, `model(source, target)` unless given:

    >>> run = lambda source, target: model(source, target, tgt_mask=mask, src_key_padding_mask=source == 0)
    >>> explanation = explain(model, source, target, run=run)
    >>> explanation.trace["decoder.layers.1.src_attn.weights"]  # (batch, heads, target length, source length)
    >>> explanation.weights("decoder", layer=1)  # in a notebook: all heads, the tokens beside them

    Found in the model unless given: `encoder` and `decoder`, stacks of layers like those of `nn.Transformer`, pre-norm
    or post-norm, batch or length first, with any activation; the `nn.Embedding` of either side; and `output`, what
    makes logits or log-probabilities of the decoder's output (batch, T, d_model), the `nn.Linear` that is given that
    output. `source_names` and `target_names` are what a figure calls the tokens.

    A Marian, BART or T5, or what is built like them, is called with `input_ids`, `decoder_input_ids` and a mask for the
    source's padding, and found as it is; `remarks` say in which it is another model than the paper's.

    The model's own forward runs, in evaluation mode and module by module, and nothing of it is changed; it runs once
    more where there are as many sequences as tokens, for no shape tells then which is which. Only the steps inside an
    attention are computed here, from its matrices and its inputs, and must lead to its own output; and every sub-layer
    must be x + branch. ValueError, with the module, where a number is off by more than `tolerance`, in units of the
    largest where that is above 1: 1e-5 unless given, and in half precision, which rounds more coarsely, what suits it;
    with its name for what the model lacks; and for a source or target that is no tensor of tokens the model knows, or
    lies on another device than the model.
    """
    names = {"encoder": source_names, "decoder": target_names}
    check_tokens(source, "source")
    check_tokens(target, "target")
    model = unwrapped(model)
    check_place(model, source, target)
    if isinstance(model, EncoderDecoder):
        ids = {"encoder": source, "decoder": target}
        return Explanation(_recorded(model, source, target, run), ids, names, {})
    known = paths(model)
    theirs = pretrained(model, known) if encoder is None and decoder is None else None
    if theirs is None:
        refuse_our_names(model)
        hugging_face.refuse_others(model)
        stacks = {
            "encoder": stack(model, nn.TransformerEncoder, encoder, "encoder"),
            "decoder": stack(model, nn.TransformerDecoder, decoder, "decoder"),
        }
    else:
        stacks, run = theirs.stacks, theirs.run if run is None else run
        source, target = (ids.view(-1, ids.size(-1)) for ids in (source, target))
    parts = (model, *(each.module for each in stacks.values()), source_embedding, target_embedding, output)
    modules = [module for part in parts if isinstance(part, nn.Module) for module in part.modules()]
    modules = list(dict.fromkeys(modules))
    again = partial(_forward(model) if run is None else run, source, target)
    with evaluating(modules):
        with within_tables(modules, known), watched(modules) as calls:
            again()
        table = looked_up(calls, source, source_embedding, "source_embedding")
        tables = {"encoder": table, "decoder": looked_up(calls, target, target_embedding, "target_embedding", table)}
        ids, seen = {}, Seen(rounding(model) if tolerance is None else tolerance)
        for name, part in stacks.items():
            with nullcontext() if theirs is None else hugging_face.as_built(model):
                if theirs is None:
                    first_layer = calls.last(part.layers[0], f"{part.path}.layers.0")
                    vectors = embedded(calls, tables[name], first_layer, EMBED[name], seen.tolerance, again)
                else:
                    vectors = hugging_face.embedded(part, tables[name], calls, EMBED[name], seen)
                ids[name] = vectors.tokens
                seen.trace.update(vectors.trace)
                see_stack(part, name, calls, seen)
        out = seen.trace["decoder.output"]
        if output is not None or theirs is None:
            layer = _output_layer(calls, out, stacks["decoder"].module) if output is None else output
            logits = layer(out)
        else:
            logits = calls.last(model, type(model).__name__).output
    if not same(logits, out):  # a model without an output layer returns that
        seen.trace.update({"generator.logits": logits, "generator.log_probs": logits.log_softmax(-1)})
    said = () if theirs is None else hugging_face.remarks(model, stacks, seen)
    return Explanation(seen.trace, ids, names, seen.differences, said)


def _forward(model: nn.Module) -> Run:
    """The model itself. ValueError if it wants more than source and target."""
    try:
        inspect.signature(model.forward).bind(None, None)
    except TypeError as missing:
        kind = type(model).__name__
        raise ValueError(f"{kind} wants more than source and target ({missing}): call it yourself with run=…") from None
    return model


def _output_layer(calls: Calls, out: Tensor, decoder: nn.Module) -> nn.Module:
    """The nn.Linear outside the decoder that was given what the decoder puts out: in that layout, in the other, or
    row by row. ValueError if there is not exactly one."""
    forms = [out, out.transpose(0, 1), out.flatten(0, 1), out.transpose(0, 1).flatten(0, 1)]
    inside = set(decoder.modules())
    found = {
        call.module: None
        for call in calls
        if isinstance(call.module, nn.Linear) and call.module not in inside
        if any(same(call.first, form) for form in forms)
    }
    if len(found) != 1:
        how_many = f"{len(found)} modules are" if found else "no nn.Linear is"
        raise ValueError(f"{how_many} given the decoder's output: say what makes logits of it with output=…")
    return next(iter(found))


def _recorded(model: EncoderDecoder, source: Tensor, target: Tensor, run: Run | None) -> Trace:
    """A model of ours says by itself what it computes; unless told otherwise, with its padding and look-ahead masks."""
    with evaluating(list(model.modules())), record(model) as trace:
        if run is None:
            model(source, target, padding_mask(source, PAD), target_mask(target, PAD))
        else:
            run(source, target)
        model.generator(trace["decoder.output"])
    return trace
