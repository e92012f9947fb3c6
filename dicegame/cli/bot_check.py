"""`dicegame bot check`: the conformance test, step by step as it goes."""

from __future__ import annotations

import json
import shlex

import click

from dicegame.cli.bot_tools import Opened, opened
from dicegame.cli.common import print_json
from dicegame.errors import EXIT_DONE, EXIT_NO
from dicegame.match.check import Check, Step
from dicegame.match.examinee import Examinee
from dicegame.players.treatment import Treatment
from dicegame.terminal.layout import say, wrap
from dicegame.text import _, ltr, ngettext, number


def check_bot(word: str, states: int, treatment: Treatment, *, as_json: bool) -> int:
    """Examine a bot, tell the steps, and return the exit code."""
    with opened(word, treatment) as bot:
        steps = _told(word, bot, states) if not as_json else list(_steps(bot, states))
        level = bot.containment.level
    failed = sum(not step.passed for step in steps)
    if as_json:
        print_json({"passed": not failed, "steps": [step.as_json() for step in steps], "containment": level})
    else:
        say(_("containment of the bots: %s") % ltr(level))
        if failed:
            undone = sum(not step.done for step in steps)
            values = {"failed": number(failed - undone), "n": number(len(steps)), "undone": number(undone)}
            said = _("of %(n)s steps %(failed)s failed")
            if undone:
                said = _("of %(n)s steps %(failed)s failed, and %(undone)s could not be taken")
            say(said % values)
        else:
            say(ngettext("passed: %s step", "passed: all %s steps", len(steps)) % number(len(steps)))
    return EXIT_NO if failed else EXIT_DONE


def _steps(bot: Opened, states: int) -> list[Step]:
    examinee = Examinee(bot.program, bot.containment, bot.clock, bot.on_line)
    try:
        return list(Check(examinee, states=states).run())
    finally:
        examinee.leave()


def _told(word: str, bot: Opened, states: int) -> list[Step]:
    """Take the steps and tell each one when it is taken."""
    examinee = Examinee(bot.program, bot.containment, bot.clock, bot.on_line)
    steps = []
    try:
        for place, step in enumerate(Check(examinee, states=states).run(), 1):
            steps.append(step)
            _tell(word, place, step)
    finally:
        examinee.leave()
    return steps


def _tell(word: str, place: int, step: Step) -> None:
    mark = _("ok") if step.passed else _("FAILED")
    values = {"n": f"{place:2}", "mark": mark, "title": step.title, "detail": step.detail}
    line = wrap(_("%(n)s %(mark)s %(title)s: %(detail)s") % values, hang=3)
    head, _mark, tail = line.partition(mark)
    click.echo(head + click.style(mark, fg="green" if step.passed else "red" if step.done else "yellow") + tail)
    if step.example is not None:
        state = json.dumps(step.example["state"], separators=(",", ":"))
        again = ["dicegame", "bot", "ask", word, state, "--rules", step.example["rules"]]
        if "scores" in step.example["state"]:
            again += ["--seat", str(step.example["seat"])]
        click.echo(f"   {ltr(shlex.join(again))}")
