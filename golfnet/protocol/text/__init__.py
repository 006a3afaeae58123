"""Text: replies rendered for people, as art, plain text or speech."""
