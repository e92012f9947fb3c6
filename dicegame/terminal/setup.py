"""The questions before a game: which one, who plays, and its settings, each with its default on Return."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from dicegame.dice import new_seed
from dicegame.errors import DicegameError, PlayerError
from dicegame.games.base import MAX_WINS_OF_TWO
from dicegame.players.builtin import BUILT_INS
from dicegame.players.specs import COMPUTER, Spec, names, parse
from dicegame.rules.load import load, presets
from dicegame.rules.model import Find, HighDiceRules, HighRule, PushLuckRules, RuleSet, Stakes
from dicegame.saves import Setup
from dicegame.terminal.console import Console
from dicegame.terminal.settings import HighDiceChoice, Settings
from dicegame.terminal.table import Leave
from dicegame.terminal.words import meant, word
from dicegame.text import _, isolate, join, ltr, number, pgettext, quote

T = TypeVar("T")
MAX_PEOPLE = 6
HIGH_DICE = "high-dice"


class Questions:
    """Asks on one console; `settings` holds the defaults, and the answers afterwards."""

    def __init__(self, console: Console, settings: Settings) -> None:
        self.console = console
        self.settings = settings

    def ask(self) -> Setup:
        """Ask everything and return the settings of the game.

        Raises:
            Leave: somebody said quit.
            EndOfInput: nobody types any more.
        """
        settings = self.settings
        rules = self._game()
        people = self._people(rules)
        settings.names = people + settings.names[len(people) :]
        specs = [Spec("human", name) for name in people]
        if len(people) < rules.seats[1]:
            settings.computer = self._computer(rules, len(people))
            if settings.computer is not None:
                specs.append(Spec(settings.computer))
        rules = (
            self._high_dice(rules, len(specs)) if isinstance(rules, HighDiceRules) else self._target(rules, len(specs))
        )
        words = [spec.word for spec in specs]
        return Setup(rules, words, names(specs, default_computer=COMPUTER), seed=new_seed())

    def _line(
        self,
        prompt: str,
        default: str,
        right: Callable[[str], T | None],
        wrong: str = "",
        help_: Callable[[], None] = lambda: None,
    ) -> T | None:
        """Ask until `right` understands the line; Return alone is None: the default."""
        while True:
            line = self.console.ask(f"{prompt} [{default}]").strip()
            command = meant(line)
            if command == "quit":
                raise Leave
            if command == "help":
                help_()
                self.console.say(_("Return alone takes what stands in brackets; %s leaves.") % word("quit"))
                continue
            if not line:
                return None
            try:
                value = right(line)
            except DicegameError as error:
                self.console.complain(error.message)
                continue
            if value is not None:
                return value
            self.console.complain(wrong)

    def _number(self, prompt: str, default: int, low: int, high: int) -> int:
        def right(line: str) -> int | None:
            return int(line) if line.isdecimal() and len(line) < 12 and low <= int(line) <= high else None

        wrong = _("a number from %(low)s to %(high)s, please") % {"low": number(low), "high": number(high)}
        answer = self._line(prompt, ltr(default), right, wrong)
        return default if answer is None else answer

    def _choice(self, prompt: str, choices: Sequence[tuple[T, str]], default: T) -> T:
        """Let one of the choices be picked by its number or its name."""

        def show() -> None:
            self.console.say(prompt, bold=True)
            for place, (_value, label) in enumerate(choices, 1):
                self.console.say(f"{ltr(f'{place})')} {label}", indent=2)

        def right(line: str) -> tuple[T] | None:
            for place, (value, label) in enumerate(choices, 1):
                if (line.isdecimal() and int(line) == place) or line.casefold() in {
                    label.casefold(),
                    str(value).casefold(),
                }:
                    return (value,)
            return None

        at = next((place for place, (value, _label) in enumerate(choices, 1) if value == default), 1)
        wrong = _("a number from %(low)s to %(high)s, please") % {"low": number(1), "high": number(len(choices))}
        show()
        answer = self._line(_("Your choice?"), ltr(at), right, wrong, show)
        return choices[at - 1][0] if answer is None else answer[0]

    def _game(self) -> RuleSet:
        games = [
            ("ten-thousand", _("10 000, with six dice")),
            ("thousand", _("Thousand, with five dice")),
            (HIGH_DICE, _("High dice: who rolls highest")),
        ]

        def show() -> None:
            self.console.say(_("Which game?"), bold=True)
            for place, (name, label) in enumerate(games, 1):
                self.console.say(f"{ltr(f'{place})')} {label} ({isolate(name)})", indent=2)
            self.console.say(_("or the name of another rule set, or of a rule file"), indent=2)

        def right(line: str) -> tuple[str, RuleSet]:
            name = games[int(line) - 1][0] if line.isdecimal() and 1 <= int(line) <= len(games) else line
            rules = load(name)
            return name if name in presets() else str(Path(name).absolute()), rules

        try:
            usual = self.settings.game, load(self.settings.game)
        except DicegameError:  # the file of last time is gone, or wrong
            usual = games[0][0], load(games[0][0])
        shown = next((str(place) for place, (name, _label) in enumerate(games, 1) if name == usual[0]), usual[0])
        show()
        self.settings.game, rules = self._line(_("Your choice?"), quote(shown), right, help_=show) or usual
        return rules

    def _people(self, rules: RuleSet) -> list[str]:
        high = min(MAX_PEOPLE, rules.seats[1])
        default = min(max(len(self.settings.names), 1), high)
        low = max(1, rules.seats[0] - 1)
        count = self._number(_("How many people?"), max(default, low), low, high)
        people: list[str] = []

        def right(line: str) -> str:
            name = parse(f"human:{line}").name or line
            if name in people:
                raise PlayerError(_("that name is taken"))
            return name

        for place in range(count):
            known = [
                *self.settings.names[place : place + 1],
                *(_("Player %s") % (place + n) for n in range(1, count + 1)),
            ]
            usual = next(name for name in known if name not in people)
            answer = self._line(_("Name of player %s?") % number(place + 1), isolate(usual), right)
            people.append(usual if answer is None else answer)
        return people

    def _computer(self, rules: RuleSet, people: int) -> str | None:
        levels: list[tuple[str | None, str]] = []
        if people >= rules.seats[0]:
            levels.append((None, pgettext("computer player", "none")))
        able = ["cautious", "house", "maxpoints", *(["optimal"] if can_judge(rules, people + 1) else [])]
        levels += [(name, _(BUILT_INS[name].level or name)) for name in able]
        return self._choice(_("A computer player?"), levels, self.settings.computer)

    def _target(self, rules: PushLuckRules, seats: int) -> PushLuckRules:
        shown = join(list(map(number, rules.offered_targets())))
        prompt = _("Played to how many points? (%s, or another number)") % shown

        def right(line: str) -> PushLuckRules | None:
            return self._to(rules, seats, int(line)) if line.isdecimal() and len(line) < 12 else None

        try:
            usual = self._to(rules, seats, self.settings.targets.get(rules.name, rules.target))
        except DicegameError:  # the rule set is not what it was last time
            usual = rules
        chosen = self._line(prompt, ltr(usual.target), right, _("a number of points, please")) or usual
        self.settings.targets[rules.name] = chosen.target
        return chosen

    def _to(self, rules: PushLuckRules, seats: int, target: int) -> PushLuckRules:
        if target == rules.target:
            return rules
        changed = load(self.settings.game, target=target)
        if self.settings.computer == "optimal" and not can_judge(changed, seats):
            raise PlayerError(_("nobody has solved that yet: the perfect computer can't play to so many points"))
        return changed if isinstance(changed, PushLuckRules) else rules

    def _high_dice(self, rules: HighDiceRules, seats: int) -> HighDiceRules:
        last = self._last(rules)
        rule = self._choice(_("What counts?"), [(rule, label) for rule, label in rule_words().items()], last.rule)
        triple = rule is HighRule.TRIPLE_PAIR
        dice = 3 if triple else self._number(_("How many dice each?"), last.dice, 1, 5)
        yes_no = [(True, word("yes")), (False, word("no"))]
        reroll = self._choice(_("May dice be rolled again once?"), yes_no, last.reroll)
        finds = [(Find.WINNER, _("the winner")), (Find.LOSER, _("the loser"))]
        find = self._choice(_("Whom does a round find?"), finds, last.find)
        most = MAX_WINS_OF_TWO if seats == 2 else 100
        usual = rules.model_copy(update={"to": last.to}).wins_needed(seats)
        counts_losses = seats > 2 and find is Find.LOSER
        prompt = _("Over at how many losses?") if counts_losses else _("Over at how many rounds won?")
        to = self._number(prompt, min(usual, most), 1, most)
        stakes = self._choice(_("What is at stake?"), list(stakes_words().items()), last.stakes)
        chosen: dict[str, Any] = {
            "dice": dice, "reroll": reroll, "rule": rule, "find": find, "to": to, "stakes": stakes,
        }  # fmt: skip
        remembered_to = None if to == rules.model_copy(update={"to": None}).wins_needed(seats) else to
        if rules.name == HIGH_DICE:
            self.settings.high_dice = HighDiceChoice(
                **{**chosen, "dice": last.dice if triple else dice, "to": remembered_to}
            )
        return rules.model_copy(update=chosen)

    def _last(self, rules: HighDiceRules) -> HighDiceChoice:
        """Return what was chosen last time; for a rule set of somebody's own, what it says."""
        if rules.name == HIGH_DICE:
            return self.settings.high_dice
        return HighDiceChoice.model_validate(rules.model_dump(include=set(HighDiceChoice.model_fields)))


def can_judge(rules: RuleSet, seats: int) -> bool:
    """Say whether the perfect computer player knows the values of a rule set, for so many seats."""
    from dicegame.values.judges import is_solved

    return isinstance(rules, HighDiceRules) or is_solved(rules, seats)


def rule_words() -> dict[HighRule, str]:
    """Return the rules of high dice in words."""
    return {
        HighRule.SUM_HIGH: _("the higher sum"),
        HighRule.SUM_LOW: _("the lower sum"),
        HighRule.TRIPLE_PAIR: _("triple before pair before sum"),
    }


def stakes_words() -> dict[Stakes, str]:
    """Return the stakes of high dice in words."""
    return {
        Stakes.SCORE: _("nothing but the score"),
        Stakes.DRINK: _("a drink"),
        Stakes.DARE: _("a dare: a small task"),
        Stakes.TRUTH: _("the truth: a question"),
    }
