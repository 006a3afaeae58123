"""Text: the same replies rendered for people, as art, plain text or speech. Nothing is decided here."""
