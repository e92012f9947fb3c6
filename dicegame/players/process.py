"""An external bot as a player: handshake, questions with a clock, faults; one process for many games."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from dicegame import protocol
from dicegame.errors import IllegalDecision, InvalidDecision, UnsupportedError
from dicegame.games.base import Decision, Outcome, Throw
from dicegame.games.events import Dice, Event
from dicegame.players.answers import answer_of, decision_of, ready_of
from dicegame.players.base import BotFault, FaultCode, Request, Seating
from dicegame.players.bots import BotProgram
from dicegame.players.connection import Connection
from dicegame.players.containment import Containment, StartFailed
from dicegame.players.faults import FaultReport, clean_log, ending
from dicegame.players.meter import Meter, Share, Tree, starved
from dicegame.players.sandbox import Level
from dicegame.players.treatment import Clock
from dicegame.protocol import line_of
from dicegame.text import _, clean, number, quote

STALE_LINES = 1000  # answers to questions decided long ago that are passed over between two questions
BYE_SECONDS = 1.0
_SLOW = 0.02  # seconds after which it is looked at what share of the processor a bot gets
_NEVER = 1e9  # seconds: no clock
_ENDED = {FaultCode.CRASHED, FaultCode.START_FAILED, FaultCode.FLOODED}  # no process is left after these


class ExternalBot:
    """A bot in a process of its own, started when first needed and again after a fault.

    `faults` collects what it did wrong, `meter` what it used.
    """

    def __init__(
        self,
        program: BotProgram,
        containment: Containment,
        *,
        name: str,
        clock: Clock | None = None,
        line_bytes: int = protocol.LINE_BYTES,
        freeze: bool = False,
        wire_log: Callable[[str], None] | None = None,
        on_decision: Callable[[float], None] | None = None,
    ) -> None:
        """Prepare a bot; nothing is started yet."""
        self.program = program
        self.name = name
        self.clock = clock or Clock()
        self.faults: list[FaultReport] = []
        self.meter = Meter()
        self.dice_key: str | None = None  # what the result opens
        self.ready: protocol.Ready | None = None
        self._containment = containment
        self._line_bytes = line_bytes
        self.freeze = freeze  # whether its processes are stopped between its turns
        self._wire_log = wire_log
        self._on_decision = on_decision
        self._connection: Connection | None = None
        self._seating: Seating | None = None
        self._game_line = b""
        self._next_id = 0
        self._reserve = 0.0
        self._tree: Tree | None = None
        self._early: tuple[BotFault, FaultReport] | None = None  # from getting ready; its next turn shows it

    # One process

    def start(self) -> None:
        """Start the process and shake hands, unless it is running.

        Raises:
            BotFault: it can't be started, or is not ready in time.
        """
        if self._connection is not None:
            return
        begun = time.monotonic()
        try:
            running = self._containment.start(self.program.command, self.program.shows)
        except StartFailed as error:
            text = _("can't run %(command)s: %(reason)s") % {"command": self.program.command[0], "reason": error}
            raise BotFault(FaultCode.START_FAILED, text, blameless=error.ours) from None
        self._connection = Connection(running, self._line_bytes)
        self._next_id = 0
        clock = self.clock
        times = (clock.decision_ms, clock.reserve_ms) if clock.running else (None, None)
        self._send(protocol.hello(start_ms=clock.start_ms, decision_ms=times[0], reserve_ms=times[1]))
        try:
            self.ready = ready_of(self._receive(begun + clock.start_ms / 1000))
        except InvalidDecision as error:
            raise BotFault(FaultCode.START_FAILED, error.message) from None
        except BotFault as fault:
            raise BotFault(FaultCode.START_FAILED, _("before it was ready: %s") % fault.detail) from None
        self._tree = Tree(running.pid, sandboxed=self._containment.level is Level.BWRAP)
        self._tree.cpu()  # getting ready is neither on turn nor off turn
        self.meter.starts += 1
        self.meter.start_seconds = time.monotonic() - begun

    def part(self) -> None:
        """Say goodbye; `stop` waits for the end. Several bots leave together if all are parted with first."""
        connection = self._connection
        if connection is not None and connection.running.stdin >= 0:
            self.measure()
            self._wake()
            self._send(protocol.bye())
            connection.close_input()

    def stop(self, deadline: float | None = None) -> int | None:
        """Say goodbye, wait a second at most or until `deadline`, and leave nothing behind; return how the process ended."""
        self.part()
        if self._connection is not None:
            self._connection.drain(time.monotonic() + BYE_SECONDS if deadline is None else deadline)
        return self.kill()

    def kill(self) -> int | None:
        """End the process at once; return how it had ended, if it had by itself."""
        connection, self._connection = self._connection, None
        self.ready = self._tree = None
        return None if connection is None else self._containment.kill(connection.running)

    def measure(self) -> None:
        """Count what has been used since the last turn."""
        if self._tree is not None:
            self.meter.off_turn_cpu += self._tree.cpu()
            self._tree.look()
            self.meter.memory = max(self.meter.memory, self._tree.peak)

    def _rest(self) -> None:
        """Stop the bot's processes until its next turn, if that is wanted."""
        if self.freeze and self._tree is not None:
            self._tree.stop()

    def _wake(self) -> None:
        if self.freeze and self._tree is not None:
            self._tree.go_on()

    # A player

    def begin(self, seating: Seating) -> None:
        """Take a seat: a fault in getting ready shows when the seat is first to decide.

        Raises:
            UnsupportedError: the bot says that it does not play this game.
        """
        self._seating = seating
        self._reserve = self.clock.reserve_ms / 1000
        self._early = None
        if self._connection is not None:
            self._connection.fresh_log()
        self._game_line = line_of(seating.message())
        try:
            self.start()
        except BotFault as fault:
            self._early = fault, self._autopsy(fault)
        else:
            self._enter()
            self._rest()

    def _enter(self) -> None:
        """Tell a running bot about the game.

        Raises:
            UnsupportedError: it does not play it.
        """
        seating, ready = self._seating, self.ready
        if seating is None or ready is None:
            raise AssertionError("no game to enter")
        rules = seating.engine.rules
        if ready.games is not None and not {rules.name, rules.engine} & set(ready.games):
            values = {"bot": quote(self.name), "rules": quote(rules.name), "known": quote(", ".join(ready.games))}
            raise UnsupportedError(_("%(bot)s does not play %(rules)s, only %(known)s") % values)
        self._send_bytes(self._game_line)

    def decide(self, request: Request) -> Decision:
        """Ask the bot, and check what it answers.

        Raises:
            BotFault: what it did instead of a legal answer in time; the bot has been told, and a dead one cleared away.
        """
        early, self._early = self._early, None
        if early is not None:
            self._keep(*early)
            raise early[0]
        try:
            return self._decide(request)
        except BotFault as fault:
            self._keep(fault, self._autopsy(fault))
            raise

    def _decide(self, request: Request) -> Decision:
        if self._connection is None:
            self.start()
            self._enter()
        connection, tree = self._connection, self._tree
        if connection is None or tree is None:
            raise AssertionError("just started")
        self.meter.off_turn_cpu += tree.cpu()
        self._wake()
        if not connection.idle():
            self._unasked(connection)
        self._next_id += 1
        clock = self.clock
        seating = self._seating
        game = seating.game if seating is not None else ""
        times = (clock.decision_ms, int(self._reserve * 1000)) if clock.running else (None, None)
        line = protocol.decide_line(self._next_id, game, request.seat, request.engine, request.state, times)
        begun = time.monotonic()
        deadline = begun + (clock.decision_ms / 1000 + self._reserve if clock.running else _NEVER)
        self._send_bytes(line)
        try:
            decision = self._answer(request, begun, deadline)
        finally:
            took = time.monotonic() - begun
            if clock.running:
                self._reserve = max(0.0, self._reserve - max(0.0, took - clock.decision_ms / 1000))
            self.meter.on_turn_cpu += tree.cpu()
            self._rest()
        self.meter.decisions += 1
        if self._on_decision is not None:
            self._on_decision(took)
        return decision

    def _answer(self, request: Request, begun: float, deadline: float) -> Decision:
        """Return the answer to the question that stands, passing over late answers to old ones."""
        before: Share | None = None  # looked at only where a bot is slow
        late_id = 0
        while True:
            try:
                line = self._receive(deadline if before is not None else min(deadline, begun + _SLOW))
            except BotFault as fault:
                if fault.code is not FaultCode.TIMED_OUT or self._tree is None:
                    raise
                if before is None and time.monotonic() < deadline:
                    before = self._tree.share()
                    continue
                if late_id:
                    values = {"answered": number(late_id), "expected": number(self._next_id)}
                    fault.detail = _("no answer in time: answered id %(answered)s, expected %(expected)s") % values
                fault.blameless = before is not None and starved(before, self._tree.share())
                raise
            message = answer_of(line)
            if message.id == self._next_id:
                break
            late_id = self._late(message)
        try:
            decision = decision_of(message, request.engine)
            request.engine.check(request.state, decision)
        except InvalidDecision as error:
            raise BotFault(FaultCode.PROTOCOL, error.message) from None
        except IllegalDecision as error:
            raise BotFault(FaultCode.ILLEGAL, error.message) from None
        return decision

    def _late(self, message: protocol.Answer) -> int:
        """Return the id of an answer to a question that was decided without it; anything else is a fault."""
        if message.id is None:
            raise BotFault(FaultCode.PROTOCOL, _("the field %s is missing") % "id")
        if not 1 <= message.id < self._next_id:
            values = {"answered": clean(str(message.id), 20), "expected": number(self._next_id)}
            raise BotFault(FaultCode.PROTOCOL, _("answered id %(answered)s, expected %(expected)s") % values)
        return message.id

    def _unasked(self, connection: Connection) -> None:
        """Act on what the bot did while no answer was due: a line nobody asked for, a flood, an exit."""
        for _line_number in range(STALE_LINES):
            line = connection.pending()
            if line is None:
                break
            self._log("<", line)
            message = answer_of(line)
            if message.id is None or not 1 <= message.id <= self._next_id:
                answered = "null" if message.id is None else clean(str(message.id), 20)
                raise BotFault(FaultCode.PROTOCOL, _("answered id %s, which was not asked yet") % answered)
        else:
            raise BotFault(FaultCode.FLOODED, _("it writes without being asked"))
        if not connection.alive:
            raise BotFault(FaultCode.CRASHED, _("between its turns: %s") % connection.why_closed())

    def replayed(self, request: Request, decision: Decision) -> None:
        """Pass over a decision of the past: a bot is asked about the position alone."""

    def end(self, outcome: Outcome) -> None:
        """Tell the bot how the game ended: with the key of the dice only where no others may come from them."""
        if self._connection is not None and self._seating is not None:
            self._send(protocol.result(self._seating.game, outcome, self.dice_key))

    def dismissed(self) -> None:
        """Clear the process away: the next game begins with a fresh one."""
        self.kill()

    # An observer, for bots that asked for events

    @property
    def watches(self) -> bool:
        """Whether the bot asked to be told what happens."""
        return self.ready is not None and self.ready.events

    def event(self, event: Event, state: object) -> None:  # noqa: ARG002 - an observer's signature
        """Tell what happened."""
        if self._connection is not None and self._seating is not None and self.watches:
            self._send(protocol.event(self._seating.game, event))

    def throw(self, throw: Throw, dice: Dice) -> None:
        """Say nothing: the event follows."""

    def answer(self, seat: int, request_id: int, answer: object) -> None:
        """Say nothing: the event follows."""

    def over(self, outcome: Outcome) -> None:
        """Say nothing: `end` does."""

    # Faults

    def _keep(self, fault: BotFault, report: FaultReport) -> None:
        if not fault.blameless:
            self.faults.append(report)

    def _autopsy(self, fault: BotFault) -> FaultReport:
        """Return what the author needs; tell the bot, and clear away one that can't be trusted with another question."""
        connection, seating = self._connection, self._seating
        report = FaultReport(seating.game if seating else "", seating.seat if seating else 0, fault.code, fault.detail)
        if connection is None:
            return report
        told = self._next_id if fault.code is not FaultCode.START_FAILED else None
        self._send(protocol.error(told, fault.code, report.detail))
        if fault.code in {FaultCode.CRASHED, FaultCode.START_FAILED}:
            report.exit = self._containment.ended(connection.running)
            if report.exit is not None:
                report.detail = f"{connection.running.why or report.detail} ({ending(report.exit)})"
            fault.detail = report.detail
            fault.blameless = self._containment.lost(connection.running)
        connection.drop()
        report.wire = connection.last_lines()
        report.log = clean_log(bytes(connection.log))
        if fault.code in _ENDED:
            self.measure()
            self.kill()
        return report

    # The wire

    def _send(self, message: dict[str, object]) -> None:
        self._send_bytes(line_of(message))

    def _send_bytes(self, line: bytes) -> None:
        if self._connection is not None:
            self._log(">", line)
            self._connection.send(line)

    def _receive(self, deadline: float) -> bytes:
        if self._connection is None:
            raise AssertionError("not running")
        line = self._connection.receive(deadline)
        self._log("<", line)
        return line

    def _log(self, direction: str, line: bytes) -> None:
        if self._wire_log is not None:
            text = clean(line.decode("utf-8", "replace").rstrip("\n"), self._line_bytes)
            self._wire_log(f"{time.monotonic():.6f} {self.name} {direction} {text}")


def stop_all(bots: Iterable[ExternalBot]) -> None:
    """Stop bots together: all of them within the one second."""
    parting = list(bots)
    for bot in parting:
        bot.part()
    deadline = time.monotonic() + BYE_SECONDS
    for bot in parting:
        bot.stop(deadline)
