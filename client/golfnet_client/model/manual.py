"""The help overlay: every key, what it does, and where to read on."""

from __future__ import annotations

from typing import Final

from golfnet.protocol.text.typeset import wrapped
from golfnet_client.model.pages import Pages

_TABLE: Final = (
    "Choosing a card",
    "  arrows             choose a card on the table, tab the next that can be used",
    "  1 to 9, 0          use one of your own slots at once, where a slot is asked for",
    "  b3                 choose a card of another seat, where a slam or a power aims",
    "  enter              do what the line of keys says with the chosen card",
    "  click              the same with the card that is clicked, or a pile",
    "",
    "Your turn",
    "  d  draw from the stock         t  take the top discard",
    "  x  discard the card you hold   k  knock",
    "  p  pass                        n  do not use a power",
    "  m  mark a card                 w  switch the two marked",
    "  space  slam the chosen card on the discard",
    "",
    "The table",
    "  r  ready, or a rematch         o  start the match (host)",
    "  b  add a bot (host)            f  bots after a wait, or none after all (host)",
    "  u  the rules of this table     v  score card",
    "  g  hints on or off             z, Z  next theme, next felt",
    "  '  say something               :  type a command, tab completes it",
    "  page up, page down, end        older and newer lines of the log",
    "  q, esc  leave the table        ctrl-c  close; your seat is kept for a while",
)
_LOBBY: Final = (
    "  arrows, click   choose a table         enter  join it, or watch it",
    "  c  create one, with every option       s  find players for a rule set",
    "  w  watch                               g  learn: a hole against a bot",
    "  h  finished matches, to replay         l  the ladder",
    "  '  say something to all                :  type a command, tab completes it",
    "  page up, page down, end                older and newer lines below",
    "  z, Z  next theme, next felt            q  quit",
    "  esc  leave this server",
)
_REPLAY: Final = (
    "  space         play by itself, or stop",
    "  up, down      faster, slower",
    "  right         the next event      left   the one before",
    "  n             the next hole       p      the hole before",
    "  home          the beginning       end    the last event",
    "  click on the bar                  go there",
    "  v             score card          esc    back",
)
_FORM: Final = (
    "  up, down      choose an option    left, right  change it, or click the arrows",
    "  e             type a value        del          back to what is usual",
    "  u             the rules in full   enter        open the table",
    "  esc           back",
)


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
