"""Greedy search, beam search and sampling as one loop, from which every example leaves as soon as it is done.

It takes the place of transformers' own loops (as `custom_generate`, so that `generate` still runs the encoder once and
makes the cache and the processors of scores), and finds what they find: theirs go on with all rows until the last one
is done, and copy the encoder's keys and values at every step of a beam search.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from transformers import GenerationConfig, LogitsProcessorList, PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput

HARDLY = -1e9  # the score of beams that only fill up the first step


@dataclass
class Found:
    """The hypotheses of one example that have ended: scores (log-probability / length^penalty) and tokens, best first.

    The search for it is over when as many have ended as there are beams, and none that runs can be better.
    """

    beams: int
    hypotheses: list[tuple[float, list[int]]] = field(default_factory=list)

    def add(self, score: float, tokens: list[int]) -> None:
        if score > -torch.inf:
            ranked = sorted([*self.hypotheses, (score, tokens)], key=lambda hypothesis: -hypothesis[0])
            self.hypotheses = ranked[: self.beams]

    def is_final(self, best_running: float) -> bool:
        is_full = len(self.hypotheses) == self.beams
        return best_running == -torch.inf or (is_full and best_running <= self.hypotheses[-1][0])


def search(
    model: PreTrainedModel,
    start: Tensor,
    *,
    logits_processor: LogitsProcessorList,
    generation_config: GenerationConfig,
    draws: Tensor | None = None,
    **inputs: Any,
) -> list[list[int]]:
    """The best tokens for each example, without the start token: up to the end token, or as many as are allowed.

    Args:
        start: (examples x beams, 1), each example's beams side by side, as all that `generate` hands over.
        draws: For sampling: numbers from [0, 1), (examples, new tokens); the token is taken at that place of the
            cumulated probabilities. Without them, the search is for the most probable tokens.
        inputs: What the model gets besides: the encoder's outputs, their mask, and the cache.
    """
    beams, penalty = generation_config.num_beams, generation_config.length_penalty
    limit = generation_config.max_length - start.shape[1]
    running = _Running(model, start.view(-1, beams, 1), inputs)
    found = [Found(beams) for _ in range(len(running))]
    for length in range(1, limit + 1):
        scores = running.next_scores(logits_processor)  # (examples, beams, vocabulary)
        if draws is not None:
            scores = _drawn(scores, draws[running.examples, length - 1])
        best, places = scores.flatten(1).topk(2 * beams)  # at most half of them end
        parents, tokens = places // scores.shape[-1], places % scores.shape[-1]
        ended = (tokens == generation_config.eos_token_id) | (length == limit)
        for row, k in ended[:, :beams].nonzero().tolist():
            written = [*running.written(row, int(parents[row, k])), int(tokens[row, k])]
            found[running.examples[row]].add(float(best[row, k]) / length**penalty, written)
        kept_scores, kept = best.masked_fill(ended, -torch.inf).topk(beams)
        leading = (kept_scores[:, 0] / length**penalty).tolist()
        rows = [row for row, score in enumerate(leading) if not found[running.examples[row]].is_final(score)]
        if not rows:
            break
        running.go_on(rows, parents.gather(1, kept), tokens.gather(1, kept), kept_scores)
    return [example.hypotheses[0][1] for example in found]


class _Running:
    """The hypotheses that run, and the decoder's memory of them."""

    def __init__(self, model: PreTrainedModel, tokens: Tensor, inputs: Mapping[str, Any]):
        self.model, self.tokens = model, tokens  # (examples, beams, length)
        self.examples = list(range(len(tokens)))
        self.scores = torch.full(tokens.shape[:2], HARDLY, device=tokens.device)
        self.scores[:, 0] = 0.0
        self.encoded, self.mask = inputs["encoder_outputs"].last_hidden_state, inputs["attention_mask"]
        self.cache_name = "cache" if "cache" in inputs else "past_key_values"  # the name in older transformers
        self.cache = inputs[self.cache_name]

    def __len__(self) -> int:
        return len(self.examples)

    def written(self, row: int, beam: int) -> list[int]:
        written: list[int] = self.tokens[row, beam, 1:].tolist()
        return written

    def next_scores(self, processors: LogitsProcessorList) -> Tensor:
        """The log-probabilities of all hypotheses with one more token: (examples, beams, vocabulary)."""
        flat = self.tokens.flatten(0, 1)
        output = self.model(
            decoder_input_ids=flat[:, -1:],
            encoder_outputs=BaseModelOutput(last_hidden_state=self.encoded),
            attention_mask=self.mask,
            use_cache=True,
            **{self.cache_name: self.cache},
        )
        scores: Tensor = processors(flat, output.logits[:, -1].float().log_softmax(-1))
        return scores.view(*self.scores.shape, -1) + self.scores[:, :, None]

    def go_on(self, rows: list[int], parents: Tensor, tokens: Tensor, scores: Tensor) -> None:
        """Keep these rows; each of their beams goes on from a parent (beam of the same example) with a token."""
        beams = self.tokens.shape[1]
        kept = torch.tensor(rows, device=parents.device)
        sources = (kept[:, None] * beams + parents[kept]).flatten()
        if len(rows) < len(self) or beams > 1:
            self.cache.self_attention_cache.reorder_cache(sources)
        if len(rows) < len(self):
            self.cache.cross_attention_cache.reorder_cache(sources)
            self.encoded, self.mask = self.encoded[sources], self.mask[sources]
            self.examples = [self.examples[row] for row in rows]
        before = self.tokens.flatten(0, 1)[sources].view(len(rows), beams, -1)
        self.tokens = torch.cat([before, tokens[kept][:, :, None]], dim=-1)
        self.scores = scores[kept]


def _drawn(scores: Tensor, draws: Tensor) -> Tensor:
    """Scores (examples, 1, vocabulary) that leave one token for each draw: its own probability's share of all draws."""
    cumulated = scores.double().softmax(-1).cumsum(-1)
    chosen = torch.searchsorted(cumulated, draws.double().view(-1, 1, 1) * cumulated[:, :, -1:], right=True)
    return torch.full_like(scores, -torch.inf).scatter(-1, chosen, scores.gather(-1, chosen))
