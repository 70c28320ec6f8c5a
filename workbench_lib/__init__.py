"""What both papers' libraries need: parameters, corpora, runs, training, generation, figures, display."""
