"""Marks of rows that cannot hold yet, each with what it waits for; a mark goes when its rows hold."""

from __future__ import annotations

import pytest

from tests.e2e.cluster.nodes import WATCHES

needs_draining = pytest.mark.skipif(not WATCHES, reason="a node that stops takes its tables along")
taken_for_writing = pytest.mark.skip(
    reason="a node that stands still between two statements of a pipeline is taken for one that writes"
)
