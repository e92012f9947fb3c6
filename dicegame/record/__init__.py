"""A game as JSON lines: a header, every throw, answer and event in their order, the result, and the key that opens the commitment.

Whatever comes later (a replay, a proof, a resumed game, an analysis) reads these lines and never a live object.
"""
