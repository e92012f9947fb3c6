"""Exact values by numpy and numba, the extra `dicegame[solve]`: nothing outside imports this but to solve, simulate or evaluate."""
