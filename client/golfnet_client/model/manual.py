"""The help overlay: every key, what it does, and where to read on."""

from __future__ import annotations

from typing import Final

from golfnet.protocol.text.typeset import wrapped
from golfnet_client.model.pages import Pages

_TABLE: Final = (
    "Choosing a card",
    "  arrows, click      choose a card on the table",
    "  1 to 9, 0          take one of your own slots at once, where a slot is asked for",
    "  enter, click again do what is asked for with the chosen card",
    "",
    "Your turn",
    "  d  draw from the stock         t  take the top discard",
    "  x  discard the card you hold   k  knock",
    "  p  pass                        n  leave a power unused",
    "  m  mark a card, w switch the two marked",
    "  space  slam the chosen card on the discard",
    "",
    "The table",
    "  r  ready, or a rematch         o  start the match (host)",
    "  b  add a bot (host)            f  bots after a wait, or none after all (host)",
    "  u  the rules of this table     v  score card",
    "  z  next theme                          Z  next felt",
    "  '  say something               :  type a command, tab completes it",
    "  page up, page down, end        older and newer lines of the log",
    "  q  leave the table             ctrl-c  close; your seat is kept for a while",
)
_LOBBY: Final = (
    "  arrows, click   choose a table         enter  sit down at it",
    "  c  create one, with every option       s  seek: play with whoever comes",
    "  w  watch                               g  a guided hole against a bot",
    "  h  finished matches, enter replays     l  the ladder",
    "  '  say something to all                :  type a command, tab completes it",
    "  page up, page down, end                older and newer lines below",
    "  z  next theme   Z  next felt            q  quit",
)
_REPLAY: Final = (
    "  right, space  the next event      left   the one before",
    "  n  the next hole                  p      the hole before",
    "  home          the beginning       end    the last event",
    "  v  score card                     q      back to the lobby",
)
_FORM: Final = (
    "  up, down      choose an option    left, right  change it within its bounds",
    "  e             type a value        del          back to what is usual",
    "  u             the rules in full   enter        open the table",
    "  esc           back",
)

FIRST_STEPS: Final = Pages(
    title="Welcome",
    lines=(
        "New to the card game Golf?",
        "Play a guided hole against a bot",
        "Go to the lobby",
    ),
    rows=("guide", "lobby"),
)
"""What a newcomer is offered, once."""


def alarm_pages(problems: tuple[str, ...], evidence: str) -> Pages:
    """Return what to know where deals were not what was promised; ``evidence`` is a file, empty for none."""
    kept = (
        (
            "",
            "What you saw is kept in",
            f"  {evidence}",
            "golfnet verify RECORD --seen FILE compares it with the record.",
        )
        if evidence
        else ()
    )
    lines = [line for problem in problems for line in wrapped(problem, 70)]
    return Pages(
        title="The deal is not what was promised",
        lines=(
            *lines,
            "",
            "The cards do not follow from what was fixed before the deal. Whoever runs",
            "this server, or somebody with its help, has cheated, or it is broken.",
            "Nothing that is played here counts for anything.",
            *(kept if evidence else ()),
        ),
    )


def manual(place: str) -> Pages:
    """Return the keys of a screen."""
    lines = {"table": _TABLE, "replay": _REPLAY, "create": _FORM}.get(place, _LOBBY)
    return Pages(title="Keys", lines=(*lines, "", "help WORD explains a command, a topic or an error code."))
