"""The commands that need no table: names and accounts, finding a table, finished matches, and the connection."""

from functools import partial
from typing import Final

from golfnet.protocol.commands.specs import CommandOption, CommandSpec, Group, Kind, Parameter, Where
from golfnet.protocol.names import LEVELS

_you: Final = partial(CommandSpec, group=Group.YOU)
_lobby: Final = partial(CommandSpec, group=Group.LOBBY)
_past: Final = partial(CommandSpec, group=Group.PAST, where=Where.ANYWHERE)
_connection: Final = partial(CommandSpec, group=Group.CONNECTION, where=Where.ANYWHERE)

_NAME: Final = Parameter(name="name", kind=Kind.PLAYER)
_PASSWORD: Final = Parameter(name="password", kind=Kind.WORD, asked=True, secret=True)
_VARIANT: Final = Parameter(name="variant", kind=Kind.VARIANT)
_ANY_VARIANT: Final = Parameter(name="variant", kind=Kind.VARIANT, optional=True)
_TABLE: Final = Parameter(name="table", kind=Kind.TABLE)
_ANY_TABLE: Final = Parameter(name="table", kind=Kind.TABLE, optional=True)
_ANY_TABLE_OR_ALL: Final = Parameter(name="table", kind=Kind.TABLE, label="TABLE|all", optional=True)

_TABLE_NAME: Final = CommandOption(
    name="name", label="TEXT", meaning="the name of the table, in quotes if it has spaces"
)
_TABLE_PASSWORD: Final = CommandOption(
    name="password", label="WORD", meaning="the password people need to join or watch", secret=True
)
_CLOCK: Final = CommandOption(
    name="clock",
    label="SECONDS",
    meaning="time for each decision; 0 for no clock",
    words=("30", "60", "120", "0"),
)
_PAUSE: Final = CommandOption(
    name="pause",
    label="SECONDS",
    meaning="the longest pause between two holes",
    words=("5", "15", "60"),
)
FILL: Final = CommandOption(
    name="fill",
    label="SECONDS",
    meaning="how long to wait before bots fill the free seats; off for never",
    words=("10", "30", "60", "off"),
)
_HINTS: Final = CommandOption(
    name="hints",
    label="on|off",
    meaning="whether players may ask for a hint, if the match is not rated",
    words=("on", "off"),
)
_LEVEL: Final = CommandOption(name="level", label="LEVEL", meaning="the level of those bots", words=LEVELS)

LOBBY_VERBS: Final = (
    _you(
        verb="name",
        where=Where.STRANGER,
        summary="take a name, as a guest",
        parameters=(_NAME,),
        changes=True,
        before_name=True,
        short=("n",),
        instead=("nick", "nickname", "guest", "user"),
    ),
    _you(
        verb="login",
        where=Where.UNSEATED,
        summary="log in to your account",
        parameters=(_NAME, _PASSWORD),
        before_name=True,
        instead=("connect", "signin"),
    ),
    _you(
        verb="register",
        where=Where.NAMED,
        summary="register your name, with a password",
        parameters=(_PASSWORD,),
        changes=True,
        instead=("signup",),
    ),
    _you(
        verb="passwd",
        where=Where.NAMED,
        summary="change your password and sign out everywhere else",
        parameters=(
            Parameter(name="old", kind=Kind.WORD, asked=True, secret=True),
            Parameter(name="new", kind=Kind.WORD, asked=True, secret=True),
        ),
        changes=True,
        abbreviated=False,
        instead=("password",),
    ),
    _you(
        verb="resume",
        where=Where.UNSEATED,
        summary="come back with your token",
        parameters=(Parameter(name="token", kind=Kind.WORD, secret=True),),
        before_name=True,
        instead=("reconnect", "token"),
    ),
    _you(verb="sessions", where=Where.NAMED, summary="list where you are signed in"),
    _you(
        verb="logout",
        where=Where.NAMED,
        summary="sign out here, or on your other machines",
        parameters=(Parameter(name="which", kind=Kind.WORD, label="N|others|all", optional=True),),
        changes=True,
        abbreviated=False,
        instead=("signout", "logoff"),
    ),
    _you(
        verb="quit",
        where=Where.ANYWHERE,
        summary="close the connection; your seat is kept for a while",
        before_name=True,
        instead=("exit", "bye", "disconnect", "stop"),
    ),
    _lobby(verb="tables", where=Where.ANYWHERE, summary="list the tables", instead=("list", "ls", "open")),
    _lobby(
        verb="who",
        where=Where.ANYWHERE,
        summary="list who is here",
        short=("w",),
        instead=("players", "users", "names"),
    ),
    _lobby(
        verb="variants",
        where=Where.ANYWHERE,
        summary="list the rule sets",
        short=("v",),
        instead=("rulesets", "modes", "types"),
    ),
    _lobby(
        verb="rules",
        where=Where.ANYWHERE,
        summary="read the rules of a rule set, in short or in full",
        parameters=(_ANY_VARIANT, Parameter(name="full", kind=Kind.WORD, label="full", optional=True)),
        instead=("howto", "manual"),
    ),
    _lobby(
        verb="create",
        where=Where.LOBBY,
        summary="open a table and sit down at it",
        parameters=(_VARIANT,),
        options=(_TABLE_NAME, _TABLE_PASSWORD, _CLOCK, _PAUSE, FILL, _LEVEL, _HINTS),
        rule_options=True,
        changes=True,
        short=("c",),
        instead=("new", "make"),
    ),
    _lobby(
        verb="play",
        where=Where.LOBBY,
        summary="play with whoever is here, or else with a bot",
        parameters=(_ANY_VARIANT, Parameter(name="bot", kind=Kind.WORD, label="bot", optional=True)),
        options=(_CLOCK, FILL, _LEVEL),
        rule_options=True,
        changes=True,
    ),
    _lobby(
        verb="join",
        where=Where.LOBBY,
        summary="sit down at a table",
        parameters=(_TABLE,),
        options=(
            _TABLE_PASSWORD,
            CommandOption(
                name="wait",
                label="on|off",
                meaning="whether join waits in line for the next match; by default on for people, off for programs",
                words=("on", "off"),
            ),
        ),
        changes=True,
        instead=("sit", "enter"),
    ),
    _lobby(
        verb="seek",
        where=Where.LOBBY,
        summary="play with anyone: join a table, or open one",
        parameters=(_VARIANT,),
        options=(_CLOCK, FILL, _LEVEL),
        rule_options=True,
        changes=True,
        instead=("find", "quick"),
    ),
    _lobby(verb="unseek", where=Where.SEATED, summary="stop seeking", changes=True),
    _lobby(
        verb="watch",
        where=Where.NAMED,
        summary="watch a table",
        parameters=(_TABLE,),
        options=(
            _TABLE_PASSWORD,
            CommandOption(
                name="style",
                label="stage",
                meaning="fill a big screen with the table, for people in text mode",
                words=("stage",),
            ),
        ),
        instead=("spectate", "observe"),
    ),
    _lobby(verb="unwatch", where=Where.NAMED, summary="stop watching", parameters=(_ANY_TABLE,)),
    _past(
        verb="history", summary="list finished matches", parameters=(_ANY_TABLE_OR_ALL,), instead=("matches",)
    ),
    _past(
        verb="record",
        summary="get the full record of a finished match",
        parameters=(Parameter(name="match", kind=Kind.MATCH),),
        instead=("export",),
    ),
    _past(
        verb="replay",
        summary="retell a finished match, hole by hole",
        parameters=(
            Parameter(name="match", kind=Kind.MATCH, optional=True),
            Parameter(name="hole", kind=Kind.NUMBER, optional=True),
        ),
        instead=("oldmoves", "examine", "retell"),
    ),
    _past(
        verb="top",
        summary="show the ladder",
        parameters=(_ANY_VARIANT,),
        short=("ladder",),
        instead=("ranking", "ratings", "leaderboard", "highscore"),
    ),
    _past(
        verb="evening",
        summary="show who won how much this evening, or since a given hour",
        parameters=(Parameter(name="hour", kind=Kind.WORD, label="HOUR", optional=True),),
        instead=("scoreboard", "tonight", "standings"),
    ),
    _past(
        verb="stats",
        summary="show a player's results",
        parameters=(Parameter(name="name", kind=Kind.PLAYER, optional=True),),
        instead=("finger", "profile", "rating"),
    ),
    _connection(
        verb="help",
        summary="explain a command, a topic or an error code",
        parameters=(Parameter(name="word", kind=Kind.TOPIC, optional=True, rest=True),),
        short=("h", "?", "he"),
        instead=("man", "commands", "info", "usage"),
    ),
    _connection(
        verb="set",
        summary="see or change how things are shown to you",
        parameters=(
            Parameter(name="name", kind=Kind.SETTING, optional=True),
            Parameter(name="value", kind=Kind.VALUE, optional=True),
        ),
        instead=("config", "settings", "option", "options"),
    ),
    _connection(verb="version", summary="show the version of the server", instead=("about",)),
    _connection(
        verb="ping",
        summary="check that the server answers",
        parameters=(Parameter(name="key", kind=Kind.WORD, optional=True),),
        before_name=True,
        frequent=True,
    ),
    _connection(
        verb="telnet",
        summary="use telnet on this connection",
        parameters=(Parameter(name="state", kind=Kind.SWITCH, label="on"),),
        for_programs=True,
        abbreviated=False,
    ),
    _connection(
        verb="hello",
        summary="switch to machine mode, for programs",
        parameters=(Parameter(name="protocol", kind=Kind.NUMBER, label="1"),),
        options=(
            CommandOption(name="client", label="NAME/VERSION", meaning="the name of the program"),
            CommandOption(name="caps", label="...", meaning="what the program can do, separated by commas"),
        ),
        open_options=True,
        short=("hi", "hey"),
        for_programs=True,
        abbreviated=False,
    ),
    _connection(
        verb="objects",
        summary="get answers as objects as well as text, for programs",
        parameters=(
            Parameter(name="word", kind=Kind.WORD, secret=True),
            Parameter(name="more", kind=Kind.WORD, label="table", optional=True),
        ),
        for_programs=True,
        text_only=True,
        abbreviated=False,
    ),
    _connection(
        verb="pong",
        summary="answer a ping from the server, for programs",
        parameters=(Parameter(name="key", kind=Kind.TEXT, optional=True, rest=True),),
        for_programs=True,
        abbreviated=False,
    ),
)
