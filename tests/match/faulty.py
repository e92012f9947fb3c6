"""A bot that plays every game well but for one defect, which its argument names. Run as a script; it imports nothing of ours."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

Json = dict[str, Any]
LONG = 400  # decisions of one game after which `long game` is lost


class Bot:
    """What the bot remembers, and its defect."""

    def __init__(self, defect: str) -> None:
        self.defect = defect
        self.games = 0
        self.decisions = 0

    def run(self) -> None:
        """Answer line by line."""
        if self.defect == "greeting":
            print("Hello! I am a bot.", flush=True)
        while True:
            line = sys.stdin.buffer.readline()
            if not line:
                if self.defect == "ignores end of input":
                    time.sleep(60)
                break
            message = json.loads(line)
            if message["type"] == "bye":
                if self.defect == "goodbye":
                    self.say({"type": "decision", "id": 1, "keep": []})
                if self.defect != "ignores bye":
                    sys.exit(3 if self.defect == "exit code" else 0)
            else:
                self.hear(message)

    def say(self, message: Json) -> None:
        """Write one line."""
        end = "\r\n" if self.defect == "CR LF" else "\n"
        flush = self.defect != "never flushes" and not (
            self.defect == "does not flush" and message["type"] == "decision"
        )
        print(json.dumps(message), end=end, flush=flush)

    def hear(self, message: Json) -> None:
        """Answer one message."""
        if self.defect == "unknown field" and "x-note" in message:
            sys.exit("what is x-note?")
        kind = message["type"]
        if kind == "hello":
            self.hello()
        elif kind == "game":
            self.games += 1
            self.decisions = 0
            if self.defect == "second game" and self.games == 2:
                sys.exit("one game is enough")
        elif kind == "decide":
            self.decisions += 1
            self.decide(message)
        elif kind == "event" and self.defect == "answers events":
            self.say({"type": "ready", "protocol": 1, "name": "again"})
        elif kind not in ("event", "result", "error") and self.defect == "unknown message":
            sys.exit(f"what is {kind}?")

    def hello(self) -> None:
        """Get ready."""
        if self.defect == "slow start":
            time.sleep(60)
        ready: Json = {"type": "ready", "protocol": 1, "name": "faulty"}
        if self.defect == "other protocol":
            ready["protocol"] = 2
        if self.defect == "no name":
            ready["name"] = ""
        if self.defect == "nameless":
            del ready["name"]
        if self.defect in ("events", "answers events"):
            ready["events"] = True
        games = {
            "high dice": ["high-dice"],
            "slow": ["high-dice"],
            "odd games": ["poker"],
            "some games": ["zilch", "poker"],
        }
        if self.defect in games:
            ready["games"] = games[self.defect]
        self.say(ready)

    def decide(self, message: Json) -> None:
        """Decide."""
        state = message["state"]
        answer = self.push_luck(message, state) if "options" in message else {"keep": state["dice"][message["seat"]]}
        answer = {"type": "decision", "id": message["id"], **answer}
        if self.defect == "forgets id":
            del answer["id"]
        if self.defect == "wrong id":
            answer["id"] += 1
        if self.defect == "types":
            answer["keep"] = [str(face) for face in answer["keep"]]
        if self.defect == "long game" and self.decisions > LONG:
            sys.exit("this takes too long")
        if self.defect == "slow":
            time.sleep(0.003)
        if self.defect == "chatter":
            print("thinking...", flush=True)
        self.say(answer)
        if self.defect == "answers twice":
            self.say(answer)

    def push_luck(self, message: Json, state: Json) -> Json:
        """Take the most points, and bank at 300."""
        option = message["options"][0]
        total = state["turn_points"] + option["points"]
        answer: Json = {"keep": option["keep"], "bank": option["bank"] and total >= 300}
        hot = len(option["keep"]) == len(state["dice"])
        if self.wrong_here(message, state, hot=hot):
            answer["keep"] = [7]
        if self.defect == "crashes with hot dice" and hot:
            sys.exit("ouch")
        if self.defect == "banks too early" and not option["bank"]:
            answer["bank"] = True
        if self.defect == "no bank":
            del answer["bank"]
        return answer

    def wrong_here(self, message: Json, state: Json, *, hot: bool) -> bool:
        """Say whether the bot keeps dice that it does not have."""
        return {
            "hot dice": hot,
            "final round": state["final_round"] is not None,
            "last die": len(state["dice"]) == 1,
            "thousand": state["target"] == 1000 and "bolts" not in state,
            "one roll": sorted(state["dice"]) == [1, 1, 3, 3, 5, 5],
            "opponents": any(state["out"]),
            "always": True,
        }.get(self.defect, False)


if __name__ == "__main__":
    sys.stdout.reconfigure(newline="")  # type: ignore[union-attr]  # "\n" stays "\n"
    Bot(sys.argv[1] if len(sys.argv) > 1 else "").run()
