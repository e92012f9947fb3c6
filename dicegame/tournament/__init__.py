"""Tournaments: planned, played and kept in one file each, gone on with after any interruption, rated with honest error bars."""
