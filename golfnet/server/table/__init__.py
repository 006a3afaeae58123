"""One table and the match at it.

``Table`` is its only interface: code outside this package calls its methods and nothing deeper.
"""
