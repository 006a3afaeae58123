"""``golfnet completion``: scripts that make a shell complete ``golfnet`` and ``golfnet-client``.

The script for ``golfnet`` is made from its own parser, so it knows every option; for ``golfnet-client`` the shell asks
the client itself, since this package does not know the client's options.
"""

import argparse
import shlex
from collections.abc import Iterator
from typing import Final, NamedTuple

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


class CompletedFlag(NamedTuple):
    """One option, or a positional argument if ``flag`` is empty."""

    flag: str
    meaning: str
    takes_value: bool
    choices: tuple[str, ...]
    is_file: bool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the argument: the name of the shell."""
    parser.add_argument("shell", choices=list(SHELLS), help="which shell")


def run(args: argparse.Namespace) -> None:
    """Print the script."""
    show(*SHELLS[args.shell]())


def options() -> dict[str, list[CompletedFlag]]:
    """Return the options of each subcommand by its name; the global options are under the empty name."""
    parser = command_line(COMMANDS)
    return {name: list(_options(each)) for name, each in {"": parser, **subcommands(parser)}.items()}


def _options(parser: argparse.ArgumentParser) -> Iterator[CompletedFlag]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            continue
        for flag in action.option_strings or [""]:
            yield CompletedFlag(
                flag=flag,
                meaning=(action.help or "").partition(" (")[0].partition(";")[0] % {"const": action.const},
                takes_value=action.nargs != 0,
                choices=tuple(str(choice) for choice in action.choices or ()),
                is_file=action.metavar in FILES or isinstance(action.metavar, tuple),
            )


def _bash() -> Iterator[str]:
    taken = options()
    yield "_golfnet() {"
    yield '    local n word command="" words="" current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}'
    yield "    for ((n = 1; n < COMP_CWORD; n++)); do"
    yield "        word=${COMP_WORDS[n]}"
    yield f"        case $word in {'|'.join(COMMANDS)}) command=$word; break ;; esac"
    yield "    done"
    yield '    case "$command" in'
    for name, known in taken.items():
        words = [*(COMMANDS if not name else ()), *(o.flag for o in known if o.flag)]
        words += [choice for o in known if not o.flag for choice in o.choices]
        yield f"        {shlex.quote(name)}) words={shlex.quote(' '.join(words))} ;;"
    yield "    esac"
    yield '    case "$command $before" in'
    for name, known in taken.items():
        for option in known:
            if option.flag and option.takes_value:
                words = [] if option.is_file else list(option.choices)
                yield f"        {shlex.quote(f'{name} {option.flag}')}) words={shlex.quote(' '.join(words))} ;;"
    yield "    esac"
    yield '    COMPREPLY=($(compgen -W "$words" -- "$current"))'
    yield "}"
    yield "_golfnet_client() {"
    yield "    local words"
    yield "    words=$(golfnet-client --help | grep -oE -- '--[a-z][a-z-]*' | sort -u)"
    yield '    COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))'
    yield "}"
    yield "complete -o default -F _golfnet golfnet"
    yield "complete -o default -F _golfnet_client golfnet-client"


def _zsh() -> Iterator[str]:
    yield "autoload -U +X bashcompinit && bashcompinit"
    yield from _bash()


def _fish() -> Iterator[str]:
    for name, summary in COMMANDS.items():
        yield f"complete -c golfnet -n __fish_use_subcommand -xa {name} -d {shlex.quote(summary)}"
    for name, known in options().items():
        when = f"'__fish_seen_subcommand_from {name}'" if name else "__fish_use_subcommand"
        for option in known:
            if not option.flag.startswith("--") and not (not option.flag and option.choices):
                continue
            parts = ["complete -c golfnet -n", when]
            if option.flag:
                parts += ["-l", option.flag.removeprefix("--")]
            if option.choices:
                parts += ["-xa", shlex.quote(" ".join(option.choices))]
            elif option.takes_value and option.flag:
                parts.append("-rF" if option.is_file else "-x")
            yield " ".join([*parts, "-d", shlex.quote(option.meaning.replace("\n", " "))])
    yield "complete -c golfnet-client -a '(golfnet-client --help | string match -ar -- \"--[a-z][a-z-]*\")'"


SHELLS: Final = {"bash": _bash, "zsh": _zsh, "fish": _fish}
