"""NLI-Acc: the share of sentences that an entailment model says follow from their table (LogicNLG, section 4).

The model is any classifier's folder with a class whose name begins with "entail". One with TabFact's two classes,
such as a run of the task `tabfact`, reads a sentence and its linked columns as TabFact's examples are written. Any
other is taken for a model of premise and hypothesis, and reads the columns in words, row by row, before the sentence.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reastap_lib.fitting import fit
from reastap_lib.logicnlg import linked_part
from reastap_lib.logicnlg_metrics import Judge, Verdicts
from reastap_lib.serialisation import Rows
from reastap_lib.tabfact import LABELS
from workbench_lib.errors import InputError
from workbench_lib.tasks import Example

if TYPE_CHECKING:
    from workbench_lib.classification import Classifier

MAX_ROWS = 40


def nli_judge(model: str) -> Judge:
    """The judge for NLI-Acc.

    Args:
        model: The folder or hub name of a classifier.

    Raises:
        ModelError: it cannot be loaded.
        InputError: not exactly one of its classes is entailment.
    """
    from workbench_lib.classification import load_classifier, predict_classes  # takes seconds, and is rarely asked for

    classifier = load_classifier(model)
    entailed = entailed_class(classifier.labels, model)
    reads_statements = set(classifier.labels) == set(LABELS)

    def judge(examples: Sequence[Example], sentences: Sequence[str]) -> Verdicts:
        asked = zip(examples, sentences, strict=True)
        texts = [
            statement_text(sentence, example)
            if reads_statements
            else premise_and_sentence(sentence, example, classifier)
            for example, sentence in asked
        ]
        said = predict_classes(classifier, texts)
        values = (said.probabilities.argmax(axis=1) == entailed).astype(float).tolist()
        return Verdicts(values, {"model": model, "cut_texts": said.cut_texts})

    return judge


def statement_text(sentence: str, example: Example) -> str:
    """A sentence and its columns as an example of TabFact, in lower case as all of them; the end of a table may go."""
    return fit(sentence.lower(), *linked_part(example)).source


def premise_and_sentence(sentence: str, example: Example, classifier: Classifier) -> tuple[str, str]:
    """The columns in words, as many rows as the model has room for beside the sentence; and the sentence."""
    from workbench_lib.classification import encode_texts

    header, rows = linked_part(example)
    pairs = [
        (in_words(example.references["title"], header, rows[:n]), sentence) for n in range(min(len(rows), MAX_ROWS) + 1)
    ]
    room = bisect_right(
        pairs, classifier.max_tokens, key=lambda pair: len(encode_texts(classifier.tokenizer, [pair])[0])
    )
    return pairs[max(room - 1, 0)]


def in_words(title: str, header: Sequence[str], rows: Rows) -> str:
    """A table in words.

    >>> in_words("cup", ["name", "place"], [["ann", "1"], ["bob", "2"]])
    'title is : cup . row 1 is : name is ann , place is 1 . row 2 is : name is bob , place is 2 .'
    """
    told = [" , ".join(f"{name} is {cell}" for name, cell in zip(header, row, strict=True)) for row in rows]
    return " ".join([f"title is : {title} .", *(f"row {number} is : {line} ." for number, line in enumerate(told, 1))])


def entailed_class(labels: Sequence[str], model: str) -> int:
    """The number of the class that means entailed.

    Raises:
        InputError: there is none, or more than one.

    >>> entailed_class(["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], "m")
    2
    """
    found = [number for number, label in enumerate(labels) if label.lower().startswith("entail")]
    if len(found) != 1:
        raise InputError("needs one class whose name begins with 'entail'", path=model, value=list(labels))
    return found[0]
