"""Those who decide: built-in players and whoever answers from outside."""
