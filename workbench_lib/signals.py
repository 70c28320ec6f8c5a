"""What SIGTERM does while long work goes on."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def on_sigterm(act: Callable[[], None]) -> Iterator[None]:
    """Have SIGTERM do this for a block; only in the main thread, which alone may change what a signal does."""
    try:
        before = signal.signal(signal.SIGTERM, lambda *_: act())
    except ValueError:
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
