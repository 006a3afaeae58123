"""``golfnet completion``: what makes a shell complete ``golfnet`` and ``golfnet-client``.

The scripts in ``completions`` are made from the parsers of both commands, which the tests hold them to.
"""

import argparse
from importlib.resources import files
from typing import Final

SHELLS: Final = ("bash", "zsh", "fish")

DESCRIPTION = """\
Print a script that makes a shell complete the options and subcommands of golfnet and golfnet-client."""

EPILOG = """\
bash   echo 'eval "$(golfnet completion bash)"' >>~/.bashrc
zsh    echo 'eval "$(golfnet completion zsh)"' >>~/.zshrc, after compinit
fish   golfnet completion fish >~/.config/fish/completions/golfnet.fish"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take the name of the shell."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.add_argument("shell", choices=SHELLS, help="which shell")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    print((files("golfnet.cli") / "completions" / f"golfnet.{args.shell}").read_text("utf-8"), end="")
    return 0
