"""The command line: one module a command; parameters and one call each."""
