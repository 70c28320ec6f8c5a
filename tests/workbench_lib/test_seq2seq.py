"""Tokenizers lose nothing, and models keep their ties."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from workbench_toy_training import toy_model

from workbench_lib import seq2seq
from workbench_lib.seq2seq import ADDED_TOKENS, BART_TOKENS, ModelError
from workbench_lib.tokens import encode

any_text = st.text(st.characters(exclude_categories=["Cs"])).filter(lambda text: not holds_bart_token(text))


def holds_bart_token(text: str) -> bool:
    return any(token in text for token in BART_TOKENS)


def test_special_tokens_have_barts_ids(tokenizer: Any) -> None:
    ids = (tokenizer.bos_token_id, tokenizer.pad_token_id, tokenizer.eos_token_id, tokenizer.unk_token_id)
    assert ids == (0, 1, 2, 3)
    assert tokenizer.convert_tokens_to_ids(list(BART_TOKENS)) == [0, 1, 2, 3, 4]


def test_a_text_is_framed_as_barts(tokenizer: Any) -> None:
    ids = tokenizer("cars")["input_ids"]
    assert (ids[0], ids[-1]) == (0, 2)
    assert tokenizer.convert_tokens_to_ids("</s>") not in ids[1:-1]


@settings(max_examples=300, deadline=None)
@given(text=any_text)
def test_any_text_is_decoded_to_itself(tokenizer: Any, text: str) -> None:
    ids = tokenizer(text)["input_ids"]
    assert tokenizer.unk_token_id not in ids
    assert tokenizer.decode(ids, skip_special_tokens=True) == text


@settings(max_examples=200, deadline=None)
@given(parts=st.lists(st.one_of(any_text, st.sampled_from(ADDED_TOKENS))))
def test_structure_tokens_are_never_split_and_stay_in_the_text(tokenizer: Any, parts: list[str]) -> None:
    text = "".join(parts)
    assume(not holds_bart_token(text))
    ids = tokenizer(text)["input_ids"]
    assert tokenizer.decode(ids, skip_special_tokens=True) == text
    for token in ADDED_TOKENS:
        assert ids.count(tokenizer.convert_tokens_to_ids(token)) == text.count(token)


@pytest.mark.parametrize("token", BART_TOKENS)
def test_text_that_looks_like_a_special_token_is_kept(tokenizer: Any, token: str) -> None:
    text = f"1984 {token} 1985"
    assert tokenizer.decode(encode(tokenizer, [text])[0], skip_special_tokens=True) == text


def test_the_vocabulary_is_at_most_what_was_asked_for() -> None:
    texts = ["the cat sat on the mat", "cars : causes : pollution [SEP]"] * 20
    assert len(seq2seq.train_tokenizer(texts, 270)) == 270
    few = seq2seq.train_tokenizer(["ab"], 5000)
    assert 266 <= len(few) < 5000


@pytest.mark.parametrize("vocabulary", [0, 265])
def test_a_vocabulary_without_room_for_all_bytes_is_refused(vocabulary: int) -> None:
    with pytest.raises(ModelError, match=f"at least 266 tokens, not {vocabulary}"):
        seq2seq.train_tokenizer(["a"], vocabulary)


def test_a_tokenizer_is_the_same_after_saving_and_loading(tokenizer: Any, tmp_path: Path) -> None:
    tokenizer.save_pretrained(tmp_path)
    loaded = seq2seq.load_tokenizer(tmp_path)
    text = " don't , [HEAD]a|b [ROW] é🐕\n"
    assert loaded(text)["input_ids"] == tokenizer(text)["input_ids"]
    assert len(loaded) == len(tokenizer)
    assert loaded.model_max_length == seq2seq.MAX_POSITIONS


def test_a_tokenizer_without_the_structure_tokens_gets_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(seq2seq, "ADDED_TOKENS", ())
        seq2seq.train_tokenizer(["a b"], 270).save_pretrained(tmp_path)
    loaded = seq2seq.load_tokenizer(tmp_path)
    assert [len(loaded(token)["input_ids"]) for token in ADDED_TOKENS] == [3] * 5


# --- models ------------------------------------------------------------------------------------------------------


def addresses(model: Any) -> set[int]:
    embeddings = (model.lm_head, model.model.encoder.embed_tokens, model.model.decoder.embed_tokens)
    return {module.weight.data_ptr() for module in embeddings}


def test_ties_survive_saving_loading_and_resizing(tokenizer: Any, tmp_path: Path) -> None:
    model = toy_model(tokenizer)
    assert len(addresses(model)) == 1
    seq2seq.save(model, tokenizer, tmp_path)
    loaded = seq2seq.load_model(tmp_path, seq2seq.load_tokenizer(tmp_path), dropout=0.3)
    assert len(addresses(loaded)) == 1
    assert torch.equal(loaded.lm_head.weight, model.lm_head.weight)
    assert loaded.config.dropout == 0.3

    larger = seq2seq.load_tokenizer(tmp_path)
    larger.add_tokens(["[NEW]"])
    resized = seq2seq.load_model(tmp_path, larger, dropout=0.1)
    assert len(addresses(resized)) == 1
    assert resized.lm_head.weight.shape == (len(tokenizer) + 1, 128)
    assert torch.equal(resized.lm_head.weight[: len(tokenizer)], model.lm_head.weight)


def test_loading_draws_nothing_from_the_global_generator(tokenizer: Any, tmp_path: Path) -> None:
    seq2seq.save(toy_model(tokenizer), tokenizer, tmp_path)
    larger = seq2seq.load_tokenizer(tmp_path)
    larger.add_tokens(["[NEW]"])
    rows = []
    for state in (1, 2):
        torch.manual_seed(state)
        rows.append(seq2seq.load_model(tmp_path, larger, dropout=0.1).lm_head.weight[-1])
    assert torch.equal(*rows)


def test_the_decoder_reads_end_start_and_then_the_target(tokenizer: Any) -> None:
    model = toy_model(tokenizer)
    labels = torch.tensor([[0, 50, 60, 2, -100]])  # <s> a b </s>, one ignored
    inputs = model.prepare_decoder_input_ids_from_labels(labels)
    assert inputs.tolist() == [[2, 0, 50, 60, 2]]  # </s> <s> a b </s>
    padded = model.prepare_decoder_input_ids_from_labels(torch.tensor([[0, 50, 2, -100, -100]]))
    assert padded.tolist() == [[2, 0, 50, 2, 1]]  # -100 becomes <pad>


def test_fresh_weights_are_a_function_of_the_seed_alone(tokenizer: Any) -> None:
    torch.manual_seed(1)
    first = toy_model(tokenizer, seed=5)
    state = torch.get_rng_state()
    again, other = toy_model(tokenizer, seed=5), toy_model(tokenizer, seed=6)
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.equal(first.lm_head.weight, again.lm_head.weight)
    assert not torch.equal(first.lm_head.weight, other.lm_head.weight)


def test_with_fresh_weights_keeps_the_shape_and_draws_every_matrix_anew(tokenizer: Any) -> None:
    model = toy_model(tokenizer)
    fresh = seq2seq.with_fresh_weights(model, seed=9)
    assert fresh.config.to_dict() == model.config.to_dict()
    pairs = zip(model.parameters(), fresh.parameters(), strict=True)
    matrices = [(old, new) for old, new in pairs if old.ndim > 1]
    assert matrices
    assert not any(torch.equal(old, new) for old, new in matrices)
    assert torch.equal(fresh.lm_head.weight, seq2seq.with_fresh_weights(model, seed=9).lm_head.weight)


def test_count_parameters_counts_ties_once(tokenizer: Any) -> None:
    width, wide, vocabulary, positions = 128, 512, len(tokenizer), 1024 + 2  # BART's own offset of two
    norm, attention = 2 * width, 4 * (width * width + width)
    forward = width * wide + wide + wide * width + width
    encoder = 2 * (attention + norm + forward + norm) + positions * width + norm
    decoder = 2 * (2 * (attention + norm) + forward + norm) + positions * width + norm
    assert seq2seq.count_parameters(toy_model(tokenizer)) == vocabulary * width + encoder + decoder


def test_an_unknown_shape_is_refused(tokenizer: Any) -> None:
    with pytest.raises(ModelError, match=r"'huge' \(there are: tiny, small, base, large\)"):
        seq2seq.build_model("huge", tokenizer, seed=1, dropout=0.1)


def test_large_is_bart_large() -> None:
    assert seq2seq.SHAPES["large"] == (1024, 12, 12, 16, 4096)


def test_a_folder_that_is_not_there_is_named(tokenizer: Any, tmp_path: Path) -> None:
    missing = tmp_path / "nowhere"
    with pytest.raises(ModelError, match=f"{missing}: neither a model folder nor a hub model"):
        seq2seq.load_model(missing, tokenizer, dropout=0.1)
    with pytest.raises(ModelError, match=f"{missing}: neither a model folder nor a hub model"):
        seq2seq.load_tokenizer(missing)


def test_a_folder_without_a_model_is_named(tokenizer: Any, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=f"{tmp_path}: neither"):
        seq2seq.load_model(tmp_path, tokenizer, dropout=0.1)


def test_weights_cut_short_are_named(tokenizer: Any, tmp_path: Path) -> None:
    seq2seq.save(toy_model(tokenizer), tokenizer, tmp_path)
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(ModelError, match=str(tmp_path)):
        seq2seq.load_model(tmp_path, tokenizer, dropout=0.1)
