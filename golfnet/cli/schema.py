"""``golfnet schema``: the JSON Schema of every object of machine mode."""

import argparse
import json

from golfnet.protocol.replies.schema import schema


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Do nothing: there are no arguments."""


def run(args: argparse.Namespace) -> None:
    """Print the schema."""
    print(json.dumps(schema(), indent=2))
