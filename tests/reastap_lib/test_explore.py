"""The views of tables, of questions and of a corpus, as values: what they hold, and that text stays text."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reastap_lib.columns import TypedTable
from reastap_lib.conditions import Compare, Happened, Is
from reastap_lib.dates import Date
from reastap_lib.examples import TableExample, program_text
from reastap_lib.explore import (
    TableIndex,
    ask,
    balance_table,
    browse,
    corpus_example,
    refused_table,
    richest_table,
    serving,
    types_table,
)
from reastap_lib.params import TableSynthesisParams
from reastap_lib.programs import Count, Select, TimeBetween, execute
from reastap_lib.skills import TABLE_1, Draw, Question, Skill, get_skill, skill_names
from reastap_lib.sql import SqlTable
from reastap_lib.synthesis import build_table_corpus
from reastap_lib.table_store import TableStore
from reastap_lib.tables import Table
from reastap_lib.templates import template_skill
from workbench_lib.corpus import Corpus
from workbench_lib.errors import InputError

ROWS = (("x", "1"), ("y", "2"))


def store_of(*tables: tuple[str, str, Sequence[str]]) -> TableStore:
    """Tables of two rows, by id, title and header."""
    return TableStore.of((Table(name, title, tuple(header), ROWS), 0) for name, title, header in tables)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    values = {"tables": ["builtin"], "held_out": [], "examples": 300, "seed": 2, "skills": list(TABLE_1)}
    limits = {"questions_a_table": 18, "min_rows": 8, "max_rows": 30, "min_columns": 3, "max_source_words": 350}
    params = TableSynthesisParams.make({**values, **limits, "workers": 1})
    return build_table_corpus(params, tmp_path_factory.mktemp("corpus") / "c")


class Cells(HTMLParser):
    """The tags of a piece of HTML, and the cells of its tables' bodies that are told to be evidence."""

    def __init__(self, html: str):
        super().__init__()
        self.tags: list[str] = []
        self.ticked: list[tuple[int, int]] = []
        self._row, self._column = -1, -1
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "tbody":
            self._row = -1
        if tag == "tr":
            self._row, self._column = self._row + 1, -1
        if tag == "td":
            self._column += 1
        if tag == "span" and ("aria-label", "evidence") in attrs:
            self.ticked.append((self._row, self._column))


# --- finding a table ---------------------------------------------------------------------------------------------


def test_a_table_is_found_by_words_of_title_and_header() -> None:
    index = TableIndex(store_of(("a", "Goals of 1998", ["Player", "Goals"]), ("b", "Clubs", ["Club", "Goals"])))
    assert index.find("goals") == [0, 1]
    assert index.find("club GOAL") == [1]
    assert index.find("goals player 1998") == [0]
    assert index.find("rain") == []
    assert index.find("") == [0, 1]


def test_those_with_the_word_in_their_title_come_first() -> None:
    index = TableIndex(store_of(("a", "Clubs", ["Club", "Goals"]), ("b", "Goals of 1998", ["Player", "n"])))
    assert index.find("goals") == [1, 0]
    assert index.search("goals") == ["1: Goals of 1998", "0: Clubs"]


def test_at_most_twenty_are_given_and_each_once() -> None:
    index = TableIndex(store_of(*((f"t{k}", f"Goals {k}", ["Goals", "n"]) for k in range(30))))
    assert index.find("goals") == list(range(20))
    assert index.find("goals", limit=3) == [0, 1, 2]


def test_words_are_no_patterns_and_cells_are_not_searched() -> None:
    index = TableIndex(store_of(("a", "100 % (of .*)", ["Name", "n"]), ("b", "Été", ["Name", "n"])))
    assert index.find(".*") == [0]
    assert index.find("(") == [0]
    assert index.find("ÉTÉ") == [1]
    assert index.find("x") == []


def test_a_label_gives_the_number_back_whatever_the_title_is() -> None:
    index = TableIndex(store_of(("a", "", ["Name", "n"]), ("b", "3: a: " + "long " * 40, ["Name", "n"])))
    assert index.search("") == ["0: a", index.label(1)]
    assert [index.number(label) for label in index.search("")] == [0, 1]
    assert len(index.label(1)) < 70


def test_the_found_ones_as_a_table() -> None:
    frame = TableIndex(store_of(("a", "Goals", ["Player", "Goals"]))).frame([0])
    assert frame.to_dict("records") == [{"number": 0, "title": "Goals", "rows": 2, "columns": "Player | Goals"}]


def test_the_richest_table_is_the_one_that_most_skills_can_ask(players: TypedTable) -> None:
    poor = Table("p", "", ("Name", "n"), ROWS)
    assert serving(players, TABLE_1) == list(TABLE_1)
    store = TableStore.of([(poor, 0), (players.table, 0), (players.table, 0)])
    assert richest_table(store, TABLE_1) == 1


# --- types -------------------------------------------------------------------------------------------------------


def test_types_come_with_units_precision_and_roles(players: TypedTable) -> None:
    rows = types_table(players).set_index("column")
    assert list(rows["type"]) == ["string", "string", "date", "number", "number"]
    assert rows.loc["Born", "unit or precision"] == "day"
    assert rows.loc["Prize", "unit or precision"] == "USD"
    assert rows.loc["Player", "role"] == "key"
    assert list(rows["SQL name"]) == ["c1", "c2", "c3", "c4", "c5"]
    assert rows.loc["Goals", ["missing", "different"]].to_list() == [1, 6]


# --- questions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", skill_names())
def test_the_answer_of_every_skill_is_that_of_its_program_and_of_its_sql(name: str, players: TypedTable) -> None:
    asked = ask(players, get_skill(name), seed=3, count=4)
    assert asked.examples
    for one in asked.examples:
        assert one.skill == name
        assert one.table.table.rows == players.table.rows
        answer = execute(one.program, players)
        assert (answer.items, answer.evidence) == (one.answers, one.evidence)
        assert SqlTable().load(players).answer(one.sql) == one.answers


def test_the_same_seed_asks_the_same_and_more_begin_with_the_same(players: TypedTable) -> None:
    few, many = (ask(players, get_skill("counting"), 5, count).examples for count in (2, 4))
    assert many[:2] == few
    assert ask(players, get_skill("counting"), 6, 2).examples != few


def test_exactly_the_evidence_is_ticked(players: TypedTable) -> None:
    for one in ask(players, get_skill("numerical_comparison"), 1).examples:
        assert tuple(Cells(one._repr_html_()).ticked) == one.evidence


def test_an_example_tells_question_answer_program_and_sql(players: TypedTable) -> None:
    program = Select(0, (Is(1, "Blues"), Compare(3, ">", Decimal(9))))
    asked = ask(players, Skill("mine", 1.0, lambda table, draw: Question("Who?", program), lambda table: True), 0, 1)
    page = asked.examples[0]._repr_html_()
    assert "Select(column=&#x27;Player&#x27;, where=(Is(column=&#x27;Club&#x27;, text=&#x27;Blues&#x27;), " in page
    assert "SELECT c1 FROM w WHERE c2 = &#x27;Blues&#x27; AND c4_number &gt; 9 ORDER BY id" in page
    assert "<li>answer: Bob</li>" in page
    assert "c1: string, key" in page
    assert Cells(page).ticked == [(1, 0), (1, 1), (1, 3)]


def test_what_is_refused_is_counted_and_told(players: TypedTable) -> None:
    program = Select(0, (Is(1, "Blues"),))
    asked = ask(players, Skill("mine", 1.0, lambda table, draw: Question("Who?", program), lambda table: True), 0, 2)
    assert (len(asked.examples), asked.refused) == (1, {"asked of this table before": 8})
    assert "mine: 1 question; refused: 8 × asked of this table before." in asked._repr_html_()


def test_a_skill_that_the_table_cannot_serve_says_so() -> None:
    table = next(iter(store_of(("a", "", ["Name", "Word"]))))
    asked = ask(table, get_skill("date_difference"), 0)
    assert asked.examples == ()
    assert "0 questions; refused: 1 × the table does not have the columns" in asked._repr_html_()


def test_text_of_a_table_and_of_a_question_is_escaped() -> None:
    rows = (("<script>", "<i>1</i>"), ("&", "2"))
    table = next(iter(TableStore.of([(Table("<u>", "<s>", ("<b>a", "n"), rows), 0)])))
    program = Count((Is(0, "<script>"),))
    skill = Skill("<em>", 1.0, lambda table, draw: Question("<img>?", program), lambda table: True)
    asked = ask(table, skill, 0, 1)
    page = asked._repr_html_() + asked.examples[0]._repr_html_()
    assert not {"script", "i", "u", "s", "b", "img", "em"} & set(Cells(page).tags) - {"i"}
    assert "<i>1" not in page


def test_programs_are_told_with_names_and_values() -> None:
    header = ("Player", "Born", "Goals")
    assert program_text(TimeBetween(0, "Ann", "Bob", 1), header) == (
        "TimeBetween(column='Player', first='Ann', second='Bob', date='Born')"
    )
    assert program_text(Count((Happened(1, "before", Date(1980, 5)), Compare(2, "<=", Decimal("1.50")))), header) == (
        "Count(where=(Happened(column='Born', timing='before', value=1980-05),"
        " Compare(column='Goals', operator='<=', value=1.50)))"
    )


# --- templates ---------------------------------------------------------------------------------------------------


def drawn(template: str, table: TypedTable, seed: int) -> Question:
    return template_skill(template).make(table, Draw(np.random.default_rng(seed).random))


def test_a_template_with_a_column_asks_for_it_under_all_its_conditions(players: TypedTable) -> None:
    for seed in range(20):
        question = drawn("Give the {column} of every row where {was} and {was}.", players, seed)
        program = question.program
        assert isinstance(program, Select)
        columns = [program.column, *(condition.column for condition in program.where)]
        assert len(set(columns)) == len(columns) == 3
        assert question.text.startswith(f"Give the {players.columns[program.column].name}")
        places = [question.text.index(f"the {players.columns[c].name} ") for c in columns[1:]]
        assert places == sorted(places)


def test_a_template_without_a_column_counts(players: TypedTable) -> None:
    question = drawn("How many players are there {whose}?", players, 1)
    assert isinstance(question.program, Count)
    assert len(question.program.where) == 1
    assert question.text.startswith("How many players are there whose ")
    assert int(execute(question.program, players).items[0]) >= 1


@pytest.mark.parametrize(
    ("template", "fault"),
    [
        ("How many {rows} {was}?", r"unknown slot \{rows\} \(there are: \{column\}, \{was\}, \{asked\}, \{whose\}\)"),
        ("How many {} {was}?", r"unknown slot \{\}"),
        ("{was.__class__}", "a brace without its other"),
        ("When {was}, {?", "a brace without its other"),
        ("{column} and {column} {whose}", "at most one {column}"),
        ("What is the {column}?", "at least one condition"),
        ("", "at least one condition"),
    ],
)
def test_a_faulty_template_is_refused(template: str, fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        template_skill(template)


def test_a_template_is_no_registered_skill(players: TypedTable) -> None:
    before = skill_names()
    ask(players, template_skill("How many rows are there {whose}?"), 0)
    assert skill_names() == before


# --- a corpus ----------------------------------------------------------------------------------------------------


def all_rows(corpus: Corpus) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = corpus.head(len(corpus)).to_pylist()
    return rows


def test_browsing_by_skill_and_table(corpus: Corpus) -> None:
    title = next(row["title"] for row in all_rows(corpus) if row["skill"] == "counting")
    rows = [row for row in all_rows(corpus) if row["skill"] == "counting" and title in row["title"]]
    found = browse(corpus, skill="counting", table=title.upper(), limit=300)
    assert list(found["example"]) == [row["example"] for row in rows]
    assert list(found["question"]) == [row["question"] for row in rows]
    assert 0 < len(rows) < sum(row["title"] == title for row in all_rows(corpus))


def test_a_table_is_also_found_by_its_id(corpus: Corpus) -> None:
    name = all_rows(corpus)[0]["table"]
    assert set(browse(corpus, table=name, limit=300)["table"]) == {name}
    assert len(browse(corpus, limit=300)) == 300
    assert len(browse(corpus, table="no such table")) == 0


def test_an_example_is_opened_by_its_number(corpus: Corpus) -> None:
    row = all_rows(corpus)[17]
    assert corpus_example(corpus, 17) == TableExample.from_row(row)
    with pytest.raises(InputError, match="no such example: 300"):
        corpus_example(corpus, 300)


def test_the_balance_is_that_of_the_targets(corpus: Corpus) -> None:
    balance = balance_table(corpus).set_index("skill")
    assert list(balance.index) == list(TABLE_1)
    assert balance["examples"].sum() == 300
    answers = [row["target"] for row in all_rows(corpus) if row["skill"] == "quantifiers"]
    often = max(("No", "Yes"), key=answers.count)
    assert balance.loc["quantifiers"].to_list() == [
        len(answers),
        2,
        often,
        pytest.approx(answers.count(often) / len(answers)),
    ]


def test_what_was_refused_most_comes_first(corpus: Corpus) -> None:
    refused = refused_table(corpus, limit=3)
    assert len(refused) == 3
    first = refused.iloc[0]
    assert corpus.manifest.rejected[f"{first['skill']}: {first['reason']}"] == max(corpus.manifest.rejected.values())
    assert list(refused["draws"]) == sorted(corpus.manifest.rejected.values(), reverse=True)[:3]


def test_help_names_every_kind_of_table(monkeypatch: pytest.MonkeyPatch) -> None:
    from typer.testing import CliRunner

    from reastap_lib.__main__ import app

    monkeypatch.setenv("COLUMNS", "200")
    told = CliRunner().invoke(app, ["synthesize", "--help"]).output
    assert all(kind in told for kind in ("builtin", "csv", "HTML", "WikiSQL", "turning_tables", "extract"))


def test_no_file_is_written_by_looking(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    balance_table(corpus)
    browse(corpus, skill="counting")
    corpus_example(corpus, 3)
    assert not list(tmp_path.iterdir())
