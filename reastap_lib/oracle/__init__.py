"""A second, independent reading of table questions: English and cell texts in, the answer out.

Nothing of the generator is used: neither its typing, nor its parsers of values, nor its programs, nor its SQL. The
grammar is written from the questions, as a reader would take them; what can be taken in two ways is told apart from
what is wrong.
"""

from reastap_lib.oracle.answering import Reply, ask, stands_in
from reastap_lib.oracle.english import faults_of_english
from reastap_lib.oracle.sheet import Sheet

__all__ = ["Reply", "Sheet", "ask", "faults_of_english", "stands_in"]
