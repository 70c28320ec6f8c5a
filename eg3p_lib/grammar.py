"""Only valid graphs: a `LogitsProcessor` that lets a model write ExplaGraphs notation and nothing else.

An automaton reads characters, and a tokenizer's vocabulary is run through it once. What no automaton of this kind can
see stays free: whether the edges hang together, come twice or make a cycle, and whose concepts they hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import LogitsProcessor, PreTrainedTokenizerFast

from eg3p_lib.relations import EXPLAGRAPHS_RELATIONS
from eg3p_lib.structure import MAX_EDGES, MAX_WORDS, MIN_EDGES
from workbench_lib.errors import WorkbenchError

BETWEEN, HEAD, RELATION, TAIL = range(4)
HALF_A_CHARACTER = "\ufffd"  # how it is decoded
MASKS_KEPT = 2048

_BEGINNINGS = frozenset(relation[:k] for relation in EXPLAGRAPHS_RELATIONS for k in range(len(relation) + 1))
_LETTERS = sorted({*"();a ", *"".join(EXPLAGRAPHS_RELATIONS)})  # one of each kind that the automaton tells apart


class GrammarError(WorkbenchError):
    """A tokenizer cannot write a graph, or not within the tokens that are allowed."""


class Place(NamedTuple):
    """Where a text stands: between two edges, or in the head, relation or tail of one.

    `seen` is what matters of the field so far: all of a relation, of a concept an `a` for each word; and `;` after it.
    """

    field: int = BETWEEN
    seen: str = ""


def after(place: Place, char: str) -> Place | None:
    """The place one character on; None where no graph goes on so.

    >>> after(Place(), "("), after(Place(HEAD, "a"), "x"), after(Place(RELATION, "is"), "k")
    (Place(field=1, seen=''), Place(field=1, seen='a'), None)
    """
    field, seen = place
    if field == BETWEEN:
        return Place(HEAD) if char == "(" else None
    if seen.endswith(";"):
        return Place(field + 1) if char == " " else None
    if char in (";", ")"):
        return _after_field(place, char)
    if field == RELATION:
        return Place(field, seen + char) if seen + char in _BEGINNINGS else None
    return _in_concept(place, char)


def _after_field(place: Place, char: str) -> Place | None:
    is_whole = place.seen in EXPLAGRAPHS_RELATIONS if place.field == RELATION else place.seen.endswith("a")
    if not is_whole or (char == ")") != (place.field == TAIL):
        return None
    return Place() if char == ")" else Place(place.field, place.seen + ";")


def _in_concept(place: Place, char: str) -> Place | None:
    """Words of printable characters, with one space between them."""
    field, seen = place
    if char == " ":
        return Place(field, seen + " ") if seen.endswith("a") and seen.count(" ") < MAX_WORDS - 1 else None
    if not char.isprintable() or char in ("(", HALF_A_CHARACTER):
        return None
    return place if seen.endswith("a") else Place(field, seen + "a")


def all_places() -> list[Place]:
    """Every place that a text can come to, the one between edges first."""
    places = [Place()]
    for place in places:  # it grows
        following = (after(place, char) for char in _LETTERS)
        places.extend(new for new in dict.fromkeys(following) if new is not None and new not in places)
    return places


class Moves(NamedTuple):
    """The tokens that can come at a place, in order; how many edges each closes; the places that they lead to."""

    tokens: NDArray[np.int64]
    closed: NDArray[np.int64]
    to: NDArray[np.int64]


class GraphVocabulary:
    """What every token of a tokenizer does at every place.

    Tokens that are no text (special and added ones) or only a part of a character are never let out.

    Attributes:
        opening: The tokens that come before each text, such as `<s>`.
        costs: The fewest tokens to the end of the text, with the end token: (closed edges, places).

    Raises:
        GrammarError: no graph can be written with these tokens.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerFast):
        *self.opening, self.end = tokenizer("")["input_ids"]
        trie = _trie(token_texts(tokenizer))
        places = all_places()
        numbers = {place: number for number, place in enumerate(places)}
        self.moves = [_moves((token, closed, numbers[to]) for token, closed, to in _walk(trie, p)) for p in places]
        self.costs = _costs(self.moves)
        if not np.isfinite(self.costs[0, 0]):
            raise GrammarError("no graph can be written with the tokens of this tokenizer")

    def go(self, edges: int, place: int, token: int) -> tuple[int, int] | None:
        """The closed edges and the place after a token; None where the text has ended or is no graph."""
        moves = self.moves[place]
        at = int(np.searchsorted(moves.tokens, token))
        if at == len(moves.tokens) or moves.tokens[at] != token:
            return None
        edges, place = edges + int(moves.closed[at]), int(moves.to[at])
        return (edges, place) if np.isfinite(self.costs[edges, place]) else None

    def allowed(self, edges: int, place: int, left: int) -> NDArray[np.int64]:
        """The tokens after which a text can still end within `left` tokens, these included."""
        moves = self.moves[place]
        tokens = moves.tokens[self.costs[edges + moves.closed, moves.to] < left]
        return np.append(tokens, self.end) if self.costs[edges, place] == 1 else tokens


class GraphConstraint(LogitsProcessor):  # type: ignore[misc]
    """Lets out graphs alone: 3 to 8 edges, the data set's relations, concepts of 1 to 3 words; whole at the limit.

    It holds for decoders that begin with one start token, and may be used by any number of rows and beams at once.

    Raises:
        GrammarError: the limit leaves no room for a graph.
    """

    def __init__(self, vocabulary: GraphVocabulary, max_new_tokens: int):
        needed = len(vocabulary.opening) + int(vocabulary.costs[0, 0])
        if max_new_tokens < needed:
            raise GrammarError(f"a graph takes at least {needed} tokens of this tokenizer, and {max_new_tokens=}")
        self.vocabulary, self.max_new_tokens = vocabulary, max_new_tokens
        self._enough = int(vocabulary.costs[np.isfinite(vocabulary.costs)].max()) + 1
        self._mask = lru_cache(MASKS_KEPT)(self._make_mask)
        self._states: dict[tuple[int, ...], tuple[int, int] | None] = {}

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """The scores, with those of forbidden tokens at -inf.

        Args:
            input_ids: The start token and what is written, (rows, length).
            scores: Of the next token, (rows, vocabulary).
        """
        opening, written = self.vocabulary.opening, input_ids.shape[1] - 1
        if written < len(opening):
            allowed = torch.full_like(scores, -torch.inf)
            allowed[:, opening[written]] = scores[:, opening[written]]
            return allowed
        texts = [tuple(row) for row in input_ids[:, 1 + len(opening) :].tolist()]
        self._states = {text: self._state(text) for text in texts}
        left = min(self.max_new_tokens - written, self._enough)
        forbidden = torch.stack([self._mask(self._states[text], left, scores.shape[1]) for text in texts])
        return scores.masked_fill(forbidden.to(scores.device), -torch.inf)

    def _state(self, text: tuple[int, ...]) -> tuple[int, int] | None:
        """Closed edges and place after these tokens: one on from those of the last call, or from the beginning."""
        if text[:-1] in self._states:
            state, ahead = self._states[text[:-1]], text[-1:]
        else:
            state, ahead = (0, 0), text
        for token in ahead:
            state = state and self.vocabulary.go(*state, token)
        return state

    def _make_mask(self, state: tuple[int, int] | None, left: int, size: int) -> Tensor:
        """Which tokens are forbidden; after the end, and on beams that are lost, all but the end."""
        tokens: Any = self.vocabulary.end if state is None else self.vocabulary.allowed(*state, left)
        forbidden = torch.ones(size, dtype=torch.bool)
        forbidden[tokens] = False
        return forbidden


def token_texts(tokenizer: PreTrainedTokenizerFast) -> dict[int, str]:
    """The text of each token that is text, as it reads after others."""
    before = tokenizer("(", add_special_tokens=False)["input_ids"]
    none = {*tokenizer.all_special_ids, *tokenizer.get_added_vocab().values()}
    tokens = [token for token in sorted(tokenizer.get_vocab().values()) if token not in none]
    start, *texts = tokenizer.batch_decode(
        [before, *([*before, token] for token in tokens)], clean_up_tokenization_spaces=False
    )
    return dict(zip(tokens, (text.removeprefix(start) for text in texts), strict=True))


def _trie(texts: dict[int, str]) -> dict[str, Any]:
    """Nested by character; the tokens whose text ends somewhere stand there under the empty text."""
    root: dict[str, Any] = {}
    for token, text in texts.items():
        node = root
        for char in text:
            node = node.setdefault(char, {})
        node.setdefault("", []).append(token)
    root.pop("", None)  # tokens without text lead nowhere
    return root


def _walk(node: dict[str, Any], place: Place, closed: int = 0) -> Iterator[tuple[int, int, Place]]:
    """Token, edges closed, new place, for all tokens that can come at a place."""
    for char, below in node.items():
        if not char:
            yield from ((token, closed, place) for token in below)
        elif (new := after(place, char)) is not None:
            yield from _walk(below, new, closed + (char == ")"))


def _moves(found: Iterable[tuple[int, int, int]]) -> Moves:
    return Moves(*np.array(sorted(found), np.int64).reshape(-1, 3).T)


def _costs(moves: list[Moves]) -> NDArray[np.float64]:
    """By relaxing until nothing changes: the end costs one token, every other place one more than the best after it."""
    most_closed = max(int(of_place.closed.max(initial=0)) for of_place in moves)
    costs = np.full((MAX_EDGES + 1 + most_closed, len(moves)), np.inf)
    costs[MIN_EDGES : MAX_EDGES + 1, 0] = 1
    ways = [np.unique(np.stack([of_place.closed, of_place.to]), axis=1) for of_place in moves]
    while True:
        before = costs.copy()
        for place, (closed, to) in enumerate(ways):
            for edges in range(MAX_EDGES + (place == 0)):
                best = costs[edges + closed, to].min(initial=np.inf) + 1
                costs[edges, place] = min(costs[edges, place], best)
        if np.array_equal(before, costs):
            return costs
