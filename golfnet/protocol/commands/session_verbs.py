"""The commands of a connection: who one is, help, and how things are shown."""

from typing import Final

from golfnet.protocol.commands.specs import CommandSpec, Example, Group, Kind, Option, Parameter, Where

_NAME: Final = Parameter(name="name", kind=Kind.PLAYER)
_PASSWORD: Final = Parameter(name="password", kind=Kind.WORD, asked=True, secret=True)

SESSION_VERBS: Final = (
    CommandSpec(
        verb="name",
        group=Group.YOU,
        where=Where.STRANGER,
        changes=True,
        before_name=True,
        summary="take a name and come in as a guest",
        parameters=(_NAME,),
        short=("n",),
        instead=("nick", "nickname", "guest", "user"),
        help=(
            "The first thing to type. A name is one word of letters and digits, up to 20 of them. You get a secret "
            "token with it: keep it, and resume TOKEN brings you back after a lost connection, from anywhere.",
            "As long as you have not sat down at a table there is nothing but the name to come back to: it is free "
            "again as soon as you quit, and ten minutes after a lost connection.",
        ),
        examples=(Example(line="name Ann", does="comes in as Ann"),),
        see=("resume", "register", "tables"),
    ),
    CommandSpec(
        verb="login",
        group=Group.YOU,
        where=Where.UNSEATED,
        before_name=True,
        summary="come in with your account",
        parameters=(_NAME, _PASSWORD),
        instead=("connect", "signin"),
        help=(
            "Comes in with a name that you have registered. Leave the password out and you are asked for it; where "
            "telnet is spoken it is then not shown. If you have a seat somewhere you are back in it. A guest name "
            "that you have on this connection is given up.",
            "Wrong passwords are counted. Where too many came you are told how long to wait, or yours is checked a "
            "while later; from a place where you were before, others cannot make it refused. resume TOKEN never "
            "waits.",
        ),
        examples=(Example(line="login Ann", does="asks for Ann's password"),),
        see=("register", "sessions", "coming back"),
    ),
    CommandSpec(
        verb="register",
        group=Group.YOU,
        where=Where.NAMED,
        changes=True,
        summary="make your name your own, with a password",
        parameters=(_PASSWORD,),
        instead=("signup",),
        help=(
            "Turns you from a guest into the owner of your name: nobody else can have it, and your matches count on "
            "the ladders under it. Leave the password out and you are asked for it. You get a new token; the one "
            "you had as a guest is void.",
        ),
        examples=(Example(line="register", does="asks for a new password"),),
        see=("login", "passwd", "stats"),
    ),
    CommandSpec(
        verb="passwd",
        group=Group.YOU,
        where=Where.NAMED,
        changes=True,
        summary="change your password, and sign out everywhere else",
        parameters=(
            Parameter(name="old", kind=Kind.WORD, asked=True, secret=True),
            Parameter(name="new", kind=Kind.WORD, asked=True, secret=True),
        ),
        abbreviated=False,
        instead=("password",),
        help=(
            "Changes the password of your account. Leave the words out and you are asked for them. All your tokens "
            "are void then, and you get a new one.",
        ),
        examples=(Example(line="passwd", does="asks for the old and the new password"),),
        see=("login", "register", "logout"),
    ),
    CommandSpec(
        verb="resume",
        group=Group.YOU,
        where=Where.UNSEATED,
        before_name=True,
        summary="come back with the token you were given",
        parameters=(Parameter(name="token", kind=Kind.WORD, secret=True),),
        instead=("reconnect", "token"),
        help=(
            "Comes back as the owner of the token: with your name, in your seat, at the very decision you left, "
            "with the card you held. A connection of yours that is still open is closed. If you have typed a new "
            "name on this connection already, that is no harm: it is given up.",
            "A guest who has stayed away for three months and is on no ladder is forgotten; register keeps a name "
            "for good.",
        ),
        examples=(Example(line="resume TOKEN", does="comes back; TOKEN is what name told you"),),
        see=("coming back", "name"),
    ),
    CommandSpec(
        verb="sessions",
        group=Group.YOU,
        where=Where.NAMED,
        summary="list where you are signed in",
        help=(
            "Lists your tokens, without showing them: when each was issued, and when and from where it was last used. "
            "Each login makes one, so that every machine you play from has its own; an account has up to 8 of them, "
            "and with one more, that used longest ago ends. logout ends them.",
        ),
        examples=(Example(line="sessions", does="lists where you are signed in"),),
        see=("logout", "passwd", "login"),
    ),
    CommandSpec(
        verb="logout",
        group=Group.YOU,
        where=Where.NAMED,
        changes=True,
        summary="end your token and your connection, or other tokens",
        parameters=(Parameter(name="which", kind=Kind.WORD, label="N|others|all", optional=True),),
        abbreviated=False,
        instead=("signout", "logoff"),
        help=(
            "logout alone ends the token that this connection came in with, and the connection: do it on a machine "
            "that others use. With the number of a session it ends that one, with others all but this one, with all "
            "every one. An account comes back with its password; a seat is kept as by quit.",
            "A guest who logs out cannot come back, and gives the name up for good.",
        ),
        examples=(
            Example(line="logout", does="signs you out here"),
            Example(line="logout 2", does="ends the session that sessions lists as 2"),
            Example(line="logout others", does="signs you out everywhere else"),
        ),
        see=("sessions", "quit", "passwd"),
    ),
    CommandSpec(
        verb="quit",
        group=Group.YOU,
        where=Where.ANYWHERE,
        before_name=True,
        summary="close the connection; your seat is kept for a while",
        instead=("exit", "bye", "disconnect"),
        help=(
            "Ends your connection. In a running match your seat is kept for a while; after that the house plays it "
            "until you are back. To give your seat up, say leave first.",
        ),
        examples=(Example(line="quit", does="closes the connection"),),
        see=("leave", "logout", "coming back"),
    ),
    CommandSpec(
        verb="help",
        group=Group.CONNECTION,
        where=Where.ANYWHERE,
        summary="explain a command, a topic or an error code",
        parameters=(Parameter(name="word", kind=Kind.TOPIC, optional=True, rest=True),),
        short=("h", "?", "he"),
        instead=("man", "commands", "info", "usage"),
        help=(
            "Explains a command, one of the topics that help lists, or the code of an error. help commands lists "
            "every command with a line about each.",
        ),
        examples=(
            Example(line="help", does="shows where to begin"),
            Example(line="help create", does="explains a command"),
            Example(line="? clock", does="explains a topic"),
            Example(line="help STALE", does="explains an error code"),
        ),
        see=("short", "rules"),
    ),
    CommandSpec(
        verb="set",
        group=Group.CONNECTION,
        where=Where.ANYWHERE,
        summary="see or change how things are shown to you",
        parameters=(
            Parameter(name="name", kind=Kind.SETTING, optional=True),
            Parameter(name="value", kind=Kind.VALUE, optional=True),
        ),
        instead=("config", "settings", "option", "options"),
        help=(
            "set alone lists your settings with their values, set NAME shows one, set NAME VALUE changes it. They "
            "last as long as your connection. Programs in machine mode have none.",
        ),
        examples=(
            Example(line="set style speech", does="for screen readers"),
            Example(line="set width 60", does="for a narrow window"),
            Example(line="set", does="lists your settings"),
        ),
        see=("styles",),
    ),
    CommandSpec(
        verb="version",
        group=Group.CONNECTION,
        where=Where.ANYWHERE,
        summary="say which server this is",
        instead=("about",),
        help=("Says the version of the server and of the protocol it speaks.",),
        examples=(Example(line="version", does="says the version"),),
        see=("machine",),
    ),
    CommandSpec(
        verb="ping",
        group=Group.CONNECTION,
        where=Where.ANYWHERE,
        before_name=True,
        frequent=True,
        summary="ask the server for a sign of life",
        parameters=(Parameter(name="key", kind=Kind.WORD, optional=True),),
        help=("The server answers at once, with the word you gave.",),
        examples=(Example(line="ping", does="is answered at once"),),
        see=("pong",),
    ),
    CommandSpec(
        verb="telnet",
        group=Group.CONNECTION,
        where=Where.ANYWHERE,
        for_programs=True,
        summary="let the server speak telnet to your program",
        parameters=(Parameter(name="state", kind=Kind.SWITCH, label="on"),),
        abbreviated=False,
        help=(
            "Asks the server to negotiate telnet options on this connection: passwords are then not shown, and the "
            "width of your window is known. Only for programs that speak telnet; nc does not.",
        ),
        examples=(Example(line="telnet on", does="begins to negotiate"),),
        see=("styles",),
    ),
    CommandSpec(
        verb="hello",
        group=Group.CONNECTION,
        where=Where.ANYWHERE,
        for_programs=True,
        summary="switch to machine mode, for programs",
        parameters=(Parameter(name="protocol", kind=Kind.NUMBER, label="1"),),
        options=(
            Option(name="client", label="NAME/VERSION", meaning="what program speaks"),
            Option(name="caps", label="...", meaning="what it can do, separated by commas"),
        ),
        open_options=True,
        abbreviated=False,
        help=(
            "For programs: from now on everything the server says is one JSON object a line, and commands have to "
            "be written out in full. If you are a person and wanted to be polite, use say hello.",
        ),
        examples=(Example(line="hello 1 client=mybot/0.3", does="switches to machine mode, protocol 1"),),
        see=("machine",),
    ),
    CommandSpec(
        verb="objects",
        group=Group.CONNECTION,
        where=Where.ANYWHERE,
        for_programs=True,
        summary="get the answers to your commands as objects beside the text, for programs",
        parameters=(
            Parameter(name="word", kind=Kind.WORD, secret=True),
            Parameter(name="more", kind=Kind.WORD, label="table", optional=True),
        ),
        abbreviated=False,
        text_only=True,
        help=(
            "For programs that show the text to a person and have to understand some answers, such as a token. From "
            "now on each ok, error and bye comes as an object of machine mode too, on a line that begins with WORD "
            "and a space, before its text. Such a line is never broken to a width.",
            "WORD has 16 to 64 letters, digits, - and _. A program draws it at random for each connection and shows "
            "it to nobody: so no text of other players can pass for an answer.",
            "With table behind the word the views, events and notices come as objects too, so that the program can "
            "seal cuts and check the deals.",
        ),
        examples=(
            Example(line="objects WORD", does="marks objects with WORD"),
            Example(line="objects WORD table", does="the same, with all that happens at the table"),
        ),
        see=("machine", "hello"),
    ),
    CommandSpec(
        verb="pong",
        group=Group.CONNECTION,
        where=Where.ANYWHERE,
        for_programs=True,
        summary="answer a ping of the server, for programs",
        parameters=(Parameter(name="key", kind=Kind.TEXT, optional=True, rest=True),),
        abbreviated=False,
        help=(
            "Answers the server's ping with its key, so that the server can measure how long your line takes. It is "
            "the one command that gets no answer. The one that answers a ping is free; any other counts as a command.",
        ),
        examples=(Example(line="pong 9f2c", does="answers the ping with the key 9f2c"),),
        see=("machine", "slam"),
    ),
)
