"""One table and its match.

``Table`` is its only interface: code outside this package calls its methods and nothing deeper.
"""
