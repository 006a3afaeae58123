"""Marks of rows that cannot hold yet, each with what it waits for; a mark goes when its rows hold."""

from __future__ import annotations

import pytest

from tests.e2e.cluster.nodes import WATCHES

needs_draining = pytest.mark.skipif(not WATCHES, reason="a node that stops takes its tables along")
taken_for_writing = pytest.mark.skip(
    reason="a node that stands still between two statements of a pipeline is taken for one that writes"
)
seats_lag = pytest.mark.skip(
    reason="who comes in between the taking of a table and its first view there is told that it has no seat"
)
newest_loses = pytest.mark.skip(
    reason="of two connections that reach a table which has moved, the newer one may be closed"
)
lines_lost = pytest.mark.skip(
    reason="a line that was sent while its table moved may be refused with NOT_SEATED"
)
