"""LPA programs over tables, as SP-Acc needs them: operators, programs, linking, search, ranker, score."""
