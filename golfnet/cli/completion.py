"""``golfnet completion``: scripts that make a shell complete ``golfnet`` and ``golfnet-client``.

The script for ``golfnet`` is made from its own parser, so it knows every option; for ``golfnet-client`` the shell asks
the client itself, since this package does not know the client's options.
"""

import argparse
import shlex
from typing import Final

from golfnet.cli.main import COMMANDS, command_line, subcommands
from golfnet.cli.output import show

FILES: Final = ("FILE", "PATH", "FOLDER", "DIR", "RECORD")
"""Placeholders of values that are files or folders."""

DESCRIPTION = """\
Print a script that makes your shell complete the subcommands and options of golfnet and golfnet-client."""

EPILOG = """\
bash   echo 'eval "$(golfnet completion bash)"' >>~/.bashrc
zsh    echo 'eval "$(golfnet completion zsh)"' >>~/.zshrc     below compinit
fish   golfnet completion fish >~/.config/fish/conf.d/golfnet.fish"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the argument: the name of the shell."""
    parser.add_argument("shell", choices=list(SHELLS), help="which shell")


def run(args: argparse.Namespace) -> None:
    """Print the script."""
    show(*SHELLS[args.shell]().splitlines())


_BASH: Final = """\
_golfnet() {
    local n word command="" words="" current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    for ((n = 1; n < COMP_CWORD; n++)); do
        word=${COMP_WORDS[n]}
        case $word in @commands@) command=$word; break ;; esac
    done
    case "$command" in
@words@
    esac
    case "$command $before" in
@values@
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}
_golfnet_client() {
    local words
    words=$(golfnet-client --help | grep -oE -- '--[a-z][a-z-]*' | sort -u)
    COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _golfnet golfnet
complete -o default -F _golfnet_client golfnet-client"""


def _bash() -> str:
    words: list[str] = []
    values: list[str] = []
    for name, actions in _options().items():
        flags = [flag for action in actions for flag in action.option_strings]
        choices = [choice for action in actions if not action.option_strings for choice in _choices(action)]
        words.append(_case(name, [*(() if name else COMMANDS), *flags, *choices]))
        for action in actions:
            offered = [] if action.nargs == 0 or _is_file(action) else _choices(action)
            values += [
                _case(f"{name} {flag}", offered) for flag in action.option_strings if action.nargs != 0
            ]
    script = _BASH.replace("@commands@", "|".join(COMMANDS))
    return script.replace("@words@", "\n".join(words)).replace("@values@", "\n".join(values))


def _case(pattern: str, words: list[str]) -> str:
    return f"        {shlex.quote(pattern)}) words={shlex.quote(' '.join(words))} ;;"


def _fish() -> str:
    lines = [
        f"complete -c golfnet -n __fish_use_subcommand -xa {name} -d {shlex.quote(summary)}"
        for name, summary in COMMANDS.items()
    ]
    for name, actions in _options().items():
        when = f"'__fish_seen_subcommand_from {name}'" if name else "__fish_use_subcommand"
        for action in actions:
            meaning = (action.help or "").partition(" (")[0].partition(";")[0] % {"const": action.const}
            told = f"-d {shlex.quote(meaning)}"
            choices = _choices(action)
            if choices:
                told = f"-xa {shlex.quote(' '.join(choices))} {told}"
            elif action.nargs != 0:
                told = f"{'-rF' if _is_file(action) else '-x'} {told}"
            if choices and not action.option_strings:
                lines.append(f"complete -c golfnet -n {when} {told}")
            flags = [flag.removeprefix("--") for flag in action.option_strings if flag.startswith("--")]
            lines += [f"complete -c golfnet -n {when} -l {flag} {told}" for flag in flags]
    lines.append(
        "complete -c golfnet-client -a '(golfnet-client --help | string match -ar -- \"--[a-z][a-z-]*\")'"
    )
    return "\n".join(lines)


SHELLS: Final = {
    "bash": _bash,
    "zsh": lambda: f"autoload -U +X bashcompinit && bashcompinit\n{_bash()}",
    "fish": _fish,
}


def _options() -> dict[str, list[argparse.Action]]:
    """Return the arguments of each subcommand by its name; the global ones are under the empty name."""
    parser = command_line(COMMANDS)
    return {
        name: [each for each in parser._actions if not isinstance(each, argparse._SubParsersAction)]
        for name, parser in {"": parser, **subcommands(parser)}.items()
    }


def _choices(action: argparse.Action) -> list[str]:
    return [str(choice) for choice in action.choices or ()]


def _is_file(action: argparse.Action) -> bool:
    return action.metavar in FILES or isinstance(action.metavar, tuple)
