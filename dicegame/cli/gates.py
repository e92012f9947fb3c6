"""A match as a gate for a build, from the options of `dicegame match`: when it passes, when it ends early, what files it leaves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dicegame.errors import EXIT_DONE, EXIT_NO, EXIT_UNDECIDED, InputError
from dicegame.text import _, ltr, quote

if TYPE_CHECKING:  # imported when a match is played
    from dicegame.match.play import MatchSpec
    from dicegame.match.result import MatchResult
    from dicegame.match.watch import Watch
    from dicegame.terminal.gates import Verdict


@dataclass(frozen=True, slots=True)
class Gates:
    """What a match is a gate for, from the options: Elo bounds, a least rate, a precision, seconds, and files."""

    elos: tuple[float, float] | None
    floor: float | None
    precision: float | None
    max_time: float | None
    quiet: bool
    junit: Path | None
    markdown: Path | None

    @classmethod
    def of(
        cls,
        *,
        sprt: str | None,
        fail_under: str | None,
        precision: str | None,
        max_time: float | None,
        quiet: bool,
        junit: str | None,
        markdown: str | None,
    ) -> Gates:
        """Take the options of `dicegame.cli.match.gate_options`.

        Raises:
            InputError: one of them makes no sense.
        """
        return cls(
            None if sprt is None else parse_elos(sprt),
            None if fail_under is None else parse_rate(fail_under, "--fail-under"),
            None if precision is None else parse_rate(precision, "--precision"),
            max_time,
            quiet,
            None if junit is None else Path(junit),
            None if markdown is None else Path(markdown),
        )

    def check(self, spec: MatchSpec) -> None:
        """Say whether this match may be such a gate.

        Raises:
            InputError: a sequential test is for two players; or the dice are predictable, and a bot could know them.
        """
        if self.elos is not None and spec.players != 2:
            raise InputError(_("--sprt is for two players, and here are %s") % ltr(spec.players))
        if not spec.predictable or (self.elos is None and self.floor is None):
            return
        from dicegame.players.factory import external
        from dicegame.players.sandbox import Level, sandbox_level

        outside = [name for word, name in zip(spec.words, spec.names, strict=True) if external(word) is not None]
        if outside and sandbox_level(spec.treatment.sandbox) is not Level.BWRAP:
            line = _("with --seed %s could know the dice: no gate, unless its bots are in the sandbox (bubblewrap)")
            raise InputError(line % quote(outside[0]))

    def watch(self, spec: MatchSpec) -> Watch:
        """Return what is watched while the match is played."""
        from dicegame.match.sequential import Sprt
        from dicegame.match.watch import Watch

        adjusted = spec.luck is not None
        sprt = None if self.elos is None else Sprt(*self.elos, adjusted=adjusted)
        return Watch(adjusted, sprt, self.precision)

    def tell(self, result: MatchResult, *, as_json: bool) -> int:
        """Print what came of the match and write the files; return the exit code.

        A gate that fails goes before one that is undecided.

        Raises:
            InputError: a file can't be written.
        """
        from dicegame.cli.common import print_json
        from dicegame.match.gates import Floor, Outcome
        from dicegame.terminal.gates import say_watched, verdicts
        from dicegame.terminal.layout import say
        from dicegame.terminal.matches import say_match

        floor = None if self.floor is None else Floor.of(result, self.floor)
        said = verdicts(result, floor)
        if as_json:
            print_json(result.as_json() | {"fail_under": None if floor is None else floor.as_json()})
        else:
            if not self.quiet:
                say_match(result)
                say_watched(result)
            for verdict in said:
                say(verdict.words, hang=2)
        self._write(result, said)
        outcomes = {verdict.outcome for verdict in said}
        if Outcome.FAIL in outcomes:
            return EXIT_NO
        return EXIT_UNDECIDED if Outcome.UNDECIDED in outcomes else EXIT_DONE

    def _write(self, result: MatchResult, said: list[Verdict]) -> None:
        if self.junit is None and self.markdown is None:
            return
        from dicegame.terminal.summaries import write_junit, write_markdown

        if self.junit is not None:
            write_junit(self.junit, result, said)
        if self.markdown is not None:
            write_markdown(self.markdown, result, said)


def parse_elos(text: str) -> tuple[float, float]:
    """Return the two Elo differences of `--sprt`.

    Raises:
        InputError: they are no two numbers from -1000 to 1000, the smaller first.
    """
    try:
        elo0, elo1 = map(float, text.split(","))
    except ValueError:
        elo0 = elo1 = math.nan
    if not -1000 <= elo0 < elo1 <= 1000:
        raise InputError(_("--sprt takes two Elo differences, the smaller first, such as 0,20: not %s") % quote(text))
    return elo0, elo1


def parse_rate(text: str, option: str) -> float:
    """Return a share of one: from 0 to 1, or a percentage above 1, or with its sign.

    Raises:
        InputError: it is none, or a bare 1, which might be either.
    """
    number = text.strip().removesuffix("%")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if number == "1" and "%" not in text:
        raise InputError(_("%(option)s 1 might be 1%% or 100%%: write which") % {"option": ltr(option)})
    share = value / 100 if "%" in text or value > 1 else value
    if not 0 <= share <= 1:
        values = {"option": ltr(option), "text": quote(text)}
        raise InputError(_("%(option)s takes a share such as 0.52 or 52%%, not %(text)s") % values)
    return share
