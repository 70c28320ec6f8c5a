"""Explanation graphs (EG3P): knowledge, graphs, sampling, queries, corpora, the ExplaGraphs task and its metrics."""
