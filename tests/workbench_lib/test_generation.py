"""Generated texts come back in the order of their sources, whole, and with every cut counted."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from workbench_toy_training import toy_model

from workbench_lib.generation import Generated, generate, generation_config


@pytest.fixture(scope="module")
def copier(tokenizer: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small model taught to write a digit's name; enough to tell outputs apart."""
    from workbench_toy_training import toy_params, toy_store

    from workbench_lib.training import train

    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("copier")
    pairs = [(source, target) for source, target in LESSONS.items()]
    model = toy_model(tokenizer, dropout=0.0)
    params = toy_params(
        steps=80, learning_rate=0.003, dropout=0.0, label_smoothing=0.0, tokens_a_batch=2000, validate_every=80
    )
    train(model, toy_store(folder / "tokens", tokenizer, pairs), None, params, folder)
    return model


LONG = "(cars; causes; pollution)(pollution; is a; harm)"
LESSONS = {"b " * 15: "one", "c": "two [SEP] 2", "d d d d": LONG}


def write(model: Any, tokenizer: Any, sources: list[str], **settings: Any) -> Generated:
    values = {"max_new_tokens": 64, "beams": 1, "max_source_tokens": 64, "batch_size": 32, **settings}
    config = generation_config(model, max_new_tokens=values["max_new_tokens"], beams=values["beams"])
    limits = {name: values[name] for name in ("max_source_tokens", "batch_size")}
    return generate(model, tokenizer, sources, config, **limits)


@pytest.mark.parametrize("batch_size", [1, 2, 32])
@pytest.mark.parametrize("beams", [1, 3])
def test_n02_texts_are_in_the_order_of_the_sources(copier: Any, tokenizer: Any, batch_size: int, beams: int) -> None:
    sources = ["c", "b " * 15, "d d d d", "b " * 15, "c"]  # short, long, middle
    written = write(copier, tokenizer, sources, batch_size=batch_size, beams=beams)
    assert written.texts == [LESSONS[source] for source in sources]
    assert (written.hit_limit, written.cut_sources) == (0, 0)


def test_n01_outputs_are_not_stopped_at_twenty_tokens(copier: Any, tokenizer: Any) -> None:
    assert len(tokenizer(LONG)["input_ids"]) > 28
    assert write(copier, tokenizer, ["d d d d"]).texts == [LONG]


def endless(model: Any, tokenizer: Any) -> Any:
    """The model, made to write one letter for ever."""
    with torch.no_grad():
        model.final_logits_bias[0, tokenizer("b")["input_ids"][1]] = 1e4
    return model


def test_outputs_that_hit_the_limit_are_counted_and_as_long_as_it(tokenizer: Any) -> None:
    written = write(endless(toy_model(tokenizer), tokenizer), tokenizer, ["a", "bb"], max_new_tokens=30)
    assert written.hit_limit == 2
    assert written.texts == ["b" * 30] * 2


def test_a_hit_is_counted_beside_an_output_that_ended(copier: Any, tokenizer: Any) -> None:
    written = write(copier, tokenizer, ["c", "d d d d"], max_new_tokens=len(tokenizer("two [SEP] 2")["input_ids"]) + 1)
    assert written.texts[0] == "two [SEP] 2"
    assert LONG.startswith(written.texts[1])


@pytest.mark.parametrize(
    "hidden", [{"no_repeat_ngram_size": 3}, {"forced_bos_token_id": 0}, {"suppress_tokens": list(range(10, 200))}]
)
def test_nothing_hides_in_the_models_own_config(tokenizer: Any, hidden: dict[str, Any]) -> None:
    """BART-large ships no_repeat_ngram_size 3, which no graph with a repeated concept survives."""
    model = endless(toy_model(tokenizer), tokenizer)
    model.generation_config.forced_eos_token_id = None
    ids = tokenizer(["a"], return_tensors="pt")
    config = generation_config(model, max_new_tokens=10, beams=1)
    plain = model.generate(ids["input_ids"], attention_mask=ids["attention_mask"], generation_config=config)
    model.generation_config.update(**hidden)
    again = write(model, tokenizer, ["a"], max_new_tokens=10)
    assert again.texts == tokenizer.batch_decode(plain, skip_special_tokens=True)


def test_cut_sources_are_counted_and_keep_their_end(copier: Any, tokenizer: Any) -> None:
    seen: list[Any] = []
    handle = copier.model.encoder.register_forward_pre_hook(lambda _m, _a, kw: seen.append(kw), with_kwargs=True)
    written = write(copier, tokenizer, ["123456789", "12"], max_source_tokens=5)
    handle.remove()
    assert written.cut_sources == 1
    one, two, three = (tokenizer(digit)["input_ids"][1] for digit in "123")
    assert seen[0]["input_ids"].tolist() == [[0, one, two, three, 2], [0, one, two, 2, 1]]
    assert seen[0]["attention_mask"].tolist() == [[1, 1, 1, 1, 1], [1, 1, 1, 1, 0]]


def test_a_source_at_the_limit_is_not_cut(copier: Any, tokenizer: Any) -> None:
    assert write(copier, tokenizer, ["123"], max_source_tokens=5).cut_sources == 0


def test_r01_every_written_id_can_be_decoded(copier: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outputs of different lengths in one batch are padded with the pad token, never with -100."""
    decoded: list[Any] = []
    original = type(tokenizer).batch_decode
    monkeypatch.setattr(
        type(tokenizer), "batch_decode", lambda self, ids, **kw: decoded.append(ids) or original(self, ids, **kw)
    )
    write(copier, tokenizer, ["c", "d d d d"])
    (ids,) = decoded
    assert ids.min() >= 0
    assert ids[1, -1] == tokenizer.pad_token_id  # the longer source comes first, the shorter output is padded


def test_no_sources_give_no_texts(copier: Any, tokenizer: Any) -> None:
    assert write(copier, tokenizer, []) == Generated([], 0, 0)
