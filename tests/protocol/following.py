"""Compare a view folded from events with the view that the server would send."""

from typing import Any

from msgspec.structs import asdict, replace

from golfnet.protocol.replies.replies import TableView


def differences(folded: TableView, truth: TableView) -> dict[str, tuple[Any, Any]]:
    """Return the fields in which two views differ, apart from times, which change from moment to moment."""
    one, other = asdict(_timeless(folded)), asdict(_timeless(truth))
    return {name: (one[name], other[name]) for name in one if one[name] != other[name]}


def _timeless(view: TableView) -> TableView:
    slam = None if view.slam is None else replace(view.slam, ms=0)
    sealing_ms = None if view.sealing_ms is None else 0
    return replace(view, clock=None, pause_ms=None, starts_ms=None, sealing_ms=sealing_ms, slam=slam)
