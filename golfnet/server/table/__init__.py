"""One table and the match at it.

``Table`` is its one face: whoever is outside calls its methods and nothing deeper.
"""
