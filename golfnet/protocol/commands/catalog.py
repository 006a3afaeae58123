"""Every command by its verb, and what a person may type instead of the whole verb.

Invariants: the verb that ``resolve`` returns for a word never depends on the table or the state of play. A prefix
that fits two commands is refused; short forms are deliberate exceptions, and ``help short`` lists them all.
"""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from msgspec import structs

from golfnet.engine.forms import alike, listed
from golfnet.protocol.commands.specs import CommandOption, CommandSpec, Group, Kind, Parameter, Where
from golfnet.protocol.errors import Code, Refused
from golfnet.protocol.lines import clean_text
from golfnet.protocol.names import LEVELS

_PARAMETERS: Final = {
    parameter.name: parameter
    for parameter in (
        Parameter("name", Kind.PLAYER),
        Parameter("who", Kind.OCCUPANT, label="SEAT|NAME"),
        Parameter("password", Kind.WORD, asked=True, secret=True),
        Parameter("old", Kind.WORD, asked=True, secret=True),
        Parameter("new", Kind.WORD, asked=True, secret=True),
        Parameter("token", Kind.WORD, secret=True),
        Parameter("which", Kind.WORD, label="N|others|all"),
        Parameter("variant", Kind.VARIANT),
        Parameter("full", Kind.WORD, label="full"),
        Parameter("bot", Kind.WORD, label="bot"),
        Parameter("level", Kind.LEVEL),
        Parameter("table", Kind.TABLE),
        Parameter("whose", Kind.TABLE, label="TABLE|all"),
        Parameter("seat", Kind.SEAT),
        Parameter("hex", Kind.DIGEST),
        Parameter("slot", Kind.SLOT),
        Parameter("slots", Kind.SLOT, label="SLOT", repeated=True),
        Parameter("position", Kind.POSITION),
        Parameter("positions", Kind.POSITION, label="POSITION", repeated=True),
        Parameter("first", Kind.POSITION, label="POSITION"),
        Parameter("second", Kind.POSITION, label="POSITION"),
        Parameter("discard", Kind.DISCARD, label="#N"),
        Parameter("until", Kind.WORD, label="hole"),
        Parameter("text", Kind.TEXT, rest=True),
        Parameter("state", Kind.SWITCH, label="on|off"),
        Parameter("match", Kind.MATCH),
        Parameter("hole", Kind.NUMBER),
        Parameter("hour", Kind.WORD),
        Parameter("topic", Kind.TOPIC, label="WORD", rest=True),
        Parameter("setting", Kind.SETTING, label="NAME"),
        Parameter("value", Kind.VALUE),
        Parameter("key", Kind.WORD),
        Parameter("pinged", Kind.TEXT, label="KEY", rest=True),
        Parameter("on", Kind.SWITCH, label="on"),
        Parameter("protocol", Kind.NUMBER, label="1"),
        Parameter("mark", Kind.WORD, label="WORD", secret=True),
        Parameter("more", Kind.WORD, label="table"),
    )
}


_OPTIONS: Final = {
    option.name: option
    for option in (
        CommandOption("name", "TEXT", "the name of the table, in quotes if it has spaces"),
        CommandOption("password", "WORD", "the password people need to join or watch", secret=True),
        CommandOption(
            "clock", "SECONDS", "time for each decision; 0 for no clock", words=("30", "60", "120", "0")
        ),
        CommandOption("pause", "SECONDS", "the longest pause between two holes", words=("5", "15", "60")),
        CommandOption(
            "fill",
            "SECONDS",
            "how long to wait before bots fill the free seats; off for never",
            words=("10", "30", "60", "off"),
        ),
        CommandOption("level", "LEVEL", "the level of those bots", words=LEVELS),
        CommandOption(
            "hints",
            "on|off",
            "whether players may ask for a hint, if the match is not rated",
            words=("on", "off"),
        ),
        CommandOption(
            "wait",
            "on|off",
            "whether join waits in line for the next match; by default on for people, off for programs",
            words=("on", "off"),
        ),
        CommandOption(
            "style", "stage", "fill a big screen with the table, for people in text mode", words=("stage",)
        ),
        CommandOption("client", "NAME/VERSION", "the name of the program"),
        CommandOption("caps", "...", "what the program can do, separated by commas"),
    )
}


def command(form: str, summary: str, *, options: str = "", short: str = "", **traits: Any) -> CommandSpec:
    """Return a specification from a form such as ``slam position [discard]``: the verb and its parameters.

    Brackets make a parameter optional. ``options`` and ``short`` are separated by spaces; ``traits`` are other fields
    of the record.
    """
    verb, *names = form.split()
    parameters = [
        structs.replace(_PARAMETERS[name[1:-1]], optional=True) if name[0] == "[" else _PARAMETERS[name]
        for name in names
    ]
    return CommandSpec(
        verb,
        summary,
        parameters=tuple(parameters),
        options=tuple([_OPTIONS[name] for name in options.split()]),
        short=tuple(short.split()),
        **traits,
    )


_you: Final = partial(command, group=Group.YOU)
_identity: Final = partial(_you, where=Where.UNSEATED, before_name=True)
_account: Final = partial(_you, where=Where.NAMED, changes=True)
_lobby: Final = partial(command, group=Group.LOBBY)
_list: Final = partial(_lobby, where=Where.ANYWHERE)
_seat: Final = partial(_lobby, where=Where.LOBBY, changes=True)
_table: Final = partial(command, group=Group.TABLE, where=Where.SEATED, changes=True)
_host: Final = partial(_table, where=Where.HOST)
_play: Final = partial(command, group=Group.PLAY, where=Where.SEATED, changes=True, frequent=True)
_talk: Final = partial(command, group=Group.TALK, where=Where.NAMED)
_chat: Final = partial(_talk, is_chat=True)
_ask: Final = partial(command, group=Group.ASK, where=Where.TABLE)
_spoken: Final = partial(_ask, text_only=True)
_past: Final = partial(command, group=Group.PAST, where=Where.ANYWHERE)
_connection: Final = partial(command, group=Group.CONNECTION, where=Where.ANYWHERE)
_program: Final = partial(_connection, for_programs=True, abbreviated=False)

_COMMANDS: Final = (
    _identity(
        "name name",
        "take a name, as a guest",
        where=Where.STRANGER,
        changes=True,
        short="n",
        instead="nick nickname guest user",
    ),
    _identity("login name password", "log in to your account", instead="connect signin"),
    _account("register password", "register your name, with a password", instead="signup"),
    _account(
        "passwd old new",
        "change your password and sign out everywhere else",
        abbreviated=False,
        instead="password",
    ),
    _identity("resume token", "come back with your token", instead="reconnect token"),
    _you("sessions", "list where you are signed in", where=Where.NAMED),
    _account(
        "logout [which]",
        "sign out here, or on your other machines",
        abbreviated=False,
        instead="signout logoff",
    ),
    _identity(
        "quit",
        "close the connection; your seat is kept for a while",
        where=Where.ANYWHERE,
        instead="exit bye disconnect stop",
    ),
    _list("tables", "list the tables", instead="list ls open"),
    _list("who", "list who is here", short="w", instead="players users names"),
    _list("variants", "list the rule sets", short="v", instead="rulesets modes types"),
    _list(
        "rules [variant] [full]", "read the rules of a rule set, in short or in full", instead="howto manual"
    ),
    _seat(
        "create variant",
        "open a table and sit down at it",
        options="name password clock pause fill level hints",
        rule_options=True,
        short="c",
        instead="new make",
    ),
    _seat(
        "play [variant] [bot]",
        "play with whoever is here, or else with a bot",
        options="clock fill level",
        rule_options=True,
    ),
    _seat("join table", "sit down at a table", options="password wait", instead="sit enter"),
    _seat(
        "seek variant",
        "play with anyone: join a table, or open one",
        options="clock fill level",
        rule_options=True,
        instead="find quick",
    ),
    _lobby("unseek", "stop seeking", where=Where.SEATED, changes=True),
    _lobby(
        "watch table",
        "watch a table",
        where=Where.NAMED,
        options="password style",
        instead="spectate observe",
    ),
    _lobby("unwatch [table]", "stop watching", where=Where.NAMED),
    _table(
        "look [table]",
        "show the table again",
        where=Where.TABLE,
        changes=False,
        short="l",
        instead="view show cards refresh status",
    ),
    _table("ready", "say that you are ready to begin", short="r", instead="go next deal"),
    _host("start", "start the match without waiting for more players", instead="begin"),
    _table("rematch", "play another match at the same table", instead="restart"),
    _host(
        "bot [level]", "add a bot, or let bots fill the free seats later", options="fill", instead="addbot ai"
    ),
    _table("invite name", "invite a player to your table", changes=False, is_chat=True, instead="ask"),
    _host("kick who", "remove a player, a bot or a watcher", instead="remove"),
    _host("host who", "make another player the host of the table"),
    _table(
        "seat seat name",
        "let somebody else play for a player who is away",
        is_chat=True,
        instead="substitute sub",
    ),
    _table("leave", "give up your seat, or your place in line", where=Where.TABLE, instead="stand part"),
    _table("cut text", "add your own words to the next shuffle", instead="shuffle"),
    _table("seal [hex]", "add secret words to the next shuffle"),
    _play("peek positions", "look at face-down cards", instead="spy peep"),
    _play("flip slots", "turn up one or more of your own cards", short="f", instead="turnup reveal"),
    _play("draw", "draw the top card of the stock", short="d", instead="pick stock hit"),
    _play("take [slot]", "take the top card of the discard pile", short="t", instead="grab pickup"),
    _play(
        "swap slot", "put the card you hold into a slot", short="s", instead="replace place put keep exchange"
    ),
    _play("discard", "discard the card you have drawn", short="x", instead="drop throw refuse reject"),
    _play("knock", "end the hole: the others have one more turn each", short="k", instead="cactus close"),
    _play("pass [until]", "do not turn up a card, or do not slam", short="p", instead="skip fold"),
    _play("switch first second", "use a power to exchange two face-down cards unseen"),
    _play("decline", "do not use a power", instead="no nothing"),
    _play(
        "slam position [discard]",
        "throw a face-down card of the same rank as the discard",
        short="!",
        instead="slap snap match",
    ),
    _play("give slot", "give a card to somebody whose card you slammed", short="g"),
    _chat("say text", "say something at your table", where=Where.TABLE, short="' \"", instead="chat talk"),
    _chat("tell name text", "say something to one player", instead="whisper msg page privmsg"),
    _chat("shout text", "say something to everybody in the lobby", instead="yell gossip lobby"),
    _talk("mute [name] [state]", "stop seeing what a player says", instead="ignore squelch unmute"),
    _talk("noplay [name] [state]", "never play with a player", abbreviated=False, instead="block avoid"),
    _spoken("hand", "say what your cards are", instead="mine layout"),
    _spoken("top-card", "say what the top card of the discard pile is", abbreviated=False),
    _spoken("turn", "say whose turn it is and what you can do now", instead="whose actions"),
    _spoken("score", "say the scores so far", instead="scores points totals"),
    _spoken("last", "say what happened last", where=Where.ANYWHERE),
    _spoken("again", "repeat what you were told last", where=Where.ANYWHERE, instead="repeat"),
    _ask(
        "hint",
        "say what a good bot would do in your place, and why",
        where=Where.SEATED,
        abbreviated=False,
        instead="coach advice tip suggest best",
    ),
    _ask(
        "moves [table]",
        "list the moves of this hole, or of the last one",
        abbreviated=False,
        short="mo",
        instead="move sofar",
    ),
    _ask("log", "show how the slams of the last hole were judged", abbreviated=False),
    _past("history [whose]", "list finished matches", instead="matches"),
    _past("record match", "get the full record of a finished match", instead="export"),
    _past(
        "replay [match] [hole]", "retell a finished match, hole by hole", instead="oldmoves examine retell"
    ),
    _past(
        "top [variant]", "show the ladder", short="ladder", instead="ranking ratings leaderboard highscore"
    ),
    _past(
        "evening [hour]",
        "show who won how much this evening, or since a given hour",
        instead="scoreboard tonight standings",
    ),
    _past("stats [name]", "show a player's results", instead="finger profile rating"),
    _connection(
        "help [topic]",
        "explain a command, a topic or an error code",
        short="h ? he",
        instead="man commands info usage",
    ),
    _connection(
        "set [setting] [value]",
        "see or change how things are shown to you",
        instead="config settings option options",
    ),
    _connection("version", "show the version of the server", instead="about"),
    _connection("ping [key]", "check that the server answers", before_name=True, frequent=True),
    _program("telnet on", "use telnet on this connection"),
    _program(
        "hello protocol",
        "switch to machine mode, for programs",
        options="client caps",
        open_options=True,
        short="hi hey",
    ),
    _program("objects mark [more]", "get answers as objects as well as text, for programs", text_only=True),
    _program("pong [pinged]", "answer a ping from the server, for programs"),
)

COMMANDS: Final[Mapping[str, CommandSpec]] = MappingProxyType({spec.verb: spec for spec in _COMMANDS})
"""Every command by its verb, in the order in which they are listed."""

SHORT_FORMS: Final[Mapping[str, str]] = MappingProxyType(
    {short: spec.verb for spec in COMMANDS.values() for short in spec.short}
)
"""Verbs by their short forms, which only text mode accepts."""

SIGNS: Final = frozenset(short for short in SHORT_FORMS if not short.isalnum())
"""Short forms that need no space after them."""


def resolve(word: str, *, machine: bool) -> CommandSpec:
    """Return the command for the first word of a line.

    Machine mode accepts whole verbs, text mode also short forms and unambiguous prefixes. Raise ``Refused`` with the
    nearest verb or, for an ambiguous prefix, all verbs that begin with it.
    """
    verb = word.lower()
    fitting = () if machine and verb not in COMMANDS else _MEANINGS.get(verb, ())
    if len(fitting) > 1:
        why = f"{verb} could be {listed(fitting, 'or')}. Type more of the word."
    elif not fitting:
        near = _nearest(verb)
        hint = f"Did you mean {near}?" if near else _HINTS.get(verb, "Type help for a list of commands.")
        why = f"There is no command {quoted(word)}. {hint}"
    elif machine and COMMANDS[verb].text_only:
        why = f"{verb} is only for people in text mode; look gives a program the whole view."
    else:
        return COMMANDS[fitting[0]]
    raise Refused(Code.UNKNOWN_VERB, why)


def verbs_of(group: Group) -> tuple[str, ...]:
    """Return the verbs of one group."""
    return tuple([spec.verb for spec in COMMANDS.values() if spec.group is group])


def _nearest(word: str) -> str | None:
    """Return the most likely verb for a mistyped or unknown word, or None if none is close."""
    near = [] if len(word) > _LONGEST else alike(word, COMMANDS, cutoff=0.66)
    return _INSTEAD.get(word, near[0] if near else None)


def quoted(word: str) -> str:
    """Return a peer's text in quotes, short and clean enough to be shown in a sentence."""
    shown = clean_text(word)
    return f"'{shown[:_SHOWN]}...'" if len(shown) > _SHOWN else f"'{shown}'"


def shortest(spec: CommandSpec) -> str:
    """Return the shortest word that text mode accepts for a command."""
    words = [word for word, verbs in _MEANINGS.items() if verbs == (spec.verb,) and word not in SIGNS]
    return min(words, key=len)


def _meanings() -> Mapping[str, tuple[str, ...]]:
    """Return the verbs that each word can mean: its own if it is a verb or a short form, or else all it begins."""
    fitting: dict[str, tuple[str, ...]] = {}
    for spec in COMMANDS.values():
        for length in range(1, len(spec.verb)) if spec.abbreviated else ():
            beginning = spec.verb[:length]
            fitting[beginning] = (*fitting.get(beginning, ()), spec.verb)
    return (
        fitting
        | {short: (verb,) for short, verb in SHORT_FORMS.items()}
        | {verb: (verb,) for verb in COMMANDS}
    )


_MEANINGS: Final = _meanings()
_INSTEAD: Final = {
    word: spec.verb for spec in COMMANDS.values() for word in (*spec.instead.split(), *spec.short)
}
_HINTS: Final = {"undo": "A card that is played stays played."}
_LONGEST: Final = 20  # A longer word is not a mistyped verb, and comparing long words is slow.
_SHOWN: Final = 24
