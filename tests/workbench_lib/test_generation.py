"""Generated texts come back in the order of their sources, whole, with every cut counted, and survive a kill."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import LogitsProcessor
from workbench_toy_training import toy_model, toy_params

from workbench_lib.errors import InputError
from workbench_lib.generation import Generated, GenerationError, generate, generation_config, weights_digest
from workbench_lib.tokens import tokenise
from workbench_lib.training import train
from workbench_lib.written import Written

LONG = "(cars; causes; pollution)(pollution; is a; harm)(harm; not desires; people)(people; at location; cities)"
LESSONS = {"b " * 15: "one", "c": "two [SEP] 2", "d d d d": LONG}
SOURCES = ["c", "b " * 15, "d d d d", "b " * 15, "c"]  # short, long, middle
TEXTS = [LESSONS[source] for source in SOURCES]
ONE_BY_ONE = 1  # a budget that a single source is over


@pytest.fixture(scope="module")
def copier(tokenizer: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small model taught to write a digit's name; enough to tell outputs apart."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("copier")
    model = toy_model(tokenizer, dropout=0.0)
    params = toy_params(steps=100, learning_rate=0.003, dropout=0.0, label_smoothing=0.0, tokens_a_batch=2000)
    limits = {"max_source_tokens": 64, "max_target_tokens": 128}
    store = tokenise(LESSONS.items(), tokenizer, folder / "tokens", identity="lessons", **limits)
    assert len(store) == len(LESSONS)
    train(model, store, None, params, folder)
    return model


def write(model: Any, tokenizer: Any, sources: list[str], **settings: Any) -> Generated:
    of_config = {"max_new_tokens", "beams", "temperature", "top_p"} & settings.keys()
    how = {"max_new_tokens": 128, **{name: settings.pop(name) for name in of_config}}
    return generate(model, tokenizer, sources, generation_config(model, **how), **{"max_source_tokens": 64, **settings})


def batches(model: Any) -> Any:
    """A list of the sources of each batch that the encoder gets from now on."""
    seen: list[Any] = []
    model.model.encoder.register_forward_pre_hook(lambda _m, _a, given: seen.append(given), with_kwargs=True)
    return seen


@pytest.mark.parametrize("tokens_a_batch", [ONE_BY_ONE, 350, 10_000])
@pytest.mark.parametrize("beams", [1, 3])
def test_n02_texts_are_in_the_order_of_the_sources(
    copier: Any, tokenizer: Any, tokens_a_batch: int, beams: int
) -> None:
    written = write(copier, tokenizer, SOURCES, ids=list("vwxyz"), tokens_a_batch=tokens_a_batch, beams=beams)
    assert written.texts == TEXTS
    assert dict(written.by_id) == {name: Written(text, False, False) for name, text in zip("vwxyz", TEXTS, strict=True)}
    assert (written.hit_limit, written.cut_sources) == (0, 0)


@pytest.mark.parametrize("ids", [["a", "b", "a", "c", "d"], ["a", "b", "c", "d"], []])
def test_n02_ids_must_be_as_many_as_the_sources_and_all_different(copier: Any, tokenizer: Any, ids: list[str]) -> None:
    with pytest.raises(GenerationError, match=f"5 sources need as many different ids, not {len(ids)}"):
        write(copier, tokenizer, SOURCES, ids=ids)


def test_n01_outputs_are_not_stopped_at_twenty_tokens(copier: Any, tokenizer: Any) -> None:
    assert len(tokenizer(LONG)["input_ids"]) > 28
    assert write(copier, tokenizer, ["d d d d"]).texts == [LONG]


def endless(tokenizer: Any) -> Any:
    """A model made to write one letter for ever."""
    model = toy_model(tokenizer)
    with torch.no_grad():
        model.final_logits_bias[0, tokenizer("b")["input_ids"][1]] = 1e4
    return model


def test_n01_outputs_that_hit_the_limit_are_counted_and_as_long_as_it(tokenizer: Any) -> None:
    written = write(endless(tokenizer), tokenizer, ["a", "bb"], max_new_tokens=30)
    assert (written.hit_limit, written.hit_share) == (2, 1.0)
    assert written.texts == ["b" * 30] * 2


@pytest.mark.parametrize("beams", [1, 3])
def test_a_hit_is_counted_beside_an_output_that_ended(copier: Any, tokenizer: Any, beams: int) -> None:
    limit = len(tokenizer("two [SEP] 2")["input_ids"])
    written = write(copier, tokenizer, ["c", "d d d d"], max_new_tokens=limit, beams=beams)
    assert written.texts[0] == "two [SEP] 2"
    assert LONG.startswith(written.texts[1])
    assert [text.hit_limit for text in written.by_id.values()] == [False, True]
    assert written.hit_share == 0.5


@pytest.mark.parametrize(
    "hidden", [{"no_repeat_ngram_size": 3}, {"forced_bos_token_id": 0}, {"suppress_tokens": list(range(10, 200))}]
)
def test_nothing_hides_in_the_models_own_config(tokenizer: Any, hidden: dict[str, Any]) -> None:
    """BART-large ships no_repeat_ngram_size 3, which no graph with a repeated concept survives."""
    model = endless(tokenizer)
    model.generation_config.forced_eos_token_id = None
    ids = tokenizer(["a"], return_tensors="pt")
    config = generation_config(model, max_new_tokens=10)
    plain = model.generate(ids["input_ids"], attention_mask=ids["attention_mask"], generation_config=config)
    model.generation_config.update(**hidden)
    again = write(model, tokenizer, ["a"], max_new_tokens=10)
    assert again.texts == tokenizer.batch_decode(plain, skip_special_tokens=True)


def test_the_model_is_left_as_it_was(copier: Any, tokenizer: Any) -> None:
    own = copier.generation_config
    for training in (True, False):
        copier.train(training)
        write(copier, tokenizer, ["c"])
        assert copier.training == training
    assert copier.generation_config is own


def test_cut_sources_are_counted_and_keep_their_end(copier: Any, tokenizer: Any) -> None:
    seen = batches(copier)
    written = write(copier, tokenizer, ["123456789", "12", "123"], max_source_tokens=5)
    assert [text.cut for text in written.by_id.values()] == [True, False, False]
    assert written.cut_sources == 1
    one, two, three = (tokenizer(digit)["input_ids"][1] for digit in "123")
    assert seen[0]["input_ids"].tolist() == [[0, one, two, three, 2], [0, one, two, three, 2], [0, one, two, 2, 1]]
    assert seen[0]["attention_mask"].tolist() == [[1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 0]]


def test_batches_keep_to_the_budget_and_are_larger_for_short_sources(copier: Any, tokenizer: Any) -> None:
    seen = batches(copier)
    lengths = [40, 3, 3, 3, 3, 3, 3, 30]  # with their start and end
    sources = ["1" * (length - 2) for length in lengths]
    write(copier, tokenizer, sources, max_new_tokens=10, beams=2, tokens_a_batch=165)
    assert [tuple(batch["input_ids"].shape) for batch in seen] == [(1, 40), (2, 30), (5, 3)]  # 2 x (3 + 10) x 5 = 130


def test_r01_every_id_that_is_decoded_is_a_token(copier: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outputs of different lengths in one batch are not padded at all, least of all with -100."""
    decoded: list[list[int]] = []
    original = type(tokenizer).decode
    monkeypatch.setattr(
        type(tokenizer), "decode", lambda self, ids, **how: decoded.append(ids) or original(self, ids, **how)
    )
    write(copier, tokenizer, ["c", "d d d d"])
    assert sorted(decoded) == sorted(tokenizer([LESSONS["c"], LONG])["input_ids"])


@pytest.mark.parametrize("ids", [None, []])
def test_no_sources_give_no_texts(copier: Any, tokenizer: Any, ids: list[str] | None) -> None:
    written = write(copier, tokenizer, [], ids=ids)
    assert written == Generated({})
    assert (written.texts, written.hit_limit, written.hit_share, written.cut_sources) == ([], 0, 0.0, 0)


class Forbids(LogitsProcessor):  # type: ignore[misc]
    def __init__(self, token: int):
        self.token = token

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        return scores.index_fill(1, torch.tensor([self.token]), -torch.inf)


@pytest.mark.parametrize("settings", [{}, {"beams": 3}, {"temperature": 1.0}])
def test_a_constraint_holds_and_is_told(copier: Any, tokenizer: Any, settings: dict[str, Any]) -> None:
    assert not write(copier, tokenizer, SOURCES, **settings).constrained
    letter = tokenizer("o")["input_ids"][1]
    written = write(copier, tokenizer, SOURCES, constraint=Forbids(letter), **settings)
    assert written.constrained
    assert letter not in [token for text in written.texts for token in tokenizer(text)["input_ids"]]


# --- sampling ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def unsure(tokenizer: Any) -> Any:
    """A model that has learnt nothing."""
    return toy_model(tokenizer)


def test_a_sample_depends_on_seed_and_id_alone(unsure: Any, tokenizer: Any) -> None:
    ids = [f"e{number}" for number in range(6)]
    sources = [*SOURCES, "e"]
    how = {"temperature": 1.0, "max_new_tokens": 12}
    first = write(unsure, tokenizer, sources, ids=ids, seed=3, **how)
    assert len(set(first.texts)) == 6  # also of equal sources
    few = write(unsure, tokenizer, sources[::-2], ids=ids[::-2], seed=3, tokens_a_batch=ONE_BY_ONE, **how)
    assert few.texts == first.texts[::-2]
    assert write(unsure, tokenizer, sources, ids=ids, seed=4, **how).texts != first.texts


def test_samples_have_the_model_s_probabilities(unsure: Any, tokenizer: Any) -> None:
    """One token a text, drawn 3,000 times; half of the model's probability is on three letters by the bias below."""
    letters = [tokenizer(letter)["input_ids"][1] for letter in "abc"]
    with torch.no_grad():
        unsure.final_logits_bias.zero_()
        unsure.final_logits_bias[0, letters] = torch.tensor([4.0, 5.0, 6.0])
    inputs = tokenizer(["x"], return_tensors="pt")
    with torch.no_grad():
        logits = unsure.eval()(**inputs, decoder_input_ids=torch.tensor([[2]])).logits[0, -1]
    how = {"temperature": 2.0, "max_new_tokens": 1, "tokens_a_batch": 1 << 13}
    texts = write(unsure, tokenizer, ["x"] * 3000, **how).texts
    for letter, expected in zip("abc", (logits / 2).softmax(-1)[letters].tolist(), strict=True):
        deviation = (expected * (1 - expected) / 3000) ** 0.5
        assert abs(texts.count(letter) / 3000 - expected) < 4 * deviation


@pytest.mark.parametrize("settings", [{"temperature": 1e-4}, {"temperature": 1.0, "top_p": 1e-4}])
def test_a_cold_or_narrow_sample_is_greedy(copier: Any, tokenizer: Any, settings: dict[str, Any]) -> None:
    assert write(copier, tokenizer, SOURCES, **settings).texts == TEXTS


def test_beams_and_sampling_exclude_one_another(copier: Any) -> None:
    with pytest.raises(GenerationError, match="takes one beam, not 3"):
        generation_config(copier, max_new_tokens=8, beams=3, temperature=1.0)


# --- the file ----------------------------------------------------------------------------------------------------


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_file_holds_every_text_with_its_marks(tokenizer: Any, tmp_path: Path) -> None:
    path, ids = tmp_path / "generated.jsonl", ["x", "y"]
    write(endless(tokenizer), tokenizer, ["c", "1" * 40], ids=ids, file=path, max_source_tokens=6, max_new_tokens=5)
    head, *rows = lines(path)
    assert head.keys() == {"identity"}
    assert rows == [
        {"id": "y", "text": "bbbbb", "hit_limit": True, "cut": True},  # the longer source first
        {"id": "x", "text": "bbbbb", "hit_limit": True, "cut": False},
    ]


def test_a_killed_generation_goes_on_after_the_texts_that_are_there(
    copier: Any, tokenizer: Any, tmp_path: Path
) -> None:
    path, calls = tmp_path / "generated.jsonl", []

    def fail_at_the_third(*_: Any) -> None:
        calls.append(len(lines(path)))
        if len(calls) == 3:
            raise KeyboardInterrupt

    handle = copier.model.encoder.register_forward_pre_hook(fail_at_the_third)
    with pytest.raises(KeyboardInterrupt):
        write(copier, tokenizer, SOURCES, file=path, tokens_a_batch=ONE_BY_ONE)
    handle.remove()
    assert calls == [1, 2, 3]  # each text is in the file before the next is begun
    seen = batches(copier)
    assert write(copier, tokenizer, SOURCES, file=path, tokens_a_batch=10_000).texts == TEXTS
    assert [len(batch["input_ids"]) for batch in seen] == [3]
    assert sorted(row["id"] for row in lines(path)[1:]) == list("01234")
    assert write(copier, tokenizer, SOURCES, file=path).texts == TEXTS
    assert len(seen) == 1  # nothing is left to do


@pytest.mark.parametrize("kept", [0, 1, 30, 83, 90, 200, -1])
def test_a_file_that_was_cut_off_anywhere_is_completed(copier: Any, tokenizer: Any, tmp_path: Path, kept: int) -> None:
    path = tmp_path / "generated.jsonl"
    write(copier, tokenizer, SOURCES, file=path)
    whole = path.read_bytes()
    path.write_bytes(whole[:kept])
    assert write(copier, tokenizer, SOURCES, file=path).texts == TEXTS
    assert sorted(path.read_bytes().splitlines()) == sorted(whole.splitlines())


def changed(model: Any) -> Any:
    import copy

    other = copy.deepcopy(model)
    with torch.no_grad():
        other.lm_head.weight[100, 5] += 1e-6
    return other


@pytest.mark.parametrize(
    "change",
    [{"model": changed}, {"beams": 2}, {"max_new_tokens": 127}, {"max_source_tokens": 63}, {"seed": 1},
     {"sources": [*SOURCES[:-1], "e"]}, {"ids": list("56789")}, {"constraint": Forbids(50)}],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_what_others_have_written_is_not_taken_over(
    copier: Any, tokenizer: Any, tmp_path: Path, change: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "generated.jsonl"
    write(copier, tokenizer, SOURCES, file=path)
    before = lines(path)
    seen = batches(copier)
    change = dict(change)
    model, sources = change.pop("model", lambda same: same)(copier), change.pop("sources", SOURCES)
    again = write(model, tokenizer, sources, file=path, **change)
    assert "other settings or sources; begun anew" in capsys.readouterr().out
    assert lines(path)[0] != before[0]
    assert len(lines(path)) == 1 + len(again.texts)
    assert model is not copier or sum(len(batch["input_ids"]) for batch in seen) == 5


def test_a_damaged_line_is_named(copier: Any, tokenizer: Any, tmp_path: Path) -> None:
    path = tmp_path / "generated.jsonl"
    write(copier, tokenizer, SOURCES, file=path)
    text = path.read_text().splitlines()
    path.write_text("\n".join([*text[:2], text[2][:9], *text[3:]]) + "\n")
    with pytest.raises(InputError, match=r"generated\.jsonl, line 3: "):
        write(copier, tokenizer, SOURCES, file=path)


def test_a_weights_digest_tells_models_apart_and_dtypes(tokenizer: Any) -> None:
    model, same = toy_model(tokenizer, seed=5), toy_model(tokenizer, seed=5)
    assert weights_digest(model) == weights_digest(same)
    assert weights_digest(model) != weights_digest(changed(model))
    assert weights_digest(model) != weights_digest(same.to(torch.bfloat16))


def test_a_model_trains_on_after_it_has_written(tokenizer: Any) -> None:
    model = toy_model(tokenizer)
    write(model, tokenizer, ["c"], max_new_tokens=4)
    ids = tokenizer(["c"], return_tensors="pt")
    model(**ids, labels=ids["input_ids"]).loss.backward()
    assert model.lm_head.weight.grad.abs().sum() > 0
