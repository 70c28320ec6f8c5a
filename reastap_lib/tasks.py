"""The downstream tasks on tables, in the registry of `workbench_lib.tasks` (ReasTAP, section 4, Tables 2 and 10).

The source text is always `text [HEAD] header [ROW] row [ROW] ...`: a question and its table to the answers, a
statement and its table to a label, a page's title and the linked columns of its table to a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from reastap_lib import golds
from reastap_lib.denotation_metrics import WIKISQL_METRICS, WIKITQ_METRICS, score_wikisql, score_wikitq
from reastap_lib.logicnlg import linked_part, read_sentences, sentence_file
from reastap_lib.logicnlg_metrics import METRICS as LOGICNLG_METRICS
from reastap_lib.logicnlg_metrics import Judge, score_sentences
from reastap_lib.nli import nli_judge
from reastap_lib.tabfact import LABELS, csv_table, read_split
from reastap_lib.tabfact_metrics import METRICS as TABFACT_METRICS
from reastap_lib.tabfact_metrics import score_labels
from reastap_lib.wikisql import question_file as wikisql_file
from reastap_lib.wikisql import read_queries, read_typed_tables, tables_file
from reastap_lib.wikitq import WikiQuestion, context_table, question_file, read_questions, root_of, with_canon
from workbench_lib.errors import InputError
from workbench_lib.tasks import Example, Split, Task, register

NLI_MODEL, SP_RANKER = "nli_model", "sp_ranker"


def load_wikitq(data: str, split: Split) -> list[Example]:
    """The examples of a split of WikiTableQuestions: question and table as text, the answers joined.

    A table that is too long loses its last rows, by the count of words of question and table alone, in training and
    evaluation alike; the answers are never looked at. So it is in all four tasks.

    Args:
        data: starter (built in), or a folder in the official layout, as given or under WORKBENCH_DATA.

    Raises:
        InputError: a file is missing or not as it should be, or the split shares a table with the training split.

    >>> load_wikitq("starter", "dev")[0].source.split(" [ROW] ")[0].count(" [HEAD] ")
    1
    """
    root = root_of(data)
    path = question_file(root, split)
    questions = with_canon(read_questions(path), root, path)
    if split != "train":
        _check_apart(root, path, questions)
    tables = (context_table(root, question.context) for question in questions)
    golden = map(golds.of_question, questions)
    return [golds.with_table(gold, table.header, table.rows) for gold, table in zip(golden, tables, strict=True)]


def load_wikisql(data: str, split: Split) -> list[Example]:
    """The examples of a split of WikiSQL-Weak: question and table, and the answers that the question's query finds.

    Args:
        data: starter (built in), or a folder that holds SPLIT.jsonl and SPLIT.tables.jsonl, itself or in `data/`.

    Raises:
        InputError: a file is missing or not as it should be; names the line.

    >>> load_wikisql("starter", "dev")[0].target
    'N'
    """
    path = wikisql_file(data, split)
    tables = read_typed_tables(tables_file(path))
    asked = ((question, tables[question.table_id]) for question in read_queries(path, tables))
    return [golds.with_table(golds.of_query(question, table), table.header, table.rows) for question, table in asked]


def load_tabfact(data: str, split: Split) -> list[Example]:
    """The examples of a split of TabFact: statement and table, and the label; prints the variant and its size.

    Args:
        data: starter (built in), or the folder of a release (see `tabfact.read_split`).

    Raises:
        InputError: a file is missing or not as it should be.
    """
    statements = read_split(data, split)
    print(statements)
    folder = statements.root / "data" / "all_csv"
    tables = (csv_table(folder / entry.table_id) for entry in statements.entries)
    pairs = zip(golds.of_statements(statements), tables, strict=True)
    return [golds.with_table(gold, table.header, table.rows) for gold, table in pairs]


def load_logicnlg(data: str, split: Split) -> list[Example]:
    """The examples of a split of LogicNLG, one a reference sentence: the title and the sentence's linked columns.

    Args:
        data: starter (built in), or a folder with `data/` and `all_csv/`.

    Raises:
        InputError: a file is missing or not as it should be.
    """
    golden = golds.of_sentences(read_sentences(sentence_file(data, split)))
    return [golds.with_table(gold, *linked_part(gold)) for gold in golden]


def judged(models: Mapping[str, str]) -> Task:
    """LogicNLG, scored by models too: NLI-Acc by a run of `tabfact` or any entailment model, SP-Acc by a ranker.

    Args:
        models: Their folders or hub names, by what they are for.
    """
    judges: dict[str, Judge] = {}
    if SP_RANKER in models:
        from reastap_lib.lpa.accuracy import sp_judges  # nltk takes a second, and is rarely asked for

        judges |= sp_judges(models[SP_RANKER])
    if NLI_MODEL in models:
        judges["NLI-Acc"] = nli_judge(models[NLI_MODEL])
    return replace(LOGICNLG, score=partial(score_sentences, judges=judges))


def _check_apart(root: Path, path: Path, questions: Sequence[WikiQuestion]) -> None:
    """No table of an evaluation split is also one of the training split."""
    try:
        trained = {question.context for question in read_questions(question_file(root, "train"))}
    except InputError:
        return
    shared = sorted({question.context for question in questions} & trained)
    if shared:
        raise InputError("a table of this split is in the training split too", path=path, value=shared[0])


WIKITQ = register(
    Task(
        name="wikitq",
        version=2,
        load=load_wikitq,
        score=score_wikitq,
        higher_is_better=dict.fromkeys(WIKITQ_METRICS, True),
    )
)
WIKISQL = register(
    Task(
        name="wikisql",
        version=1,
        load=load_wikisql,
        score=score_wikisql,
        higher_is_better=dict.fromkeys(WIKISQL_METRICS, True),
    )
)
TABFACT = register(
    Task(
        name="tabfact",
        version=1,
        load=load_tabfact,
        score=score_labels,
        higher_is_better=dict.fromkeys(TABFACT_METRICS, True),
        labels=LABELS,
    )
)
LOGICNLG = register(
    Task(
        name="logicnlg",
        version=1,
        load=load_logicnlg,
        score=score_sentences,
        higher_is_better=dict.fromkeys(LOGICNLG_METRICS, True),
        uses={
            NLI_MODEL: "the entailment model for NLI-Acc: a run of the task tabfact, a folder or a hub name",
            SP_RANKER: "the folder of a trained ranker for SP-Acc, or `search` for the bounds of its search alone",
        },
        bind=judged,
    )
)
