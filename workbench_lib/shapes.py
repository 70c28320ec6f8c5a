"""The shapes of models that are built here rather than loaded, by name."""

from __future__ import annotations

# width, encoder layers, decoder layers, attention heads, feed-forward width; `large` is BART-large's own
SHAPES = {
    "tiny": (128, 2, 2, 4, 512),
    "small": (256, 4, 4, 8, 1024),
    "base": (768, 6, 6, 12, 3072),
    "large": (1024, 12, 12, 16, 4096),
}
