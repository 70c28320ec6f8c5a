"""Under the constraint nothing but graphs comes out, whatever the model, the search and the tokenizer."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

from eg3p_lib.grammar import BETWEEN, GrammarError, GraphConstraint, GraphVocabulary, Place, after, all_places
from eg3p_lib.graphs import ExplanationGraph
from eg3p_lib.relations import EXPLAGRAPHS_RELATIONS
from eg3p_lib.structure import structure_faults
from eg3p_lib.tasks import EXPLAGRAPHS
from workbench_lib import learning, runs
from workbench_lib.errors import WorkbenchError
from workbench_lib.generation import generate, generation_config
from workbench_lib.metrics_log import read_metrics
from workbench_lib.params import load_params
from workbench_lib.seq2seq import build_model, save, train_tokenizer
from workbench_lib.stages import FinetuningParams

CONCEPT = r"[^\s;()]+(?: [^\s;()]+){0,2}"
EDGE = rf"\({CONCEPT}; (?:{'|'.join(sorted(EXPLAGRAPHS_RELATIONS))}); {CONCEPT}\)"
GRAPH = re.compile(rf"(?:{EDGE}){{3,8}}")
WHOLE = "(a; is a; b)(b c d; not used for; é-e)(b; causes; f.)"
PIECES = [
    *("(", ")", ";", " ", "a", "bc", "is", "; ", ")(", "is a", "causes", "not used for", "\n", "\u00a0", "[SEP]"),
    *("(a; is a; b)", "(a b c; causes; d)", "(é; ", "; made of; x y)", WHOLE),
]


def accepts(text: str) -> bool:
    place: Place | None = Place()
    for char in text:
        place = place and after(place, char)
    return place == Place() and 3 <= text.count(")") <= 8


@settings(max_examples=500)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@example(WHOLE)
@example(WHOLE * 2 + "(a; is a; b)" * 2)
@example(WHOLE * 3)
@example("(a; is a; b)" * 2)
@example("(a; is a; b c d e)" * 3)
@example("(a; is b; b)" * 3)
@example("(a ; is a; b)" * 3)
@example(" " + WHOLE)
def test_the_automaton_is_a_plain_regular_expression(text: str) -> None:
    assert accepts(text) == bool(GRAPH.fullmatch(text))


@given(st.integers(0, len(WHOLE)))
def test_every_beginning_of_a_graph_stands_at_one_of_the_places(end: int) -> None:
    place: Place | None = Place()
    for char in WHOLE[:end]:
        place = place and after(place, char)
    assert place in all_places()


@pytest.mark.parametrize("char", ["(", ";", ")", "\n", "\t", "\u00a0", "\u2028", "\u200b", "\x00", "\ufffd", "\ufeff"])
def test_what_a_concept_cannot_begin_with(char: str) -> None:
    assert after(Place(1, ""), char) is None


def test_gold_graphs_pass() -> None:
    graphs = [example.target for split in ("train", "dev") for example in EXPLAGRAPHS.load("starter", split)]
    assert graphs
    assert [graph for graph in graphs if not accepts(graph)] == []


@pytest.mark.realdata
def test_official_gold_graphs_pass_but_for_their_own_faults(data_root: Any) -> None:
    folder = str(data_root / "explagraphs")
    graphs = [example.target for split in ("train", "dev") for example in EXPLAGRAPHS.load(folder, split)]
    refused = [graph for graph in graphs if not accepts(graph)]
    assert len(graphs) == 2368 + 398
    assert all(set(structure_faults(graph, "", "")) & {"edge_count", "relation", "words"} for graph in refused)


# --- tokenizers --------------------------------------------------------------------------------------------------


@cache
def letters() -> PreTrainedTokenizerFast:
    """A token a byte."""
    return train_tokenizer(["a b"], 266)


@cache
def words() -> PreTrainedTokenizerFast:
    """Byte-level, with tokens that reach over separators and edges, and some for parts of characters."""
    return train_tokenizer([WHOLE, "(cars; causes; pollution)(pollution; is a; harm)(harm; desires; no end)"] * 9, 420)


@cache
def unigram() -> PreTrainedTokenizerFast:
    """Laid out as T5's: pieces begin with a space, no start token."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    specials = ["<pad>", "</s>", "<unk>"]
    alphabet = sorted({*"();", *"".join(EXPLAGRAPHS_RELATIONS)})
    trainer = trainers.UnigramTrainer(
        vocab_size=120, special_tokens=specials, unk_token="<unk>", initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([WHOLE, *EXPLAGRAPHS_RELATIONS, "a; b c (d)"] * 9, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    roles = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **roles)


TOKENIZERS = [letters, words, unigram]
each_tokenizer = pytest.mark.parametrize("make", TOKENIZERS, ids=lambda make: make.__wrapped__.__name__)


@cache
def vocabulary(make: Any) -> GraphVocabulary:
    return GraphVocabulary(make())


def test_the_shortest_graph_by_hand() -> None:
    shortest = "(a; is a; b)" * 3  # "is a" is the shortest relation
    assert vocabulary(letters).costs[0, 0] == len(shortest) + 1
    assert vocabulary(letters).costs[7, 0] == 1  # only the end
    assert vocabulary(letters).opening == [letters().bos_token_id]
    assert vocabulary(unigram).opening == []


def test_a_limit_that_no_graph_fits_into_is_refused() -> None:
    GraphConstraint(vocabulary(letters), 38)
    with pytest.raises(GrammarError, match="takes at least 38 tokens of this tokenizer, and max_new_tokens=37"):
        GraphConstraint(vocabulary(letters), 37)


def test_a_tokenizer_that_cannot_write_a_relation_is_refused() -> None:
    tokenizer = Tokenizer(models.BPE({"<s>": 0, "</s>": 1, "(": 2, ")": 3, ";": 4, " ": 5, "x": 6}, []))
    tokenizer.decoder = decoders.Fuse()
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)])
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")
    with pytest.raises(GrammarError, match="no graph can be written"):
        GraphVocabulary(fast)


@each_tokenizer
def test_tokens_that_are_no_text_never_come_out(make: Any) -> None:
    tokenizer = make()
    out = {int(token) for moves in vocabulary(make).moves for token in moves.tokens}
    assert not out & {*tokenizer.all_special_ids, *tokenizer.get_added_vocab().values()}
    assert all(tokenizer.decode([token]).isprintable() for token in out)
    assert not any("\ufffd" in tokenizer.decode([token]) for token in out)


@each_tokenizer
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0, 1, 5, 40, 150]), st.sampled_from(["any", "closing", "opening"]))
def test_every_walk_over_what_is_allowed_ends_in_a_graph(make: Any, seed: int, more: int, taste: str) -> None:
    """At each step any allowed token, or with a taste for closing edges, or for opening new ones, the end last."""
    tokenizer, graphs, rng = make(), vocabulary(make), np.random.default_rng(seed)
    limit = int(graphs.costs[0, 0]) + len(graphs.opening) + more
    constraint, ids = GraphConstraint(graphs, limit), [0]
    texts = {"any": "", "closing": ")", "opening": ")(;"}[taste]
    for _ in range(limit):
        scores = constraint(torch.tensor([ids]), torch.zeros(1, len(tokenizer)))[0]
        allowed = scores.isfinite().nonzero().flatten().tolist()
        liked = [token for token in allowed if set(texts) & set(tokenizer.decode([token]))]
        ids.append(int(rng.choice(liked or allowed)))
        if ids[-1] == graphs.end:
            break
    assert ids[-1] == graphs.end
    text = tokenizer.decode(ids[1:], skip_special_tokens=True, clean_up_tokenization_spaces=False)
    assert GRAPH.fullmatch(text)
    if taste == "opening" and more == 150:
        assert text.count(")") == 8 or make is not words


def test_scores_may_be_wider_than_the_vocabulary() -> None:
    """Embeddings are often padded to a round number."""
    constraint = GraphConstraint(vocabulary(letters), 60)
    scores = constraint(torch.tensor([[2, 0]]), torch.zeros(1, 320))
    assert letters().decode(scores[0].isfinite().nonzero().flatten().tolist()) == "("


def test_rows_may_come_in_any_order_and_number() -> None:
    graphs = vocabulary(words)
    tokens = words()(WHOLE)["input_ids"]
    assert graphs.opening == tokens[:1]
    steady, erratic = GraphConstraint(graphs, 200), GraphConstraint(graphs, 200)
    for length in range(1, len(tokens)):
        given_ids = torch.tensor([[2, *tokens[:length]]])
        expected = steady(given_ids, torch.zeros(1, len(words())))
        if length % 3 == 0:  # it has not seen the token before
            others = given_ids.repeat(3, 1)
            others[1, 2] = words().pad_token_id
            found = erratic(others, torch.zeros(3, len(words())))
            assert torch.equal(found[[0, 2]], expected.repeat(2, 1))
            assert found[1].isfinite().nonzero().tolist() == [[graphs.end]]  # a lost row
        assert expected[0, tokens[length]] == 0.0


# --- models ------------------------------------------------------------------------------------------------------


@cache
def bart() -> Any:
    torch.set_num_threads(1)
    return build_model("tiny", words(), seed=1, dropout=0.0)


@cache
def t5() -> Any:
    config = T5Config(
        vocab_size=len(unigram()), d_model=32, d_kv=8, d_ff=64, num_layers=1, num_heads=4, pad_token_id=0,
        eos_token_id=1, decoder_start_token_id=0,
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(1)
        return T5ForConditionalGeneration(config).eval()


def is_a_graph(text: str) -> bool:
    """By the parser and by the scorer: all rules hold but those that no grammar sees."""
    edges = ExplanationGraph.parse(text, "explagraphs").edges
    faults = structure_faults(text, "", "")
    return 3 <= len(edges) <= 8 and set(faults) <= {"concepts", "disconnected", "cycle"} and GRAPH.fullmatch(text)


SEARCHES: list[dict[str, Any]] = [
    {},
    {"beams": 4},
    {"temperature": 1.0},
    {"temperature": 3.0},
    {"temperature": 1.0, "top_p": 0.7},
]


@pytest.mark.parametrize("search", SEARCHES, ids=str)
@pytest.mark.parametrize(("model", "make"), [(bart, words), (t5, unigram)], ids=["bart", "t5"])
@pytest.mark.parametrize("more", [0, 3, 70])
def test_an_untrained_model_writes_graphs(model: Any, make: Any, search: dict[str, Any], more: int) -> None:
    graphs = vocabulary(make)
    limit = int(graphs.costs[0, 0]) + len(graphs.opening) + more
    sources = [f"Belief: a{k}. [SEP] Argument: {'b' * k}" for k in range(12)]
    written = generate(
        model(), make(), sources, generation_config(model(), max_new_tokens=limit, **search),
        max_source_tokens=64, constraint=EXPLAGRAPHS.constraint(make(), limit), tokens_a_batch=3000,
    )  # fmt: skip
    assert [text for text in written.texts if not is_a_graph(text)] == []
    assert written.constrained
    assert written.hit_limit == 0


@pytest.mark.parametrize("how", [{}, {"num_beams": 3}, {"do_sample": True, "top_k": 0}])
def test_it_holds_in_the_searches_of_transformers_too(how: dict[str, Any]) -> None:
    limit = 60
    inputs = words()(["a", "a b c", "d"], padding=True, return_tensors="pt")
    config = generation_config(bart(), max_new_tokens=limit)
    config.update(**how)
    bart().generation_config = config
    with torch.random.fork_rng():
        torch.manual_seed(0)
        constraint = GraphConstraint(vocabulary(words), limit)
        ids = bart().generate(**inputs, generation_config=config, logits_processor=[constraint])
    texts = words().batch_decode(ids, skip_special_tokens=True)
    assert [text for text in texts if not is_a_graph(text)] == []


def test_places_are_those_of_three_fields() -> None:
    """Of a concept: nothing, in or after the first and second word, in the third, ended after any of the three."""
    beginnings = {relation[:k] for relation in EXPLAGRAPHS_RELATIONS for k in range(len(relation) + 1)}
    head, tail = 1 + 2 + 2 + 1 + 3, 1 + 2 + 2 + 1
    assert len(all_places()) == 1 + head + len(beginnings) + 28 + tail
    assert all_places()[0] == Place(BETWEEN, "")


# --- whole runs --------------------------------------------------------------------------------------------------


def finetuning(home: Path, **changes: Any) -> FinetuningParams:
    save(bart(), words(), home / "model")
    few = {"steps": 10, "checkpoint_every": 10, "validate_every": 10, "train_share": 0.1, "max_target_tokens": 100}
    preset = load_params("04_finetuning", "tiny").model_dump()
    return FinetuningParams.make({**preset, **few, "model": str(home / "model"), "constrained": True, **changes})


@pytest.mark.slow
def test_a_constrained_run_writes_graphs_alone_and_its_record_says_so(home: Path) -> None:
    params = finetuning(home, generate_every=10)
    run = runs.start(params)
    record = learning.finetune(params, EXPLAGRAPHS, run)
    assert (record["constrained"], record["hit_limit"], record["hit_limit_share"]) == (True, 0, 0.0)
    rows = [json.loads(line) for line in (run.folder / "generated.jsonl").read_text().splitlines()][1:]
    assert {row["id"] for row in rows} == {example.id for example in EXPLAGRAPHS.load("starter", "dev")}
    assert all(is_a_graph(row["text"]) for row in rows)
    (measured,) = [row for row in read_metrics(run.folder / "metrics.jsonl") if "parsed" in row]
    assert measured["parsed"] == 1.0
    assert finetuning(home, constrained=False).run_id() != params.run_id()


def test_a_limit_that_is_too_low_stops_a_run_before_it_is_trained(home: Path) -> None:
    with pytest.raises(GrammarError, match="and max_new_tokens=8"):
        learning.task_metrics(finetuning(home, max_target_tokens=8), learning.Learner(bart(), words()), EXPLAGRAPHS, [])


def test_a_task_without_a_notation_cannot_be_constrained(home: Path) -> None:
    with pytest.raises(WorkbenchError, match="the task 'wikitq' has no notation to hold texts to"):
        runs.start(finetuning(home, task="wikitq"))
