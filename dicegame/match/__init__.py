"""Many games between the same players: blocks and rotations, workers, and their statistics."""
