"""The game for people: screen, prompts, and the human as a player."""
