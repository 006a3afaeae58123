"""The topics of help: each has its page, and no word leads to two."""

from __future__ import annotations

from collections import Counter

from golfnet.protocol.commands.topics import TOPICS


def test_no_word_names_two_topics() -> None:
    counted = Counter(name for topic, page in TOPICS.items() for name in {topic, *page.names})
    assert not [name for name, count in counted.items() if count > 1]


def test_every_topic_has_a_title_something_to_say_and_a_way_on() -> None:
    for topic in TOPICS.values():
        assert topic.title
        assert any(isinstance(block, str) for block in topic.blocks) or len(topic.blocks) > 0
        assert topic.see
