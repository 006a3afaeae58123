"""Text: the same replies for people, as art, plain text or speech. It renders values and decides nothing."""
