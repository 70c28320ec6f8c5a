"""The one search loop finds what transformers' own loops find, and works on no row that is done."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import T5Config, T5ForConditionalGeneration
from workbench_toy_training import PAIRS, toy_model, toy_params, toy_store

from workbench_lib.decoding import Found, _drawn, search
from workbench_lib.generation import generation_config
from workbench_lib.training import train

SOURCES = [source for source, _ in PAIRS] * 3
LIMIT = 30


@pytest.fixture(scope="module")
def bart(tokenizer: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A BART that has learnt a little: it writes texts of several lengths."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("bart")
    model = toy_model(tokenizer, dropout=0.0)
    params = toy_params(steps=30, learning_rate=0.003, dropout=0.0, label_smoothing=0.0, tokens_a_batch=2000)
    train(model, toy_store(folder / "tokens", tokenizer), None, params, folder)
    return model.eval()


@pytest.fixture(scope="module")
def t5(tokenizer: Any) -> Any:
    """An untrained T5 whose end token is likely, so that texts end here and there."""
    config = T5Config(
        vocab_size=len(tokenizer), d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, pad_token_id=1,
        eos_token_id=2, decoder_start_token_id=1, tie_word_embeddings=False,
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(3)
        model = T5ForConditionalGeneration(config)
        with torch.no_grad():
            model.lm_head.weight.normal_(std=0.3)
            model.lm_head.weight[2] *= 2
    return model.eval()


def outputs(model: Any, tokenizer: Any, beams: int, **how: Any) -> list[list[int]]:
    """What is written for the sources, without the start token and what follows the end."""
    model.generation_config = config = generation_config(model, max_new_tokens=LIMIT, beams=beams)
    inputs = tokenizer(SOURCES, padding=True, return_tensors="pt")
    with torch.no_grad():
        found = model.generate(
            inputs["input_ids"], attention_mask=inputs["attention_mask"], generation_config=config, **how
        )
    if how:
        return list(found)
    rows = [row[1:] for row in found.tolist()]
    return [row[: row.index(2) + 1] if 2 in row else row for row in rows]


@pytest.mark.parametrize("name", ["bart", "t5"])
@pytest.mark.parametrize("beams", [1, 2, 5])
def test_it_finds_what_transformers_finds(
    request: pytest.FixtureRequest, tokenizer: Any, name: str, beams: int
) -> None:
    model = request.getfixturevalue(name)
    expected = outputs(model, tokenizer, beams)
    assert len({len(row) for row in expected}) > 1  # so that rows leave at different steps
    assert outputs(model, tokenizer, beams, custom_generate=search) == expected


def test_a_row_that_is_done_is_worked_on_no_more(bart: Any, tokenizer: Any) -> None:
    rows: list[int] = []
    encoded: list[int] = []
    handles = [
        bart.model.decoder.register_forward_pre_hook(
            lambda _m, _a, given: rows.append(len(given["input_ids"])), with_kwargs=True
        ),
        bart.model.encoder.register_forward_pre_hook(
            lambda _m, _a, given: encoded.append(len(given["input_ids"])), with_kwargs=True
        ),
    ]
    written = outputs(bart, tokenizer, 1, custom_generate=search)
    for handle in handles:
        handle.remove()
    assert sum(rows) == sum(map(len, written)) < len(written) * max(map(len, written))
    assert encoded == [len(SOURCES)]


def test_the_decoder_begins_with_its_start_token_which_is_not_the_text_s_own(bart: Any, tokenizer: Any) -> None:
    seen: list[list[int]] = []
    handle = bart.model.decoder.register_forward_pre_hook(
        lambda _m, _a, given: seen.append(given["input_ids"].flatten().tolist()), with_kwargs=True
    )
    outputs(bart, tokenizer, 1, custom_generate=search)
    handle.remove()
    assert tokenizer.bos_token_id == 0
    assert seen[0] == [2] * len(SOURCES)


def test_hypotheses_are_ranked_and_the_worst_fall_out() -> None:
    found = Found(beams=2)
    found.add(-1.0, [5])
    assert not found.is_final(-2.0)  # one of two
    found.add(-0.5, [6])
    found.add(-0.75, [7])
    found.add(-torch.inf, [8])  # a lost beam
    assert found.hypotheses == [(-0.5, [6]), (-0.75, [7])]
    assert found.is_final(-0.8)
    assert not found.is_final(-0.6)
    assert Found(beams=2).is_final(-torch.inf)  # nothing goes on


@pytest.mark.parametrize(("draw", "token"), [(0.0, 1), (0.49, 1), (0.51, 2), (0.79, 2), (0.81, 4), (0.99999994, 4)])
def test_a_draw_falls_into_the_share_of_a_token(draw: float, token: int) -> None:
    probabilities = torch.tensor([[[0.0, 0.5, 0.3, 0.0, 0.2, 0.0]]])
    left = _drawn(probabilities.log(), torch.tensor([draw], dtype=torch.float32))
    assert left.isfinite().nonzero()[:, 2].tolist() == [token]
    assert left[0, 0, token] == probabilities[0, 0, token].log()


@given(st.lists(st.one_of(st.just(-float("inf")), st.floats(-50, 0)), min_size=1, max_size=40), st.floats(0, 0.99))
def test_a_forbidden_token_is_never_drawn(scores: list[float], draw: float) -> None:
    if max(scores) > -float("inf"):
        left = _drawn(torch.tensor([[scores]]), torch.tensor([draw]))
        (token,) = left.isfinite().nonzero()[:, 2].tolist()
        assert scores[token] > -float("inf")
