"""`dicegame bot shell`: talk to a bot by hand, and see every line both ways."""

from __future__ import annotations

import os
import select
import shlex
import sys
import time
from collections.abc import Iterator

import click

from dicegame import protocol
from dicegame.cli.bot_ask import parse_state
from dicegame.cli.bot_tools import BotFailed, Opened, opened
from dicegame.cli.common import load_rules
from dicegame.errors import EXIT_DONE, DicegameError, InputError, InvalidDecision
from dicegame.games import engine_for
from dicegame.games.base import Outcome, Reason, check_seats
from dicegame.games.notation import parse_faces
from dicegame.games.pushluck import PushLuck
from dicegame.match.examinee import exchange
from dicegame.match.states import names_of
from dicegame.players.base import BotFault, FaultCode
from dicegame.players.conversation import Conversation, decision_of, refusal_of
from dicegame.players.process import BYE_SECONDS
from dicegame.players.treatment import Treatment
from dicegame.rules.model import RuleSet
from dicegame.terminal.layout import row, width
from dicegame.text import N_, _, clean, decimal, ltr, number, quote

SEATS = 2
_QUIET = 0.2  # seconds in which a line that may want no answer gets one, where nobody sits before a screen
_FOREVER = 1e6  # seconds; poll takes no more than 2^31 milliseconds
_PROMPT = "> "

COMMANDS = (
    ("roll DICE", N_("ask what to do with this roll, in a game that has just begun: roll 1 2 3 4 6 6 (high dice: 6 2 1 / 5 5 3)")),
    ("state JSON", N_("put a state, or a whole decide message")),
    ("game NAME [FIELD=VALUE...]", N_("begin another game; seats=N and seat=N say where the bot sits")),
    ("send LINE", N_("send a line as it stands")),
    ("result", N_("end the game")),
    ("restart", N_("end the process and start another")),
    ("bye", N_("say goodbye, and see whether it goes")),
    ("quit", N_("say goodbye and leave")),
)  # fmt: skip


def talk_to_bot(word: str, rules: RuleSet, treatment: Treatment) -> int:
    """Read commands to their end and return the exit code.

    Raises:
        BotFailed: the bot never got ready.
    """
    with opened(word, treatment) as bot:
        shell = _Shell(bot, rules)
        try:
            shell.start()
            for line in shell.commands():
                if line.split(maxsplit=1)[:1] in (["quit"], ["exit"]):
                    break
                shell.obey(line)
            shell.leave()
        finally:
            shell.close()
    if not shell.was_ready:
        raise BotFailed(_("the bot never got ready"))
    return EXIT_DONE


class _Shell:
    """One bot on one side and the commands of a person or a file on the other."""

    def __init__(self, bot: Opened, rules: RuleSet) -> None:
        self.was_ready = False
        self._bot = bot
        self._engine = engine_for(rules)
        low, high = rules.seats
        self._seats, self._seat = min(max(SEATS, low), high), 0
        check_seats(rules, self._seats)
        self._conversation: Conversation | None = None
        self._sent = 0.0  # when the last line was sent
        self._next_id = 0
        self._games = 0
        self._in_game = False
        self._typed = b""
        self._terminal = sys.stdin.isatty()

    # The two sides

    def commands(self) -> Iterator[str]:
        """Yield what is typed, line by line; what the bot says in between is shown as it comes."""
        stdin = sys.stdin.fileno()
        while True:
            self._prompt()
            while b"\n" not in self._typed:
                poll = select.poll()
                poll.register(stdin, select.POLLIN)
                if self._conversation is not None:
                    poll.register(self._conversation.output, select.POLLIN)
                ready = {fd for fd, _event in poll.poll()}
                if stdin not in ready:
                    self._overhear()
                    continue
                typed = os.read(stdin, 65_536)
                if not typed:
                    break
                self._typed += typed
            line, newline, self._typed = self._typed.partition(b"\n")
            if line.strip():
                yield line.decode("utf-8", "replace").strip()
            if not newline:
                return

    def _prompt(self) -> None:
        if self._terminal:
            click.echo(_PROMPT, nl=False)

    def _show(self, direction: str, line: bytes, seconds: float) -> None:
        """Print a line of the wire; an answer with the time that it took."""
        text = clean(line.decode("utf-8", "replace").rstrip("\n"), len(line))
        if direction == ">":
            self._sent = time.monotonic()
            click.echo(ltr(f"-> {text}"))
        else:
            took = (time.monotonic() - self._sent) * 1000
            click.echo(ltr(f"<- {text}   ({decimal(took, 3)} ms)"))
        if self._bot.on_line is not None:
            self._bot.on_line(direction, line, seconds)

    def _overhear(self) -> None:
        """Show what the bot says by itself, or that it is gone."""
        conversation = self._conversation
        if conversation is None:
            return
        try:
            while conversation.pending() is not None:
                continue
        except BotFault as fault:
            self._gone(fault)
        else:
            if not conversation.alive:
                self._gone(BotFault(FaultCode.CRASHED, _("it ended, or closed its output")))

    def _gone(self, fault: BotFault) -> None:
        if self._conversation is not None:
            row(ltr(self._conversation.autopsy(fault)))
        self.close()

    # The process

    def start(self) -> None:
        """Start the bot and say hello; what is wrong with its answer is told.

        Raises:
            BotFailed: it can't be started at all.
        """
        clock = self._bot.clock
        times = (clock.decision_ms, clock.reserve_ms) if clock.running else (None, None)
        try:
            self._conversation = Conversation(self._bot.program, self._bot.containment, on_line=self._show)
        except BotFault as fault:
            raise BotFailed(f"{fault.code}: {fault.detail}") from None
        self._next_id = 0
        self._in_game = False
        self._conversation.send(protocol.hello(start_ms=clock.start_ms, decision_ms=times[0], reserve_ms=times[1]))
        message = self._heard(time.monotonic() + clock.start_ms / 1000)
        if isinstance(message, protocol.Ready):
            self.was_ready = True
            self._begin()
        elif message is not None:
            row(_("ready is expected first"))

    def _running(self) -> Conversation:
        if self._conversation is None:
            self.start()
        if self._conversation is None:
            raise BotFailed(_("the bot never got ready"))
        return self._conversation

    def close(self) -> None:
        """End the process."""
        conversation, self._conversation = self._conversation, None
        if conversation is not None:
            conversation.close()

    def leave(self) -> None:
        """Say goodbye, and tell whether the bot went."""
        conversation = self._conversation
        if conversation is None:
            return
        ending = conversation.end(BYE_SECONDS)
        if ending.code is None:
            row(_("a second after bye it is still there, and is ended"))
        else:
            values = {"ms": ltr(decimal(ending.seconds * 1000, 3)), "code": ltr(ending.code)}
            row(_("gone after %(ms)s ms, exit code %(code)s") % values)
        log = conversation.log()
        if log:
            row(_("its log ends: %s") % quote(log.splitlines()[-1]))
        self.close()

    def _heard(self, deadline: float) -> protocol.Ready | protocol.Answer | None:
        """Wait for one line and return its message; what is wrong with it is told, and None returned."""
        conversation = self._running()
        try:
            return protocol.parse(conversation.receive(deadline))
        except InvalidDecision as error:
            row(error.message)
        except BotFault as fault:
            if fault.code is FaultCode.TIMED_OUT and conversation.alive:
                row(ltr(conversation.autopsy(fault)))
            else:
                self._gone(fault)
        return None

    # Commands

    def obey(self, line: str) -> None:
        """Do one command; what is wrong with it is told."""
        word, _space, rest = line.partition(" ")
        commands = {
            "roll": self._roll, "state": self._state, "game": self._game, "send": self._send,
            "result": self._result, "restart": self._restart, "bye": self._bye, "help": self._help,
        }  # fmt: skip
        try:
            if word not in commands:
                raise InputError(_("there is no command %s; help lists them") % quote(word))
            commands[word](rest.strip())
        except BotFailed:
            raise
        except DicegameError as error:
            row(error.message)

    def _help(self, _rest: str) -> None:
        formatter = click.HelpFormatter(width=width())
        formatter.write_dl([(ltr(command), _(meaning)) for command, meaning in COMMANDS])
        click.echo(formatter.getvalue(), nl=False)

    def _roll(self, rest: str) -> None:
        rolls = [list(parse_faces(part)) for part in rest.split("/")]
        if isinstance(self._engine, PushLuck):
            if len(rolls) != 1:
                raise InputError(_("one roll is asked about here, without a /"))
            self._ask({"scores": [0] * self._seats, "dice": rolls[0]}, self._seat)
        else:
            self._ask({"dice": rolls}, None)

    def _state(self, rest: str) -> None:
        described, seat = parse_state(rest)
        self._ask(described, self._seat if seat is None and isinstance(self._engine, PushLuck) else seat)

    def _ask(self, described: object, seat: int | None) -> None:
        """Put a state to the bot, wait for its answer, and say whether it is legal."""
        state = self._engine.restore(described, seat)
        conversation = self._running()
        if not self._in_game:
            self._begin()
        self._next_id += 1
        question = protocol.decide(self._next_id, self._game_id, state.seat, self._engine, state)
        clock = self._bot.clock
        seconds = _FOREVER
        if clock.running:
            question |= {"decision_ms": clock.decision_ms, "reserve_ms": clock.reserve_ms}
            seconds = (clock.decision_ms + clock.reserve_ms) / 1000
        conversation.send(question)
        message = self._heard(time.monotonic() + seconds)
        if message is None:
            return
        if isinstance(message, protocol.Ready) or message.id != self._next_id:
            row(_("this is no answer to question %s") % number(self._next_id))
            return
        decision = decision_of(message, self._engine)
        refusal = refusal_of(self._engine, state, decision)
        shown = exchange(self._engine, state, decision)
        row(
            _("%(exchange)s: legal") % {"exchange": shown}
            if refusal is None
            else _("%(exchange)s: not legal: %(why)s") % {"exchange": shown, "why": refusal.message}
        )

    @property
    def _game_id(self) -> str:
        return f"shell-{self._games}"

    def _game(self, rest: str) -> None:
        try:
            name, *changes = shlex.split(rest)
        except ValueError:
            raise InputError(_("game is followed by the name of a rule set")) from None
        places = {"seats": "", "seat": ""}
        fields = []
        for change in changes:
            field, _sign, value = change.partition("=")
            if field in places:
                places[field] = value
            else:
                fields.append(change)
        rules = load_rules(name, tuple(fields), None)
        low, high = rules.seats
        seats = _place("seats", places["seats"], min(max(SEATS, low), high))
        check_seats(rules, seats)
        seat = _place("seat", places["seat"], 0)
        if seat >= seats:
            raise InputError(_("seat %s is not in this game") % ltr(seat), seat=seat)
        if self._conversation is not None:
            self._result("")
        self._engine, self._seats, self._seat = engine_for(rules), seats, seat
        if self._conversation is None:
            self.start()  # which begins the game
        else:
            self._begin()

    def _begin(self) -> None:
        """Tell the bot that a game begins."""
        self._games += 1
        self._in_game = True
        message = protocol.game(
            self._game_id,
            self._engine,
            players=names_of(self._seats),
            seat=self._seat,
            seed=self._games,
            commitment=None,
        )
        self._running().send(message)

    def _send(self, rest: str) -> None:
        self._running().send(rest.encode())
        if not self._terminal:
            self._wait_a_moment()

    def _wait_a_moment(self) -> None:
        """Show what comes within a moment: with commands from a file nobody waits for it."""
        conversation = self._running()
        try:
            conversation.receive(time.monotonic() + _QUIET)
        except BotFault as fault:
            if fault.code is not FaultCode.TIMED_OUT:
                self._gone(fault)

    def _result(self, _rest: str) -> None:
        conversation = self._running()
        if self._in_game:
            self._in_game = False
            outcome = Outcome((0,) * self._seats, (self._seat,), Reason.TARGET)
            conversation.send(protocol.result(self._game_id, outcome, None))

    def _restart(self, _rest: str) -> None:
        self.leave()
        self.start()

    def _bye(self, _rest: str) -> None:
        self.leave()


def _place(field: str, text: str, default: int) -> int:
    if not text:
        return default
    if not (text.isascii() and text.isdigit()):
        raise InputError(_("%s is a whole number") % ltr(field))
    return int(text[:9])
