"""A bot that plays push-your-luck games and says much: a script of its own, which imports nothing of ours.

Its argument says how: `well`, or `badly`, which breaks the protocol in every third of its games.
"""

from __future__ import annotations

import json
import sys
from typing import Any

SAID = '<script>document.title = "said"</script></script>"><img src=x onerror="document.title=1">\u202e\x1b[31m\u2028'


def say(message: dict[str, Any]) -> None:
    """Write one line."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Answer line by line."""
    badly = sys.argv[1] == "badly"
    games = 0
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say({"type": "ready", "protocol": 1, "name": "speaking"})
        elif message["type"] == "game":
            games += 1
        elif message["type"] == "decide":
            if badly and games % 3 == 0:
                sys.stderr.write(SAID + "\n")
                sys.stderr.flush()
                say({"type": SAID})
                continue
            option = message["options"][0]
            say({"type": "decision", "id": message["id"], "keep": option["keep"], "bank": option["bank"], "why": SAID})


if __name__ == "__main__":
    main()
