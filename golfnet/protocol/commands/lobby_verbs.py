"""The commands of the lobby: finding a table, and what was played."""

from typing import Final

from golfnet.protocol.commands.specs import CommandSpec, Example, Group, Kind, Option, Parameter, Where
from golfnet.protocol.names.reserved import LEVELS

_VARIANT: Final = Parameter(name="variant", kind=Kind.VARIANT)
_ANY_VARIANT: Final = Parameter(name="variant", kind=Kind.VARIANT, optional=True)
_TABLE: Final = Parameter(name="table", kind=Kind.TABLE)
_ANY_TABLE: Final = Parameter(name="table", kind=Kind.TABLE, optional=True)

_CLOCK: Final = Option(
    name="clock",
    label="SECONDS",
    meaning="how long a decision may take; 0 for no clock",
    words=("30", "60", "120", "0"),
)
_TABLE_PASSWORD: Final = Option(
    name="password", label="WORD", meaning="what one has to know to sit down or to watch", secret=True
)
FILL: Final = Option(
    name="fill",
    label="SECONDS",
    meaning="after how long bots take the seats that are still free; off for never",
    words=("10", "30", "60", "off"),
)
_LEVEL: Final = Option(
    name="level",
    label="LEVEL",
    meaning="the level of the bots that fill=SECONDS brings",
    words=LEVELS,
)

LOBBY_VERBS: Final = (
    CommandSpec(
        verb="tables",
        group=Group.LOBBY,
        where=Where.ANYWHERE,
        summary="list the tables",
        instead=("list", "ls", "open"),
        help=("Lists all tables: what is played there, who sits there, which seats are free, who watches.",),
        examples=(Example(line="tables", does="lists the tables"),),
        see=("join", "watch", "create", "seek"),
    ),
    CommandSpec(
        verb="who",
        group=Group.LOBBY,
        where=Where.ANYWHERE,
        summary="list the players who are here",
        short=("w",),
        instead=("players", "users", "names"),
        help=("Lists everybody who has come in, with the table each one is at.",),
        examples=(Example(line="who", does="lists the players"),),
        see=("tell", "tables"),
    ),
    CommandSpec(
        verb="variants",
        group=Group.LOBBY,
        where=Where.ANYWHERE,
        summary="list the rule sets you can choose from",
        short=("v",),
        instead=("rulesets", "modes", "types"),
        help=("Lists the rule sets of this server with the number of players for each.",),
        examples=(Example(line="variants", does="lists the rule sets"),),
        see=("rules", "create"),
    ),
    CommandSpec(
        verb="rules",
        group=Group.LOBBY,
        where=Where.ANYWHERE,
        summary="read the rules of a rule set",
        parameters=(_ANY_VARIANT,),
        instead=("howto", "manual"),
        help=(
            "Prints the full rules of a rule set, made from the very data it is played by. At a table, rules alone "
            "prints the rules of that table with everything its host has changed.",
        ),
        examples=(
            Example(line="rules six-card", does="prints the rules of six-card"),
            Example(line="rules", does="prints the rules of your table"),
        ),
        see=("variants", "options"),
    ),
    CommandSpec(
        verb="create",
        group=Group.LOBBY,
        where=Where.LOBBY,
        changes=True,
        summary="open a table and sit down at it",
        parameters=(_VARIANT,),
        options=(
            Option(name="name", label="TEXT", meaning="the name of the table, in quotes if it has spaces"),
            _TABLE_PASSWORD,
            _CLOCK,
            Option(
                name="pause",
                label="SECONDS",
                meaning="how long the pause between two holes may be",
                words=("5", "15", "60"),
            ),
            FILL,
            _LEVEL,
        ),
        rule_options=True,
        short=("c",),
        instead=("new", "make", "play"),
        help=(
            "Opens a table for a rule set, with you as its host. Without seats=N it has the most seats the rules "
            "allow, and you say start when enough have come. With a password only those who know it can sit down "
            "or watch; the server keeps no more of it than it needs to know it again. Once the match is over, its "
            "record is for everybody to read, as any other.",
            "With fill=SECONDS bots take the seats that are free after that time, of the level you name with "
            "level=LEVEL; bot fill=off calls them off.",
            "Every number and choice of the rules can be changed with RULE=VALUE: help options lists them. What "
            "cannot be played is refused, with the reason.",
        ),
        examples=(
            Example(line="create six-card", does="opens a table for up to eight"),
            Example(
                line="c cactus seats=3 slam=order clock=30", does="three seats, sealed slams, 30 s a turn"
            ),
            Example(line='create six-card holes=18 name="Long evening"', does="the long course, with a name"),
        ),
        see=("options", "variants", "start", "bot"),
    ),
    CommandSpec(
        verb="join",
        group=Group.LOBBY,
        where=Where.LOBBY,
        changes=True,
        summary="sit down at a table",
        parameters=(_TABLE,),
        options=(_TABLE_PASSWORD,),
        instead=("sit", "enter"),
        help=(
            "Takes the first free seat at a table whose match has not begun. You can sit at one table at a time.",
        ),
        examples=(
            Example(line="join t12", does="sits down at table t12"),
            Example(line="join t12 password=sesame", does="sits down at a private table"),
        ),
        see=("tables", "ready", "watch"),
    ),
    CommandSpec(
        verb="seek",
        group=Group.LOBBY,
        where=Where.LOBBY,
        changes=True,
        summary="sit down at the first fitting table, or open one",
        parameters=(_VARIANT,),
        options=(_CLOCK, FILL, _LEVEL),
        rule_options=True,
        instead=("find", "quick"),
        help=(
            "Sits you down at the first open table that fits what you ask for. If there is none, a table is opened "
            "for you that starts by itself when it is full. Without seats=N it is for as few players as the rules "
            "allow, so that it starts soonest.",
            "With fill=SECONDS you wait no longer than that for people: then bots take the seats of your table that "
            "are still free. A table that somebody else has opened keeps to what its host said.",
        ),
        examples=(
            Example(line="seek six-card", does="plays six-card with whoever comes"),
            Example(line="seek cactus seats=2", does="finds one opponent for cactus"),
            Example(line="seek six-card seats=4 fill=30", does="plays with bots if nobody comes for 30 s"),
        ),
        see=("unseek", "tables", "create", "bot"),
    ),
    CommandSpec(
        verb="unseek",
        group=Group.LOBBY,
        where=Where.SEATED,
        changes=True,
        summary="stop seeking",
        help=("Leaves the table at which seek lets you wait, as long as its match has not begun.",),
        examples=(Example(line="unseek", does="no longer waits"),),
        see=("seek", "leave"),
    ),
    CommandSpec(
        verb="watch",
        group=Group.LOBBY,
        where=Where.NAMED,
        summary="watch a table",
        parameters=(_TABLE,),
        options=(_TABLE_PASSWORD,),
        instead=("spectate", "observe"),
        help=(
            "Shows you a table and everything that happens there, as somebody sees it who sits beside it: no "
            "face-down card. You can watch up to ten tables. A private table asks for the same password as for "
            "sitting down.",
        ),
        examples=(
            Example(line="watch t12", does="watches table t12"),
            Example(line="watch t12 password=sesame", does="watches a private table"),
        ),
        see=("unwatch", "tables", "chat"),
    ),
    CommandSpec(
        verb="unwatch",
        group=Group.LOBBY,
        where=Where.NAMED,
        summary="stop watching",
        parameters=(_ANY_TABLE,),
        help=("Stops watching the table you name, or all of them.",),
        examples=(
            Example(line="unwatch t12", does="stops watching table t12"),
            Example(line="unwatch", does="stops watching altogether"),
        ),
        see=("watch",),
    ),
    CommandSpec(
        verb="history",
        group=Group.PAST,
        where=Where.ANYWHERE,
        summary="list finished matches",
        parameters=(_ANY_TABLE,),
        instead=("matches",),
        help=(
            "Lists the matches that are over, yours or those of a table, the newest first: the winner first, with "
            "everybody's total as it was played. (left) and (gone) stand behind those who were not there at the end. "
            "history all lists the latest of everybody: a finished match is for all to read.",
        ),
        examples=(
            Example(line="history", does="lists your matches"),
            Example(line="history all", does="lists everybody's latest matches"),
            Example(line="history t12", does="lists the matches of table t12"),
        ),
        see=("record", "stats", "rated"),
    ),
    CommandSpec(
        verb="record",
        group=Group.PAST,
        where=Where.ANYWHERE,
        summary="get the full record of a finished match",
        parameters=(Parameter(name="match", kind=Kind.MATCH),),
        instead=("replay", "export"),
        help=(
            "Gives a finished match as JSON lines: every card, every decision, the seeds and the cuts. With it "
            "anybody can replay the match and check that it was dealt and played by the rules.",
        ),
        examples=(Example(line="record m7", does="prints the record of match m7"),),
        see=("history", "fair"),
    ),
    CommandSpec(
        verb="top",
        group=Group.PAST,
        where=Where.ANYWHERE,
        summary="show the ladder",
        parameters=(_ANY_VARIANT,),
        short=("ladder",),
        instead=("ranking", "ratings", "leaderboard", "highscore"),
        help=(
            "Shows the best players, of all rule sets or of one. In speech style, at a table, top alone says the "
            "top discard instead; ladder always means the ladder.",
        ),
        examples=(
            Example(line="top six-card", does="shows the ladder of six-card"),
            Example(line="ladder", does="shows the whole ladder"),
        ),
        see=("stats", "rated", "top-card"),
    ),
    CommandSpec(
        verb="stats",
        group=Group.PAST,
        where=Where.ANYWHERE,
        summary="show what a player has achieved",
        parameters=(Parameter(name="name", kind=Kind.PLAYER, optional=True),),
        instead=("finger", "profile", "rating"),
        help=(
            "Shows a player's matches by rule set, yours if you name nobody: how many, how many of them won, how many "
            "left (or ended with the house in the seat), and the best total and the average of the others. A match "
            "that all others have left is won.",
        ),
        examples=(Example(line="stats ann", does="shows what Ann has achieved"),),
        see=("top", "history"),
    ),
)
