"""`python -m dicegame` is the command `dicegame`."""

from dicegame.cli.main import main

if __name__ == "__main__":
    main()
