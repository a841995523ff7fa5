"""One run of somebody else's encoder-decoder, read under our names: as it is, or with changed values."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial

from torch import Tensor, nn

from transformer_core.external import hugging_face
from transformer_core.external.borders import layer_borders
from transformer_core.external.changes import GIVEN, OUTPUT, Border, Borders, Changes, Insides, Lay, place
from transformer_core.external.embed import as_is, embedded, looked_up, same
from transformer_core.external.given import within_tables
from transformer_core.external.layers import Built, Seen, Stack, see_layer
from transformer_core.external.watch import Calls, watched
from transformer_core.trace import Wanted

EMBED = {"encoder": "src_embed", "decoder": "tgt_embed"}  # what the vectors that a stack reads are called


@dataclass
class Reader:
    """A model, how it is called, and what of it has been told by its user or found in it."""

    model: nn.Module
    known: dict[nn.Module, str]  # the paths of its modules
    modules: Sequence[nn.Module]
    stacks: dict[str, Stack]
    pretrained: bool  # whether it is one of Hugging Face's
    run: Callable[[Tensor, Tensor], object]
    tokens: dict[str, Tensor]
    tables: dict[str, nn.Module | None]
    output: Callable[[Tensor], Tensor] | None
    tolerance: float
    borders: Borders = field(default_factory=dict)  # found in the first run
    insides: Insides = field(default_factory=dict)
    length_first: dict[str, bool] = field(default_factory=dict)
    laid: dict[str, Lay] = field(default_factory=dict)
    ids: dict[str, Tensor] = field(default_factory=dict)

    def read(self, wanted: Wanted, changes: Changes | None = None) -> Seen:
        """What the run computes: every layer is taken apart as it ends, and of its values the wanted are kept."""
        changes = changes or Changes({}, {}, {})
        seen, calls = Seen(self.tolerance, wanted, changes), Calls()
        at = {layer: (name, n) for name, stack in self.stacks.items() for n, layer in enumerate(stack.layers)}
        done: set[nn.Module] = set()

        def ended(module: nn.Module, calls: Calls) -> None:
            if module not in at:
                return
            name, n = at[module]
            with self._as_built():
                built = see_layer(self.stacks[name], name, n, calls, seen)
            if module not in done and not changes.wanted:
                self._find(module, built, name, n)
            done.add(module)
            calls.forget(part for part in module.modules() if n or part is not module)

        again = partial(self.run, *self.tokens.values())
        with within_tables(self.modules, self.known), changes.made(calls), watched(self.modules, calls, ended):
            again()
        for stack in self.stacks.values():
            for n, layer in enumerate(stack.layers):
                if layer not in done:
                    calls.last(layer, f"{stack.path}.{stack.within}.{n}")
        self._embed(calls, seen, again)
        self._end(calls, seen)
        return seen

    def _embed(self, calls: Calls, seen: Seen, again: Callable[[], object]) -> None:
        """What comes before the first layers."""
        tables = {
            name: getattr(stack.module, "embed_tokens", None) if self.pretrained and table is None else table
            for (name, stack), table in zip(self.stacks.items(), self.tables.values(), strict=True)
        }
        source = looked_up(calls, self.tokens["encoder"], tables["encoder"], "source_embedding")
        target = looked_up(calls, self.tokens["decoder"], tables["decoder"], "target_embedding", source)
        for (name, stack), table in zip(self.stacks.items(), (source, target), strict=True):
            ours, first = EMBED[name], calls.last(stack.layers[0], f"{stack.path}.{stack.within}.0")
            with self._as_built():
                if self.pretrained:
                    vectors = hugging_face.embedded(stack, table, calls, ours, seen, self.laid[name])
                else:
                    vectors = embedded(calls, table, first, ours, seen, again, self.length_first.get(name))
            if not seen.changes.wanted:
                self.length_first[name], self.ids[name] = vectors.length_first, vectors.tokens
                self._add(vectors.borders)
                start = self.borders[Border(stack.layers[0], GIVEN)]
                start.insert(0, start[0]._replace(path=f"{ours}.1.output"))
                lay = self.laid[name] if stack.end is None else as_is
                self._add({stack.end or Border(stack.module, OUTPUT): [place(f"{name}.output", lay)]})
            named = {path: seen.changes.after(path, value) for path, value in vectors.trace.items()}
            seen.put_all(named | {f"{name}.output": stack.output(calls, self.laid[name])})

    def _end(self, calls: Calls, seen: Seen) -> None:
        """What makes logits of the decoder's output; a model without it returns that output."""
        stack = self.stacks["decoder"]
        out = stack.output(calls, self.laid["decoder"])
        if self.output is not None or not self.pretrained:
            layer = output_layer(calls, out, stack.module) if self.output is None else self.output
            logits = layer(out)
        else:
            logits = calls.last(self.model, type(self.model).__name__).output
        if same(logits, out):
            return
        logits = seen.changes.change("generator.logits", logits)
        log_probs = seen.changes.change("generator.log_probs", logits.log_softmax(-1))
        seen.put_all({"generator.logits": logits, "generator.log_probs": log_probs})

    def _find(self, layer: nn.Module, built: Built, name: str, at: int) -> None:
        """Where the values of a layer can be changed."""
        stack = self.stacks[name]
        borders, insides = layer_borders(layer, built, f"{name}.layers.{at}", f"{stack.path}.{stack.within}.{at}")
        self._add(borders)
        self.insides |= insides
        self.laid[name] = built.laid

    def _add(self, borders: Borders) -> None:
        for border, places in borders.items():
            self.borders.setdefault(border, []).extend(places)

    def _as_built(self) -> AbstractContextManager[None]:
        return hugging_face.as_built(self.model) if self.pretrained else nullcontext()


def output_layer(calls: Calls, out: Tensor, decoder: nn.Module) -> nn.Module:
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
