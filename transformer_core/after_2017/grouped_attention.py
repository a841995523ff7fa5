"""Multi-head attention whose heads may have keys and values in common, and whose queries and keys may be rotated."""

from torch import Tensor, nn

from transformer_core.after_2017.rotary import rotated
from transformer_core.attention import MultiHeadedAttention
from transformer_core.trace import tap


class GroupedAttention(MultiHeadedAttention):
    """`h` heads of queries in `groups`, each with one head of keys and values (Ainslie et al. 2023, "GQA", 2.2).

    As `MultiHeadedAttention`: query (batch, T, d_model), key and value (batch, S, d_model) -> (batch, T, d_model). With
    `groups` = h it is that; with one group it is multi-query attention (Shazeer 2019). W_K and W_V make groups · d_k
    numbers, and so many are kept in a cache. `rotary` is the base of rotary positions: queries and keys are rotated by
    their positions. ValueError if `groups` does not divide h.
    """

    def __init__(
        self,
        h: int,
        d_model: int,
        dropout: float = 0.1,
        *,
        groups: int | None = None,
        rotary: float | None = None,
        scale: bool = True,
        bias: bool = True,
    ) -> None:
        super().__init__(h, d_model, dropout, scale=scale)
        self.groups = h if groups is None else groups
        if self.groups < 1 or h % self.groups:
            raise ValueError(f"{h} heads cannot be cut into {self.groups} groups of equal size")
        if rotary is not None and self.d_k % 2:
            raise ValueError(f"a vector of {self.d_k} numbers has no pairs to rotate: d_model / h must be even")
        self.rotary = rotary
        sizes = d_model, self.groups * self.d_k, self.groups * self.d_k, d_model
        self.linears = nn.ModuleList(nn.Linear(d_model, size, bias) for size in sizes)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.attend_and_merge(self.queries(query), *self.keys_and_values(key, value), mask)

    def queries(self, query: Tensor, first: int = 0) -> Tensor:
        """What asks: (batch, T, d_model) -> (batch, h, T, d_k), of positions `first` and after."""
        return tap(self, "query", self._placed("query", self._heads(0, query), first))

    def keys_and_values(self, key: Tensor, value: Tensor, first: int = 0) -> tuple[Tensor, Tensor]:
        """What is attended to: twice (batch, S, d_model) -> twice (batch, groups, S, d_k)."""
        k = tap(self, "key", self._placed("key", self._heads(1, key), first))
        return k, tap(self, "value", self._heads(2, value))

    def attend_and_merge(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        """(batch, h, T, d_k) and twice (batch, groups, S, d_k) -> (batch, T, d_model)."""
        k, v = (each.repeat_interleave(self.h // self.groups, dim=1) for each in (k, v))
        return super().attend_and_merge(q, k, v, mask)

    def _placed(self, name: str, x: Tensor, first: int) -> Tensor:
        """Rotated by its position, where positions are rotary."""
        return x if self.rotary is None else rotated(tap(self, f"unrotated_{name}", x), first, self.rotary)

    def _heads(self, n: int, x: Tensor) -> Tensor:
        """Through the n-th of the matrices, and cut: (batch, length, d_model) -> (batch, heads, length, d_k)."""
        if x.dim() != 3 or x.size(-1) != self.h * self.d_k:
            raise ValueError(f"this attention expects (batch, length, {self.h * self.d_k}), got {tuple(x.shape)}")
        return self.linears[n](x).unflatten(-1, (-1, self.d_k)).transpose(1, 2).contiguous()
