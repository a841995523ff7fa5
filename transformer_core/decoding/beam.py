"""Beam search: the likeliest few beginnings go on at every turn, not the likeliest one (paper, section 6.1)."""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from transformer_core.decoding.loop import Outputs, memory_of, next_log_probs
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.vocabulary import START

Fate = Literal["kept", "pruned", "ended"]


class Node(NamedTuple):
    """A token of the tree, after those on the way to it from the root, which is the start symbol."""

    parent: int  # its place in the tree; -1 for the root
    turn: int  # 0 for the root, then 1, 2, …: how many tokens are written with this one, an end symbol included
    token: int
    log_prob: float  # of this token, in nats
    score: float  # the sum of the log-probabilities up to here
    fate: Fate


class Turn(NamedTuple):
    """What one turn chose from: the open nodes, the best first, and what each of them may go on with."""

    parents: tuple[int, ...]  # b ≤ width places in the tree
    log_probs: Tensor  # (b, vocab) float64 on the CPU, whatever the model is, of the next token after each of them
    sums: Tensor  # (b, vocab), the same with the score of the parent added
    children: tuple[int, ...]  # places in the tree: of each parent the `width` likeliest tokens, and the one after them


class Beam(NamedTuple):
    """A search with its whole tree, in the order in which it grew."""

    nodes: tuple[Node, ...]  # the root and those of the prefix, in a chain; then turn by turn
    turns: tuple[Turn, ...]

    def way(self, at: int) -> list[int]:
        """The places from the root's child down to the node at this place; none for the root."""
        places: list[int] = []
        while at > 0:
            places.append(at)
            at = self.nodes[at].parent
        return places[::-1]

    def output(self, at: int) -> list[int]:
        """The tokens down to this node, the start symbol first."""
        return [self.nodes[place].token for place in (0, *self.way(at))]

    def normalised(self, at: int, alpha: float) -> float:
        """The score of this node over the length penalty: what finished outputs are compared by."""
        return self.nodes[at].score / length_penalty(self.nodes[at].turn, alpha)

    def finished(self, alpha: float) -> list[int]:
        """The places of all ends, the best first."""
        ends = (at for at, node in enumerate(self.nodes) if node.fate == "ended")
        return sorted(ends, key=lambda at: self.normalised(at, alpha), reverse=True)


def length_penalty(length: int, alpha: float) -> float:
    """((5 + n) / 6)^α for an output of n tokens (Wu et al. 2016, equation 14): 1 for one token, or where α = 0."""
    return float(((5 + length) / 6) ** alpha)


def beam_search(
    model: EncoderDecoder,
    src: Tensor,
    src_mask: Tensor | None,
    max_len: int,
    width: int = 4,
    alpha: float = 0.6,
    start_symbol: int = START,
    end: int | None = None,
    prefix: Sequence[int] = (),
) -> Beam:
    """Search the outputs of one source (1, S) for the largest sum of log-probabilities over its length penalty.

    At each turn every open output is continued by every token, and the `width` largest sums stay. An output is
    finished with its `end` symbol, or with `max_len` tokens, the start symbol included. The search is over when no
    open output can overtake the best finished one: its sum never grows, its penalty only to that of `max_len` tokens.
    Width 1 is greedy decoding; as wide as there are outputs, the search finds the best of all. The tokens of a
    `prefix` are written first, whatever the model would choose; their log-probabilities count.

    The defaults are the paper's. ValueError unless width ≥ 1, α ≥ 0, there is one source, and something is
    left to decide after the prefix.
    """
    if width < 1:
        raise ValueError(f"a beam keeps at least 1 output, not {width}")
    if not 0 <= alpha < math.inf:
        raise ValueError(f"the length penalty takes α from 0 on, not {alpha:g}")
    if src.size(0) != 1:
        raise ValueError(f"a beam searches for one source, not {src.size(0)}")
    if len(prefix) + 1 >= max_len or end in prefix:
        raise ValueError(f"after {list(prefix)} nothing is left to decide")
    memory = memory_of(model, src, src_mask)
    tree = Beam((Node(-1, 0, start_symbol, 0.0, 0.0, "kept"),), ())
    parents: tuple[int, ...] = (0,)
    longest = length_penalty(max_len - 1, alpha)
    outputs = Outputs(src, max_len, start_symbol)
    for ys in outputs:  # (b, t), one for each parent
        log_probs = next_log_probs(model, memory.expand(len(ys), -1, -1), src_mask, ys).cpu().double()
        if outputs.turn < len(prefix):
            tree = _forced(tree, prefix[outputs.turn], log_probs)
            parents = (len(tree.nodes) - 1,)
        else:
            tree = _grown(tree, parents, log_probs, width, end, max_len)
            finished = tree.finished(alpha)
            best = tree.normalised(finished[0], alpha) if finished else -math.inf
            scores = {at: tree.nodes[at].score for at in tree.turns[-1].children if tree.nodes[at].fate == "kept"}
            ranked = sorted(scores, key=scores.__getitem__, reverse=True)
            parents = tuple(at for at in ranked if not scores[at] / longest <= best)  # also what is no number
        if not parents:
            break
        outputs.ys = torch.tensor([tree.output(at) for at in parents], device=ys.device)
    return tree


def _forced(tree: Beam, token: int, log_probs: Tensor) -> Beam:
    """The tree, so far a chain, with a token of the prefix at its end."""
    last, log_prob = len(tree.nodes) - 1, float(log_probs[0, token])
    return Beam((*tree.nodes, Node(last, last + 1, token, log_prob, tree.nodes[last].score + log_prob, "kept")), ())


def _grown(tree: Beam, parents: tuple[int, ...], log_probs: Tensor, width: int, end: int | None, max_len: int) -> Beam:
    """The tree after one more turn. Of one parent no more than its `width` likeliest tokens can stay; the one after
    them is kept in the tree to show what did not."""
    turn = tree.nodes[parents[0]].turn + 1
    scores = [tree.nodes[at].score for at in parents]
    sums = log_probs + torch.tensor(scores, dtype=torch.float64, device="cpu")[:, None]
    tokens = log_probs.topk(min(width + 1, log_probs.size(1))).indices
    candidates = [(row, token) for row, few in enumerate(tokens.tolist()) for token in few]
    stay = set(sorted(candidates, key=lambda one: -float(sums[one]))[:width])
    grown = []
    for row, token in candidates:
        ends = token == end or turn + 1 == max_len
        fate: Fate = "pruned" if (row, token) not in stay else "ended" if ends else "kept"
        grown.append(Node(parents[row], turn, token, float(log_probs[row, token]), float(sums[row, token]), fate))
    children = tuple(range(len(tree.nodes), len(tree.nodes) + len(grown)))
    return Beam((*tree.nodes, *grown), (*tree.turns, Turn(parents, log_probs, sums, children)))
