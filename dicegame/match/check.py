"""The conformance test: does a bot do all that protocol 1 asks of it? Numbered steps, each a conversation with the real process.

A fault that one step is about fails that step and, as far as can be, no other: a bot that errs only with hot dice fails at hot dice, one
that can't play a second game is asked about everything else in one process a game. What can't be done at all is told as such.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any

from dicegame.dice import SeededDice, seed_from_text, stream_key
from dicegame.games import engine_for
from dicegame.games.base import Engine, Outcome, Reason
from dicegame.games.events import Dice
from dicegame.games.notation import format_dice
from dicegame.games.pushluck import PushLuck
from dicegame.match.examinee import Candidate, Examinee, Message, Reply, Trouble, exchange
from dicegame.match.states import EDGES, SUBJECTS, Case, Chair, collect, kinds_of, names_of, plain
from dicegame.match.stats import percentile
from dicegame.players.base import Player, Request
from dicegame.players.builtin import make
from dicegame.players.process import BYE_SECONDS
from dicegame.protocol import Ready, error
from dicegame.referee import Referee
from dicegame.rules.load import load, presets
from dicegame.rules.model import HighDiceRules
from dicegame.text import N_, _, clean, decimal, ltr, ngettext, number, quote

STATES = 3_000  # of every rule set
SEED = "dicegame bot check"
LONG = 20  # times the usual target
LONG_HIGH_DICE = 200  # wins
QUESTIONS = 5  # in each of several games
_OPPONENT = "house"


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its stable English name and its title in the user's language, and what was seen.

    `done` is False where it could not be taken, since another one had failed; such a step has not passed. `example` is a state that was
    answered wrongly: the rule set, the seat, and the state.
    """

    name: str
    title: str
    passed: bool
    detail: str
    done: bool = True
    example: dict[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the step as `--json` prints it."""
        told: dict[str, Any] = {"name": self.name, "passed": self.passed, "detail": self.detail, "done": self.done}
        return told if self.example is None else told | {"example": self.example}


class Wrong(Trouble):
    """Trouble with one state, which is shown."""

    def __init__(self, said: str, example: dict[str, Any]) -> None:
        super().__init__(said)
        self.example = example


class NotDone(Exception):
    """A step can't be taken; the text says why."""


@dataclass(slots=True)
class Verdict:
    """What became of one state: what was wrong with the answer, if anything."""

    case: Case
    wrong: str | None = None


@dataclass(slots=True)
class _Judging:
    """What the states have brought: verdicts, the kinds that failed, those at which the bot crashed or hung, and what stopped it all."""

    verdicts: list[Verdict] = field(default_factory=list)
    failed: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    stopped: str | None = None

    def of(self, kind: str) -> list[Verdict]:
        """Return the verdicts on the states whose last kind this is, but for those of a kind that has failed already."""
        return [v for v in self.verdicts if v.case.kinds[-1] == kind and not self.failed & set(v.case.kinds)]


class Check:
    """One examination. `run` yields the steps as they are taken; the examinee is the caller's to close."""

    def __init__(self, examinee: Examinee, *, states: int = STATES, seed: str = SEED) -> None:
        """Prepare an examination with about so many states of every rule set, the same ones for the same seed."""
        self.examinee = examinee
        self._states = states
        self._seed = seed
        self._usable: set[str] = set()  # the steps that others may build on
        self._cause: dict[str, str] = {}  # of a step that could not be taken: the one that failed
        self._subjects: Sequence[str] = SUBJECTS
        self._cases: dict[str, list[Case]] = {}
        self._judging = _Judging()
        self._ready_line = b""
        self._games = 0
        self._one_process = True  # whether one process plays several games

    def run(self) -> Iterator[Step]:
        """Take the steps one after the other."""
        yield self._take(N_("start"), self._start)
        yield self._take(N_("ready"), self._ready, "start")
        yield self._take(N_("decision"), self._decision, "ready")
        yield self._take(N_("same state twice"), self._twice, "decision")
        yield self._take(N_("several games"), self._several_games, "decision")
        yield self._take(N_("unknown fields"), self._unknown_fields, "decision")
        yield self._take(N_("unknown messages"), self._unknown_messages, "decision")
        if "decision" in self._usable:
            self._put_states()
        for subject in self._subjects:
            yield self._take(N_("states: %s"), partial(self._judge, subject), "decision", of=subject)
        for edge in self._edges():
            yield self._take(N_("edge: %s"), partial(self._judge, edge), "decision", of=edge)
        for subject in self._subjects:
            yield self._take(N_("games: %s"), partial(self._play, subject), "decision", of=subject)
        yield self._take(N_("long game"), self._long_game, "decision")
        yield self._take(N_("events"), self._events, "decision")
        yield self._take(N_("bye"), self._bye, "start")
        yield self._take(N_("end of input"), self._end_of_input, "start")
        yield self._take(N_("nothing else on stdout"), self._output, "start")
        yield self._take(N_("latency"), self._latency, "decision")

    def _take(self, name: str, act: Callable[[], str], needs: str = "", *, of: str = "") -> Step:
        """Take one step. `of` is what stands in its name in place of %s."""
        named, title = (name % of, _(name) % ltr(_(of))) if of else (name, _(name))
        if needs and needs not in self._usable:
            self._cause.setdefault(named, self._cause.get(needs, needs))
            said = _("not done: the step %s failed") % quote(_(self._cause[named]))
            return Step(named, title, False, said, done=False)
        try:
            detail = act()
        except Wrong as wrong:
            return Step(named, title, False, str(wrong), example=wrong.example)
        except Trouble as trouble:
            return Step(named, title, False, str(trouble))
        except NotDone as why:
            return Step(named, title, False, _("not done: %s") % why, done=False)
        self._usable.add(named)
        return Step(named, title, True, detail)

    # Getting ready

    def _start(self) -> str:
        try:
            self._ready_line = self.examinee.start()
        except Trouble as trouble:
            if not self.examinee.strays:
                raise
            raise Trouble(
                _("%(trouble)s; it said: %(line)s") % {"trouble": trouble, "line": self.examinee.strays[0]}
            ) from None
        return _("ready in %s ms") % _ms(self.examinee.starts[0])

    def _ready(self) -> str:
        self.examinee.meet(self._ready_line)
        ready = self.examinee.ready
        assert ready is not None, "it was met"
        known, unknown = _subjects_of(ready)
        if not known:
            raise Trouble(_("it plays only %s, and none of these is a rule set here") % quote(", ".join(unknown)))
        self._subjects = known
        for subject in known:
            self._cases[subject] = collect(subject, self._states, self._seed)
        self._usable.add("ready")  # it can be played with, whatever it is called
        if not ready.name or clean(ready.name) != ready.name:
            raise Trouble(_("its name is empty, or has characters that can't be shown"))
        values = {"name": quote(ready.name, 60), "games": ltr(", ".join(known))}
        said = _("%(name)s plays %(games)s") % values
        return said if not unknown else _("%(said)s (not tried: %(unknown)s)") % {
            "said": said, "unknown": quote(", ".join(unknown)),
        }  # fmt: skip

    # Single answers

    def _plain_cases(self) -> list[Case]:
        """Return one ordinary state of each engine that the bot plays."""
        found: dict[str, Case] = {}
        for cases in self._cases.values():
            found.setdefault(cases[0].chair.engine.rules.engine, plain(cases))
        return list(found.values())

    def _put(self, case: Case, change: Callable[[Message], Message] | None = None) -> Reply:
        """Put one state; whether the answer is legal is judged with all others."""
        reply = self.examinee.ask(case.chair.engine, case.state, change)
        if reply.refusal is not None:
            self._judging.verdicts.append(Verdict(case, _answered(case, reply)))
        return reply

    def _decision(self) -> str:
        shown = []
        for case in self._plain_cases():
            self.examinee.fresh()
            self.examinee.enter(case.chair)
            reply = self._put(case)
            shown.append(_exchange(case, reply))
        return "; ".join(shown)

    def _twice(self) -> str:
        same = True
        for case in self._plain_cases():
            self.examinee.fresh()
            self.examinee.enter(case.chair)
            first, second = self._put(case), self._put(case)
            same = same and first.decision.keep == second.decision.keep and first.decision.bank == second.decision.bank
        return _("the same answer twice") if same else _("another answer the second time, which is fine")

    def _unknown_fields(self) -> str:
        for case in self._plain_cases():
            self.examinee.fresh(_with_unknown)
            self.examinee.enter(case.chair, change=_with_unknown)
            self._put(case, _with_unknown)
            self._put(case, _with_unknown)
            self.examinee.result(_nobody_won(case.chair), _with_unknown)
            if self._one_process:  # then the next game shows that it is still there
                self.examinee.enter(case.chair)
                self._put(case)
        return _("passed over in every message")

    def _unknown_messages(self) -> str:
        for case in self._plain_cases():
            self.examinee.fresh()
            self.examinee.tell({"type": "x-weather", "outlook": ["fair", None, {"dice": [7]}]})
            self.examinee.enter(case.chair)
            for message in (
                {"type": "event", "game": self.examinee.game, "event": "x-sneeze", "seat": 0, "at": 2},
                {"type": "x-clock", "left": 0},
                error(None, "x-tired", "nothing is wrong: this only shows that an error wants no answer"),
            ):
                self.examinee.tell(message)
            self._put(case)
        return _("passed over: an unknown type, an unknown event, an error")

    # Whole games

    def _several_games(self) -> str:
        """Begin three games in one process, with a few ordinary questions in each."""
        self.examinee.fresh()
        games = [self._subjects[place % len(self._subjects)] for place in range(3)]
        for place, subject in enumerate(games, 1):
            cases = self._cases[subject]
            chair = plain(cases).chair
            ordinary = [case for case in cases if case.chair == chair and len(case.kinds) == 1]
            try:
                self.examinee.enter(chair)
                for case in ordinary[:QUESTIONS] or [plain(cases)]:
                    self._put(case)
                self.examinee.result(_nobody_won(chair))
            except Trouble as trouble:
                self._one_process = False
                values = {"n": number(place), "rules": ltr(subject), "what": trouble}
                raise Trouble(_("in game %(n)s of one process (%(rules)s): %(what)s") % values) from None
        return _("in one process: %s") % ltr(", ".join(games))

    def _small_chair(self, subject: str, seat: int) -> Chair:
        engine = self._cases[subject][0].chair.engine
        low, high = engine.rules.seats
        seats = min(max(low, 2), high)
        return Chair(engine, seats, min(seat, seats - 1))

    def _game(self, chair: Chair, subject: str) -> tuple[Outcome, Candidate]:
        """Play one game with the bot in its chair and the default computer player in the others.

        What has failed at some states already fails nothing here: those answers are passed over, and where it broke down it is not asked.
        """
        judging = self._judging

        def judge(request: Request, reply: Reply) -> None:
            case = Case(chair, request.state, kinds_of(subject, request.engine, request.state))
            if reply.refusal is not None and not judging.failed & set(case.kinds):
                raise Wrong(_answered(case, reply), _example(case))

        def spare(request: Request) -> bool:
            return bool(judging.broken) and not judging.broken.isdisjoint(
                kinds_of(subject, request.engine, request.state)
            )

        if not self._one_process:
            self.examinee.leave()
        self._games += 1
        candidate = Candidate(self.examinee, judge, spare)
        players: list[Player] = [make(_OPPONENT) for _seat in range(chair.seats)]
        players[chair.seat] = candidate
        key = stream_key(seed_from_text(self._seed), self._games)
        referee = Referee(
            chair.engine,
            players,
            SeededDice(key),
            names=names_of(chair.seats),
            game=f"check-game-{self._games}",
            seed_key=key,
        )
        return referee.play(), candidate

    def _play(self, subject: str) -> str:
        engine = self._cases[subject][0].chair.engine
        low, high = engine.rules.seats
        if isinstance(engine, PushLuck):
            chairs = [self._small_chair(subject, 0), self._small_chair(subject, 1), Chair(engine, high, high - 1)]
        else:
            chairs = [Chair(engine, seats, seats // 2) for seats in range(low, high + 1)]
        decisions = -len(self.examinee.times)
        for chair in chairs:
            self._game(chair, subject)
        decisions += len(self.examinee.times)
        values = {"games": number(len(chairs)), "decisions": number(decisions)}
        return _("%(games)s whole games against the computer, %(decisions)s decisions") % values

    def _long_game(self) -> str:
        subject = next((s for s in self._subjects if isinstance(self._engine(s), PushLuck)), self._subjects[0])
        rules = self._engine(subject).rules
        if isinstance(rules, HighDiceRules):
            chair = Chair(engine_for(load(subject, [f"to={LONG_HIGH_DICE}"])), max(3, rules.seats[0]), 1)
        else:
            chair = self._small_chair(subject, 1)
            chair = Chair(engine_for(load(subject, target=rules.target * LONG)), chair.seats, chair.seat)
        decisions = -len(self.examinee.times)
        self._game(chair, subject)
        decisions += len(self.examinee.times)
        return ngettext("%s decision in one game", "%s decisions in one game", decisions) % number(decisions)

    def _engine(self, subject: str) -> Engine[Any]:
        return self._cases[subject][0].chair.engine

    def _events(self) -> str:
        ready = self.examinee.ready
        if ready is None or not ready.events:
            return _("it asks for none, and was sent none")
        self.examinee.fresh()
        subject, strays = self._subjects[0], self.examinee.stray_count
        _outcome, candidate = self._game(self._small_chair(subject, 0), subject)
        self.examinee.leave()
        if self.examinee.stray_count > strays:
            raise Trouble(_("it answers events: they are told, not asked"))
        return _("%s events of one game were sent to it, as it asked") % number(candidate.events)

    # Thousands of states

    def _put_states(self) -> None:
        """Put every state to the bot, chair by chair, and keep what is wrong with the answers."""
        self.examinee.leave()
        cases = (case for group in self._cases.values() for case in group)
        for chair, group in groupby(cases, key=lambda case: case.chair):
            if not self._one_process:
                self.examinee.leave()
            try:
                self._put_group(chair, list(group))
            except Trouble as trouble:
                self._judging.stopped = str(trouble)
                return

    def _put_group(self, chair: Chair, cases: Sequence[Case]) -> None:
        """Put the states of one chair, but for those at which the bot has broken down before.

        Raises:
            Trouble: it can't be started again.
        """
        judging = self._judging
        self.examinee.enter(chair)
        for case in cases:
            if not judging.broken.isdisjoint(case.kinds):
                continue
            if not self.examinee.running:
                self.examinee.enter(chair)
            wrong = None
            try:
                reply = self.examinee.ask(chair.engine, case.state)
            except Trouble as trouble:
                wrong = _broke(case, str(trouble))
                judging.broken.add(case.kinds[-1])
            else:
                if reply.refusal is not None:
                    wrong = _answered(case, reply)
            judging.verdicts.append(Verdict(case, wrong))
        if self.examinee.running:
            self.examinee.result(_nobody_won(chair))

    def _edges(self) -> list[str]:
        """Return the edges that the states of the bot's rule sets stand at."""
        cases = [case for group in self._cases.values() for case in group]
        there = {case.kinds[-1] for case in cases}
        return [edge for edge in EDGES if not cases or edge in there]

    def _judge(self, kind: str) -> str:
        """Judge the states of one kind: a rule set without edges, or an edge."""
        judging = self._judging
        verdicts = judging.of(kind)
        wrong = [verdict for verdict in verdicts if verdict.wrong is not None]
        if wrong:
            judging.failed.add(kind)
            first = min(wrong, key=lambda verdict: len(verdict.case.kinds))
            said = ngettext(
                "%(wrong)s of %(n)s answers is wrong: %(first)s",
                "%(wrong)s of %(n)s answers are wrong, the first: %(first)s",
                len(wrong),
            )
            values = {"wrong": number(len(wrong)), "n": number(len(verdicts)), "first": first.wrong}
            raise Wrong(said % values, _example(first.case))
        if judging.stopped is not None:
            raise NotDone(judging.stopped)
        if not any(case.kinds[-1] == kind for group in self._cases.values() for case in group):
            return _("there is no such state among the few that were put")
        if not verdicts:
            raise NotDone(_("all such states belong to what has failed already"))
        return ngettext("%s answer, legal", "%s answers, all of them legal", len(verdicts)) % number(len(verdicts))

    # The end

    def _before_the_end(self) -> None:
        self.examinee.fresh()
        if "decision" in self._usable:
            case = self._plain_cases()[0]
            self.examinee.enter(case.chair)
            self._put(case)

    def _bye(self) -> str:
        self._before_the_end()
        ending = self.examinee.end(BYE_SECONDS, bye=True, close=False)
        if ending.ended:
            return _left(ending.seconds, ending.code)
        late = self.examinee.end(BYE_SECONDS, bye=False, close=True)
        said = _("a second after bye it is still there")
        raise Trouble(_("%s; it ends when its input does") % said if late.ended else said)

    def _end_of_input(self) -> str:
        self._before_the_end()
        ending = self.examinee.end(BYE_SECONDS, bye=False, close=True)
        if not ending.ended:
            raise Trouble(_("a second after the end of its input it is still there"))
        return _left(ending.seconds, ending.code)

    def _output(self) -> str:
        self.examinee.leave()
        strays = self.examinee.strays
        if strays:
            n = self.examinee.stray_count
            said = ngettext(
                "%(n)s line that nobody asked for: %(first)s",
                "%(n)s lines that nobody asked for, the first: %(first)s",
                n,
            )
            raise Trouble(said % {"n": number(n), "first": strays[0]})
        return _("its answers are all that it writes there")

    def _latency(self) -> str:
        times, clock = sorted(self.examinee.times), self.examinee.clock
        if not times:
            raise NotDone(_("it made no decision"))
        values = {
            "n": number(len(times)),
            "median": _ms(percentile(times, 0.5)),
            "p90": _ms(percentile(times, 0.9)),
            "p99": _ms(percentile(times, 0.99)),
            "most": _ms(times[-1]),
            "start": _ms(statistics.median(self.examinee.starts)),
        }
        said = _(
            "%(n)s decisions: half within %(median)s ms, 90%% within %(p90)s ms, 99%% within %(p99)s ms, the longest %(most)s ms; "
            "a start: %(start)s ms"
        )
        if clock.running and percentile(times, 0.99) * 1000 > clock.decision_ms:
            late = _("more than one decision in a hundred takes longer than its %s ms") % number(clock.decision_ms)
            raise Trouble(f"{late}; {said % values}")
        return said % values


def _subjects_of(ready: Ready) -> tuple[list[str], list[str]]:
    """Return the rule sets that a bot is asked to play, and the names that it gives and that are none here."""
    if ready.games is None:
        return list(SUBJECTS), []
    wanted = set(ready.games)
    engines = {name: load(name).engine for name in presets()}
    by_engine = {name for name in SUBJECTS if engines[name] in wanted}
    found = [name for name in presets() if name in wanted | by_engine]
    return found, [game for game in ready.games if game not in engines and game not in engines.values()]


def _with_unknown(message: Message) -> Message:
    """Return a message to which fields were added that there are not: at its end, and at the end of the objects in it (not of maps)."""
    odd = {"x-note": 'a "new" field } ] \\ é', "x-more": {"dice": [], "deep": [{"a": None}, 1.5, True]}}
    changed = dict(message)
    for key, value in message.items():
        if isinstance(value, dict):
            changed[key] = value | odd if key == "rules" else _with_unknown(value)
    if "options" in message:
        changed["options"] = [{**option, "x-rank": 1} for option in message["options"]]
    return changed | odd


def _nobody_won(chair: Chair) -> Outcome:
    return Outcome((0,) * chair.seats, (), Reason.FORFEIT)


def _answered(case: Case, reply: Reply) -> str:
    """Return what is wrong with an answer."""
    why = reply.refusal.message if reply.refusal else ""
    values = {"rules": ltr(case.kinds[0]), "exchange": _exchange(case, reply), "why": why}
    return _("%(rules)s: %(exchange)s: %(why)s") % values


def _broke(case: Case, what: str) -> str:
    return _("%(rules)s, asked with %(dice)s: %(what)s") % {
        "rules": ltr(case.kinds[0]), "dice": ltr(format_dice(_dice(case))), "what": what,
    }  # fmt: skip


def _exchange(case: Case, reply: Reply) -> str:
    return exchange(case.chair.engine, case.state, reply.decision)


def _dice(case: Case) -> Dice:
    dice: Dice = case.state.dice if isinstance(case.chair.engine, PushLuck) else case.state.dice[case.state.seat]
    return dice


def _example(case: Case) -> dict[str, Any]:
    state = case.chair.engine.describe(case.state)
    return {"rules": case.kinds[0], "seat": case.state.seat, "state": state}


def _left(seconds: float, code: int | None) -> str:
    values = {"ms": _ms(seconds), "code": ltr(code)}
    return _("gone after %(ms)s ms, exit code %(code)s") % values


def _ms(seconds: float) -> str:
    return ltr(decimal(seconds * 1000, 3 if seconds < 0.01 else 1 if seconds < 0.1 else 0))
