"""The sums of a tournament while it is played: those of the store when it began, and every block since, without reading them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dicegame.match.plan import seats_of
from dicegame.match.play import GameResult
from dicegame.match.pool import Played, SetAside
from dicegame.tournament import reader as stored
from dicegame.tournament.formats import Pairing
from dicegame.tournament.reader import Progress, Reader
from dicegame.tournament.sums import PairingSums, PlaceSums


class Tally:
    """Adds up what is played; for the eye while it lasts, since sums of fractions differ in the last digits by their order."""

    def __init__(self, reader: Reader) -> None:
        self._luck = reader.plan.luck is not None
        self._sums = {sums.pairing: sums for sums in reader.sums()}
        self._before = reader.progress()
        self.aside = list(self._before.set_aside)
        self.blocks = self._before.blocks_played
        self.games = self._before.games_played
        self.void = self._before.void

    def progress(self, blocks: int, games: int, *, complete: bool) -> Progress:
        """Return how far the tournament is, of so many blocks and games that are planned."""
        return Progress(
            self.blocks,
            blocks,
            self.games,
            games,
            self.void,
            self.aside,
            complete,
            running=True,
            whole=self._before.whole,
        )

    def sums(self) -> list[PairingSums]:
        """Return the sums so far."""
        return list(self._sums.values())

    def add(self, news: Sequence[Played | SetAside], pairings: Mapping[str, Pairing]) -> None:
        """Add what was played, or given up."""
        for task in news:
            if isinstance(task, SetAside):
                self.aside.append(
                    stored.SetAside(task.job.spec.pairing, task.job.blocks[0].number, task.tries, task.why.message)
                )
                continue
            sums = self._of(pairings[task.job.spec.pairing])
            seats = len(sums.entrants)
            games = task.result.games
            for start in range(0, len(games), seats):
                _add_block(sums, games[start : start + seats])
            for place, usage in zip(sums.places, task.result.usage, strict=True):
                place.usage.add(usage)
            self.blocks += len(games) // seats
            self.games += len(games)
            self.void += sum(game.attempts - 1 for game in games)

    def _of(self, pairing: Pairing) -> PairingSums:
        if pairing.id not in self._sums:
            places = [PlaceSums([0.0] * len(pairing.entrants)) for _entrant in pairing.entrants]
            self._sums[pairing.id] = PairingSums(pairing.id, pairing.entrants, 0, places, luck=self._luck)
        return self._sums[pairing.id]


def _add_block(sums: PairingSums, games: Sequence[GameResult]) -> None:
    seats = len(sums.entrants)
    sums.blocks += 1
    for place, total in enumerate(sums.places):
        mean = sum(game.shares[place] for game in games) / seats
        total.means += mean
        total.squares += mean * mean
        if sums.luck:
            adjusted = mean - sum(game.luck[place] for game in games if game.luck is not None) / seats
            total.adjusted += adjusted
            total.adjusted_squares += adjusted * adjusted
    for game in games:
        sums.decisions += game.decisions
        sums.void += game.attempts - 1
        for seat, place in enumerate(seats_of(seats, game.rotation)):
            sums.places[place].seat_wins[seat] += game.shares[place]
            sums.places[place].score += game.scores[place]
        for place, fault in game.faults:
            sums.places[place].faults[fault.code] += 1
