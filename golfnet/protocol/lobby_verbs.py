"""The commands of the lobby: names, finding a table, what was played, and the connection itself."""

from typing import Final

from golfnet.protocol.specs import CommandSpec, Example, Group, Kind, Option, Parameter, Where

_VARIANT: Final = Parameter(name="variant", kind=Kind.VARIANT)
_ANY_VARIANT: Final = Parameter(name="variant", kind=Kind.VARIANT, optional=True)
_TABLE: Final = Parameter(name="table", kind=Kind.TABLE)
_ANY_TABLE: Final = Parameter(name="table", kind=Kind.TABLE, optional=True)
_NAME: Final = Parameter(name="name", kind=Kind.PLAYER)
_PASSWORD: Final = Parameter(name="password", kind=Kind.WORD, asked=True, secret=True)

_CLOCK: Final = Option(
    name="clock",
    label="SECONDS",
    meaning="how long a decision may take; 0 for no clock",
    words=("30", "60", "120", "0"),
)
_TABLE_PASSWORD: Final = Option(
    name="password", label="WORD", meaning="what one has to know to sit down", secret=True
)

LOBBY_VERBS: Final = (
    CommandSpec(
        verb="name",
        group=Group.YOU,
        where=Where.ANYWHERE,
        summary="take a name and come in as a guest",
        parameters=(_NAME,),
        short=("n",),
        instead=("nick", "nickname", "guest", "user"),
        help=(
            "The first thing to type. A name is one word of letters and digits, up to 20 of them. You get a secret "
            "token with it: keep it, and resume TOKEN brings you back after a lost connection, from anywhere.",
        ),
        examples=(Example(line="name Ann", does="comes in as Ann"),),
        see=("resume", "register", "tables"),
    ),
    CommandSpec(
        verb="login",
        group=Group.YOU,
        where=Where.ANYWHERE,
        summary="come in with your account",
        parameters=(_NAME, _PASSWORD),
        instead=("connect", "signin"),
        help=(
            "Comes in with a name that you have registered. Leave the password out and you are asked for it; where "
            "telnet is spoken it is then not shown. If you have a seat somewhere you are back in it.",
        ),
        examples=(Example(line="login Ann", does="asks for Ann's password"),),
        see=("register", "coming back"),
    ),
    CommandSpec(
        verb="register",
        group=Group.YOU,
        where=Where.NAMED,
        summary="make your name your own, with a password",
        parameters=(_PASSWORD,),
        instead=("signup",),
        help=(
            "Turns you from a guest into the owner of your name: nobody else can have it, and your matches count on "
            "the ladders under it. Leave the password out and you are asked for it.",
        ),
        examples=(Example(line="register", does="asks for a new password"),),
        see=("login", "passwd", "stats"),
    ),
    CommandSpec(
        verb="passwd",
        group=Group.YOU,
        where=Where.NAMED,
        summary="change your password",
        parameters=(
            Parameter(name="old", kind=Kind.WORD, asked=True, secret=True),
            Parameter(name="new", kind=Kind.WORD, asked=True, secret=True),
        ),
        abbreviated=False,
        instead=("password",),
        help=("Changes the password of your account. Leave the words out and you are asked for them.",),
        examples=(Example(line="passwd", does="asks for the old and the new password"),),
        see=("login", "register"),
    ),
    CommandSpec(
        verb="resume",
        group=Group.YOU,
        where=Where.ANYWHERE,
        summary="come back with the token you were given",
        parameters=(Parameter(name="token", kind=Kind.WORD, secret=True),),
        instead=("reconnect", "token"),
        help=(
            "Comes back as the owner of the token: with your name, in your seat, at the very decision you left, "
            "with the card you held. A connection of yours that is still open is closed.",
        ),
        examples=(Example(line="resume TOKEN", does="comes back; TOKEN is what name told you"),),
        see=("coming back", "name"),
    ),
    CommandSpec(
        verb="quit",
        group=Group.YOU,
        where=Where.ANYWHERE,
        summary="close the connection; your seat is kept for a while",
        instead=("exit", "bye", "logout", "logoff", "disconnect"),
        help=(
            "Ends your connection. In a running match your seat is kept for a while; after that the house plays it "
            "until you are back. To give your seat up, say leave first.",
        ),
        examples=(Example(line="quit", does="closes the connection"),),
        see=("leave", "coming back"),
    ),
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
        ),
        rule_options=True,
        short=("c",),
        instead=("new", "make", "play"),
        help=(
            "Opens a table for a rule set, with you as its host. Without seats=N it has the most seats the rules "
            "allow, and you say start when enough have come. With a password only those who know it can sit down; "
            "everybody can still watch.",
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
        summary="sit down at the first fitting table, or open one",
        parameters=(_VARIANT,),
        options=(_CLOCK,),
        rule_options=True,
        instead=("find", "quick"),
        help=(
            "Sits you down at the first open table that fits what you ask for. If there is none, a table is opened "
            "for you that starts by itself when it is full.",
        ),
        examples=(
            Example(line="seek six-card", does="plays six-card with whoever comes"),
            Example(line="seek cactus seats=2", does="finds one opponent for cactus"),
        ),
        see=("unseek", "tables", "create"),
    ),
    CommandSpec(
        verb="unseek",
        group=Group.LOBBY,
        where=Where.SEATED,
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
        instead=("spectate", "observe"),
        help=(
            "Shows you a table and everything that happens there, as somebody sees it who sits beside it: no "
            "face-down card. You can watch several tables.",
        ),
        examples=(Example(line="watch t12", does="watches table t12"),),
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
        help=("Lists the matches that were finished, yours or those of a table, the newest first.",),
        examples=(
            Example(line="history", does="lists your matches"),
            Example(line="history t12", does="lists the matches of table t12"),
        ),
        see=("record", "stats"),
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
        see=("stats", "top-card"),
    ),
    CommandSpec(
        verb="stats",
        group=Group.PAST,
        where=Where.ANYWHERE,
        summary="show what a player has achieved",
        parameters=(Parameter(name="name", kind=Kind.PLAYER, optional=True),),
        instead=("finger", "profile", "rating"),
        help=("Shows matches, wins, averages and ratings of a player, yours if you name nobody.",),
        examples=(Example(line="stats ann", does="shows what Ann has achieved"),),
        see=("top", "history"),
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
        verb="pong",
        group=Group.CONNECTION,
        where=Where.ANYWHERE,
        summary="answer a ping of the server, for programs",
        parameters=(Parameter(name="key", kind=Kind.TEXT, optional=True, rest=True),),
        abbreviated=False,
        help=(
            "Answers the server's ping with its key, so that the server can measure how long your line takes. It is "
            "the one command that gets no answer, and it counts for no limit.",
        ),
        examples=(Example(line="pong 9f2c", does="answers the ping with the key 9f2c"),),
        see=("machine", "slam"),
    ),
)
