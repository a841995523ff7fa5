"""`explain`: the recording of a model that somebody else has built from `torch.nn`."""

import inspect
from collections.abc import Callable, Mapping

from torch import Tensor, nn

from transformer_core import trace
from transformer_core.external import hugging_face
from transformer_core.external.changes import Changes
from transformer_core.external.explanation import Explanation, Names
from transformer_core.external.given import check_place, check_tokens, refuse_our_names, rounding
from transformer_core.external.hugging_face import pretrained
from transformer_core.external.one_stack import of_one_stack
from transformer_core.external.parts import paths, stack
from transformer_core.external.reader import Reader
from transformer_core.external.watch import evaluating
from transformer_core.masks import padding_mask, target_mask
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.vocabulary import PAD
from transformer_core.trace import Change, Recorded, Wanted, record, unwrapped

Run = Callable[[Tensor, Tensor], object]
Output = Callable[[Tensor], Tensor]

OUT = "decoder.output"


def explain(
    model: nn.Module,
    source: Tensor,
    target: Tensor | None = None,
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
    wanted: Wanted | None = None,
    intervene: Mapping[str, Change] | None = None,
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

    `wanted` says of a path whether its value is kept, all unless given: a layer is read as it ends, and what is not
    wanted takes no memory after it. `intervene` has the model go on with other values than it has computed:

    >>> ablated = explain(model, source, target, intervene={"decoder.layers.1.src_attn.heads": torch.zeros_like})

    It runs twice then, first as it is, which shows that these are its own numbers; the changes act in the second run,
    in the order of the computation, each on a copy. A sum and what follows it before the next module, `sum`, `output`
    and the next `input`, and `skip`, are changed through the branch. What cannot be changed is refused: the position
    code, and T5's `bias`.

    A GPT-2, BERT, Llama, Mistral or Mixtral of Hugging Face's has one stack and no target: `explain(model, tokens)`.
    What is recorded is its twin of this package's parts, with the same weights and logits; of the rest, `source_names`,
    `tolerance`, `wanted` and `intervene` are for it.

    A Marian, BART or T5, or what is built like them, is called with `input_ids`, `decoder_input_ids` and a mask for the
    source's padding, and found as it is; `remarks` say in which it is another model than the paper's.

    The model's own forward runs, in evaluation mode and module by module, and nothing of it is changed; it runs once
    more where there are as many sequences as tokens, for no shape tells then which is which. Only the steps inside an
    attention are computed here, from its matrices and its inputs, and must lead to its own output; and every sub-layer
    must be x + branch. ValueError, with the module, where a number is off by more than `tolerance`, in units of the
    largest where that is above 1: 1e-5 unless given, and in half precision, which rounds more coarsely, what suits it;
    with its name for what the model lacks, and with the nearest one for a path to be changed that is not there; and for
    a source or target that is no tensor of tokens the model knows, or lies on another device than the model.
    """
    names = {"encoder": source_names, "decoder": target_names}
    check_tokens(source, "source")
    model = unwrapped(model)
    if target is None:
        return of_one_stack(model, source, source_names, tolerance, wanted, intervene or {})
    check_tokens(target, "target")
    check_place(model, source, target)
    if isinstance(model, EncoderDecoder):
        ids = {"encoder": source, "decoder": target}
        layers = {name: len(each.layers) for name, each in (("encoder", model.encoder), ("decoder", model.decoder))}
        return Explanation(_recorded(model, source, target, run, wanted, intervene or {}), ids, names, layers, {})
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
    modules = list(dict.fromkeys(module for part in parts if isinstance(part, nn.Module) for module in part.modules()))
    reader = Reader(
        model=model,
        known=known,
        modules=modules,
        stacks=stacks,
        pretrained=theirs is not None,
        run=_forward(model) if run is None else run,
        tokens={"encoder": source, "decoder": target},
        tables={"encoder": source_embedding, "decoder": target_embedding},
        output=output,
        tolerance=rounding(model) if tolerance is None else tolerance,
    )
    with evaluating(modules):
        seen = reader.read(nothing if intervene else wanted or everything)
        if intervene:
            changes = Changes(intervene, reader.borders, reader.insides)
            changes.check(seen.names, type(model).__name__)
            seen = reader.read(wanted or everything, changes)
            changes.check_made()
    said = () if theirs is None else hugging_face.remarks(model, stacks, seen)
    layers = {name: len(each.layers) for name, each in stacks.items()}
    return Explanation(seen.trace, reader.ids, names, layers, seen.differences, said)


def everything(path: str) -> bool:
    return True


def nothing(path: str) -> bool:
    return False


def _forward(model: nn.Module) -> Run:
    """The model itself. ValueError if it wants more than source and target."""
    try:
        inspect.signature(model.forward).bind(None, None)
    except TypeError as missing:
        kind = type(model).__name__
        raise ValueError(f"{kind} wants more than source and target ({missing}): call it yourself with run=…") from None
    return model


def _recorded(
    model: EncoderDecoder,
    source: Tensor,
    target: Tensor,
    run: Run | None,
    wanted: Wanted | None,
    changes: Mapping[str, Change],
) -> Recorded:
    """A model of ours says by itself what it computes; unless told otherwise, with its padding and look-ahead masks."""

    def needed(path: str) -> bool:
        return wanted is None or wanted(path) or path == OUT

    with evaluating(list(model.modules())), trace.intervene(model, changes), record(model, needed) as recorded:
        if run is None:
            model(source, target, padding_mask(source, PAD), target_mask(target, PAD))
        else:
            run(source, target)
        model.generator(recorded[OUT])
    if wanted is not None and not wanted(OUT):
        del recorded[OUT]
    return recorded
