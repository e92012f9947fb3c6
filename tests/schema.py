"""The JSON Schema on disk: `python -m tests.schema` writes it anew after a model has changed."""

from __future__ import annotations

from dicegame.schema import FILE, as_text

if __name__ == "__main__":
    FILE.write_text(as_text(), encoding="utf-8", newline="\n")
