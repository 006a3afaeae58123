"""The commands that need no table: names and accounts, finding a table, finished matches, and the connection."""

from functools import partial
from typing import Final

from golfnet.protocol.commands.specs import CommandOption, CommandSpec, Group, Kind, Parameter, Where
from golfnet.protocol.names import LEVELS

_you: Final = partial(CommandSpec, group=Group.YOU)
_lobby: Final = partial(CommandSpec, group=Group.LOBBY)
_past: Final = partial(CommandSpec, group=Group.PAST, where=Where.ANYWHERE)
_connection: Final = partial(CommandSpec, group=Group.CONNECTION, where=Where.ANYWHERE)

_NAME: Final = Parameter("name", Kind.PLAYER)
_PASSWORD: Final = Parameter("password", Kind.WORD, asked=True, secret=True)
_VARIANT: Final = Parameter("variant", Kind.VARIANT)
_ANY_VARIANT: Final = Parameter("variant", Kind.VARIANT, optional=True)
_TABLE: Final = Parameter("table", Kind.TABLE)
_ANY_TABLE: Final = Parameter("table", Kind.TABLE, optional=True)
_ANY_TABLE_OR_ALL: Final = Parameter("table", Kind.TABLE, label="TABLE|all", optional=True)

_TABLE_NAME: Final = CommandOption("name", "TEXT", "the name of the table, in quotes if it has spaces")
_TABLE_PASSWORD: Final = CommandOption(
    "password", "WORD", "the password people need to join or watch", secret=True
)
_CLOCK: Final = CommandOption(
    "clock", "SECONDS", "time for each decision; 0 for no clock", words=("30", "60", "120", "0")
)
_PAUSE: Final = CommandOption(
    "pause", "SECONDS", "the longest pause between two holes", words=("5", "15", "60")
)
FILL: Final = CommandOption(
    "fill",
    "SECONDS",
    "how long to wait before bots fill the free seats; off for never",
    words=("10", "30", "60", "off"),
)
_HINTS: Final = CommandOption(
    "hints", "on|off", "whether players may ask for a hint, if the match is not rated", words=("on", "off")
)
_LEVEL: Final = CommandOption("level", "LEVEL", "the level of those bots", words=LEVELS)

LOBBY_VERBS: Final = (
    _you(
        "name",
        "take a name, as a guest",
        where=Where.STRANGER,
        parameters=(_NAME,),
        changes=True,
        before_name=True,
        short=("n",),
        instead="nick nickname guest user",
    ),
    _you(
        "login",
        "log in to your account",
        where=Where.UNSEATED,
        parameters=(_NAME, _PASSWORD),
        before_name=True,
        instead="connect signin",
    ),
    _you(
        "register",
        "register your name, with a password",
        where=Where.NAMED,
        parameters=(_PASSWORD,),
        changes=True,
        instead="signup",
    ),
    _you(
        "passwd",
        "change your password and sign out everywhere else",
        where=Where.NAMED,
        parameters=(
            Parameter("old", Kind.WORD, asked=True, secret=True),
            Parameter("new", Kind.WORD, asked=True, secret=True),
        ),
        changes=True,
        abbreviated=False,
        instead="password",
    ),
    _you(
        "resume",
        "come back with your token",
        where=Where.UNSEATED,
        parameters=(Parameter("token", Kind.WORD, secret=True),),
        before_name=True,
        instead="reconnect token",
    ),
    _you("sessions", "list where you are signed in", where=Where.NAMED),
    _you(
        "logout",
        "sign out here, or on your other machines",
        where=Where.NAMED,
        parameters=(Parameter("which", Kind.WORD, label="N|others|all", optional=True),),
        changes=True,
        abbreviated=False,
        instead="signout logoff",
    ),
    _you(
        "quit",
        "close the connection; your seat is kept for a while",
        where=Where.ANYWHERE,
        before_name=True,
        instead="exit bye disconnect stop",
    ),
    _lobby("tables", "list the tables", where=Where.ANYWHERE, instead="list ls open"),
    _lobby("who", "list who is here", where=Where.ANYWHERE, short=("w",), instead="players users names"),
    _lobby(
        "variants", "list the rule sets", where=Where.ANYWHERE, short=("v",), instead="rulesets modes types"
    ),
    _lobby(
        "rules",
        "read the rules of a rule set, in short or in full",
        where=Where.ANYWHERE,
        parameters=(_ANY_VARIANT, Parameter("full", Kind.WORD, label="full", optional=True)),
        instead="howto manual",
    ),
    _lobby(
        "create",
        "open a table and sit down at it",
        where=Where.LOBBY,
        parameters=(_VARIANT,),
        options=(_TABLE_NAME, _TABLE_PASSWORD, _CLOCK, _PAUSE, FILL, _LEVEL, _HINTS),
        rule_options=True,
        changes=True,
        short=("c",),
        instead="new make",
    ),
    _lobby(
        "play",
        "play with whoever is here, or else with a bot",
        where=Where.LOBBY,
        parameters=(_ANY_VARIANT, Parameter("bot", Kind.WORD, label="bot", optional=True)),
        options=(_CLOCK, FILL, _LEVEL),
        rule_options=True,
        changes=True,
    ),
    _lobby(
        "join",
        "sit down at a table",
        where=Where.LOBBY,
        parameters=(_TABLE,),
        options=(
            _TABLE_PASSWORD,
            CommandOption(
                "wait",
                "on|off",
                "whether join waits in line for the next match; by default on for people, off for programs",
                words=("on", "off"),
            ),
        ),
        changes=True,
        instead="sit enter",
    ),
    _lobby(
        "seek",
        "play with anyone: join a table, or open one",
        where=Where.LOBBY,
        parameters=(_VARIANT,),
        options=(_CLOCK, FILL, _LEVEL),
        rule_options=True,
        changes=True,
        instead="find quick",
    ),
    _lobby("unseek", "stop seeking", where=Where.SEATED, changes=True),
    _lobby(
        "watch",
        "watch a table",
        where=Where.NAMED,
        parameters=(_TABLE,),
        options=(
            _TABLE_PASSWORD,
            CommandOption(
                "style",
                "stage",
                "fill a big screen with the table, for people in text mode",
                words=("stage",),
            ),
        ),
        instead="spectate observe",
    ),
    _lobby("unwatch", "stop watching", where=Where.NAMED, parameters=(_ANY_TABLE,)),
    _past("history", "list finished matches", parameters=(_ANY_TABLE_OR_ALL,), instead="matches"),
    _past(
        "record",
        "get the full record of a finished match",
        parameters=(Parameter("match", Kind.MATCH),),
        instead="export",
    ),
    _past(
        "replay",
        "retell a finished match, hole by hole",
        parameters=(
            Parameter("match", Kind.MATCH, optional=True),
            Parameter("hole", Kind.NUMBER, optional=True),
        ),
        instead="oldmoves examine retell",
    ),
    _past(
        "top",
        "show the ladder",
        parameters=(_ANY_VARIANT,),
        short=("ladder",),
        instead="ranking ratings leaderboard highscore",
    ),
    _past(
        "evening",
        "show who won how much this evening, or since a given hour",
        parameters=(Parameter("hour", Kind.WORD, label="HOUR", optional=True),),
        instead="scoreboard tonight standings",
    ),
    _past(
        "stats",
        "show a player's results",
        parameters=(Parameter("name", Kind.PLAYER, optional=True),),
        instead="finger profile rating",
    ),
    _connection(
        "help",
        "explain a command, a topic or an error code",
        parameters=(Parameter("word", Kind.TOPIC, optional=True, rest=True),),
        short=("h", "?", "he"),
        instead="man commands info usage",
    ),
    _connection(
        "set",
        "see or change how things are shown to you",
        parameters=(
            Parameter("name", Kind.SETTING, optional=True),
            Parameter("value", Kind.VALUE, optional=True),
        ),
        instead="config settings option options",
    ),
    _connection("version", "show the version of the server", instead="about"),
    _connection(
        "ping",
        "check that the server answers",
        parameters=(Parameter("key", Kind.WORD, optional=True),),
        before_name=True,
        frequent=True,
    ),
    _connection(
        "telnet",
        "use telnet on this connection",
        parameters=(Parameter("state", Kind.SWITCH, label="on"),),
        for_programs=True,
        abbreviated=False,
    ),
    _connection(
        "hello",
        "switch to machine mode, for programs",
        parameters=(Parameter("protocol", Kind.NUMBER, label="1"),),
        options=(
            CommandOption("client", "NAME/VERSION", "the name of the program"),
            CommandOption("caps", "...", "what the program can do, separated by commas"),
        ),
        open_options=True,
        for_programs=True,
        abbreviated=False,
        short=("hi", "hey"),
    ),
    _connection(
        "objects",
        "get answers as objects as well as text, for programs",
        parameters=(
            Parameter("word", Kind.WORD, secret=True),
            Parameter("more", Kind.WORD, label="table", optional=True),
        ),
        for_programs=True,
        text_only=True,
        abbreviated=False,
    ),
    _connection(
        "pong",
        "answer a ping from the server, for programs",
        parameters=(Parameter("key", Kind.TEXT, optional=True, rest=True),),
        for_programs=True,
        abbreviated=False,
    ),
)
