"""Games at the terminal, one after the other: play one, show the card, ask for another, and keep the tally."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction

import click

from dicegame.errors import EXIT_BOT, EXIT_DONE, EXIT_INPUT, Interrupted, SaveError, UnfinishedError
from dicegame.games.base import Outcome, Reason
from dicegame.players.factory import Factory
from dicegame.players.treatment import Treatment
from dicegame.record.lines import is_person
from dicegame.rules.describe import summary
from dicegame.rules.model import HighDiceRules, Stakes
from dicegame.saves import Saved, Setup, find_saved, saved_games
from dicegame.session import Session
from dicegame.terminal import stakes
from dicegame.terminal.console import Console, EndOfInput
from dicegame.terminal.host import PeopleHost
from dicegame.terminal.human import Human
from dicegame.terminal.layout import unbroken
from dicegame.terminal.screen import Screen
from dicegame.terminal.settings import load_settings, save_settings
from dicegame.terminal.setup import Questions
from dicegame.terminal.table import Leave, Table, say_rules
from dicegame.terminal.words import meant, word
from dicegame.text import _, clean, decimal, isolate, join, ltr, number, quote


@dataclass(slots=True)
class Tally:
    """Games won by each name since the program was started; a shared win counts its share."""

    games: int = 0
    wins: dict[str, Fraction] = field(default_factory=dict)

    def add(self, names: list[str], outcome: Outcome) -> None:
        """Count one game."""
        self.games += 1
        for name in names:
            self.wins.setdefault(name, Fraction())
        for seat in outcome.winners:
            self.wins[names[seat]] += Fraction(1, len(outcome.winners))

    def __str__(self) -> str:
        shown = [unbroken(f"{isolate(name)} {ltr(_share(won))}") for name, won in self.wins.items()]
        return _("Games won, out of %(games)s: %(wins)s") % {"games": number(self.games), "wins": join(shown)}


def _share(won: Fraction) -> str:
    return str(won) if won.denominator == 1 else decimal(float(won), 2)


def play_from_setup(console: Console) -> int:
    """Ask for the settings, play, and return the exit code."""
    setup = _ask_setup(console)
    return EXIT_DONE if setup is None else play_games(console, setup)


def play_games(
    console: Console,
    setup: Setup,
    *,
    saved: Saved | None = None,
    own_stakes: list[str] | None = None,
    treatment: Treatment | None = None,
) -> int:
    """Play a game, then others as long as somebody wants; return the exit code.

    Args:
        console: where it is played.
        setup: the settings of the first game.
        saved: the game to go on with, if it is one.
        own_stakes: the user's own list of dares or questions.
        treatment: how external bots are treated.

    Raises:
        UnfinishedError: the input ended in the middle of a game, which is saved.
        Interrupted: Ctrl-C, likewise.
    """
    tally = Tally()
    code = EXIT_DONE
    while True:
        session = Session(setup, warn=lambda error: click.echo(f"dicegame: {error}", err=True), saved=saved)
        factory = Factory(treatment)
        try:
            screen, outcome = _play(console, session, factory, resumed=saved is not None, own_stakes=own_stakes)
        except Leave:
            _say_saved(console, session)
            return code
        finally:
            faults = factory.faults()
            factory.close()
            session.close()
        for fault in faults:
            click.echo(f"dicegame: {fault}", err=True)
        code = EXIT_INPUT if session.record_failed else code
        code = EXIT_BOT if faults and outcome.reason is Reason.FORFEIT else code
        tally.add(setup.names, outcome)
        if tally.games > 1:
            console.say(str(tally))
        if not any(map(is_person, setup.specs)):
            return code
        following = _following(console, setup, screen, outcome, tally)
        if following is None:
            return code
        setup, saved = following, None


def choose_saved(console: Console, wanted: str) -> Saved:
    """Return the saved game to go on with: the one that is wanted, the only one, or the one chosen from the list.

    Raises:
        SaveError: there is none.
        Leave: somebody said quit.
    """
    if wanted:
        return find_saved(wanted)
    games = saved_games()
    if not games:
        raise SaveError(_("there is no saved game to go on with"))
    if len(games) == 1:
        return games[0]
    _list_saved(console, games)
    while True:
        line = console.ask(_("Its number?")).strip()
        command = meant(line)
        if command == "quit":
            raise Leave
        if line.isdecimal() and 1 <= int(line) <= len(games):
            return games[int(line) - 1]
        if command == "help":
            _list_saved(console, games)
        wrong = _("a number from %(low)s to %(high)s, please")
        console.complain(wrong % {"low": number(1), "high": number(len(games))})


def _list_saved(console: Console, games: list[Saved]) -> None:
    console.say(_("Which saved game?"), bold=True)
    for place, game in enumerate(games, 1):
        said = {
            "game": quote(game.setup.rules.name),
            "players": join([quote(name) for name in game.setup.names]),
            "started": ltr(_local_time(game.started)),
            "id": ltr(game.id),
        }
        line = _("%(game)s, %(players)s, begun %(started)s (%(id)s)") % said
        console.say(f"{ltr(f'{place})')} {line}", indent=2)


def _local_time(moment: str) -> str:
    """Return a moment of a saved game as the user's clock showed it; what is no moment as it stands."""
    try:
        return f"{datetime.fromisoformat(moment).astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError):
        return clean(moment, 16)


def _play(
    console: Console, session: Session, factory: Factory, *, resumed: bool, own_stakes: list[str] | None
) -> tuple[Screen, Outcome]:
    """Play one game; return where it was shown, and its outcome."""
    setup = session.setup
    people = frozenset(seat for seat, spec in enumerate(setup.specs) if is_person(spec))
    computers = frozenset(range(len(setup.specs))) - people
    screen = Screen(console, setup.rules, setup.names, computers)
    screen.quiet = resumed
    table = Table(console, screen, people, session.engine)
    table.game = session.id if session.is_saved else None
    table.tutor, table.tutor_changed = setup.tutor, session.change_tutor
    host = PeopleHost(table, real_dice=setup.dice == "typed")
    players = factory.seat(setup.specs, setup.names, session.key, lambda _seat: Human(table))
    try:
        if people and not resumed:
            _open(table)
        agreed = _agreement(table) if people else False
        outcome = session.play(
            players, observers=[screen], host=host, ask=host.ask_dice, on_fault=factory.treatment.on_fault
        )
    except EndOfInput as error:
        raise UnfinishedError(_unfinished(session, error.message), game=session.id) from error
    except KeyboardInterrupt as error:
        console.say()
        raise Interrupted(_unfinished(session, _("interrupted")), game=session.id) from error
    except OSError as error:
        what = _("can't write: %s") % (error.strerror or str(error))
        raise UnfinishedError(_unfinished(session, what), game=session.id) from error
    _stakes(console, screen, outcome, own_stakes, agreed=agreed)
    return screen, outcome


def _open(table: Table) -> None:
    """Say what is played, and how to learn more."""
    rules = table.screen.rules
    table.console.say(_("%(game)s: %(summary)s.") % {"game": quote(rules.name), "summary": summary(rules)})
    said = {"help": word("help"), "rules": word("rules"), "hint": word("hint")}
    message = _(
        "At every prompt, %(help)s lists what is possible, %(rules)s tells the rules and %(hint)s what is best."
    )
    table.console.say(message % said)
    table.say_tutor()


def _unfinished(session: Session, what: str) -> str:
    if not session.is_saved:
        return what
    command = ltr(f"dicegame play --resume {session.id}")
    return _("%(what)s; the game is saved: %(command)s goes on with it") % {"what": what, "command": command}


def _say_saved(console: Console, session: Session) -> None:
    if session.is_saved:
        console.say(_("The game is saved. To go on with it: %s") % ltr(f"dicegame play --resume {session.id}"))


def _agreement(table: Table) -> bool:
    """Ask whether everyone agrees to a dare or a question, where one is at stake."""
    rules = table.screen.rules
    if not stakes.needs_agreement(rules) or not isinstance(rules, HighDiceRules):
        return True
    dare = rules.stakes is Stakes.DARE
    question = (
        _("The loser gets a dare. Does everyone agree? (%(yes)s / %(no)s)")
        if dare
        else _("The loser answers a question. Does everyone agree? (%(yes)s / %(no)s)")
    )
    agreed = table.yes(question % {"yes": word("yes"), "no": word("no")})
    if not agreed:
        table.console.say(_("Then only the score counts."))
    return agreed


def _stakes(console: Console, screen: Screen, outcome: Outcome, own: list[str] | None, *, agreed: bool) -> None:
    rules = screen.rules
    if not isinstance(rules, HighDiceRules) or (stakes.needs_agreement(rules) and not agreed):
        return
    lost = stakes.losers(outcome)
    line = stakes.line_for(rules, join([screen.name(seat) for seat in lost]), own) if lost else None
    if line is not None:
        console.say(line, bold=True)


def _following(console: Console, setup: Setup, screen: Screen, outcome: Outcome, tally: Tally) -> Setup | None:
    """Ask what comes after a game; return its settings, or None for nothing."""
    said = {"again": word("again"), "other": word("other"), "quit": word("quit")}
    prompt = _("%(again)s, %(other)s, or %(quit)s?") % said
    while True:
        try:
            command = meant(console.ask(prompt))
        except EndOfInput:
            return None
        match command:
            case "again":
                return setup.again()
            case "other":
                following = _ask_setup(console)
                if following is not None:
                    following.tutor = setup.tutor
                return following
            case "quit":
                return None
            case "rules":
                say_rules(console, setup.rules)
            case "score":
                screen.scores(outcome.scores)
                console.say(str(tally))
            case "undo" | "save" | "forfeit" | "hint" | "odds" | "tutor":
                console.complain(_("the game is over"))
            case _:
                message = _("%(again)s: the same once more; %(other)s: choose anew; %(quit)s: leave.")
                console.say(message % said)


def _ask_setup(console: Console) -> Setup | None:
    """Ask for the settings of a game and remember them; None if somebody leaves instead."""
    settings = load_settings()
    try:
        setup = Questions(console, settings).ask()
    except (Leave, EndOfInput):
        return None
    save_settings(settings)
    return setup
