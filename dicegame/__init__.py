"""Push-your-luck dice games for people and bots: a terminal game, a scriptable referee, provable dice."""

__version__ = "0.1.0"
