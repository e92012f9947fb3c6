"""A described state, read back: plain data from outside, each field checked, and what is wrong with it said in one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import TypeVar

from dicegame.errors import InputError
from dicegame.games.events import Dice
from dicegame.text import _, clean, ltr, number, quote

MOST = 1 << 53  # the whole numbers that every language's JSON holds exactly

T = TypeVar("T")


def wrong(field: str, right: str) -> InputError:
    """Return the error of a field that is not what it must be."""
    message = _("the state's field %(field)s is wrong: %(right)s is expected")
    return InputError(message % {"field": quote(field, 60), "right": right}, field=field)


class Fields:
    """The fields of one object of a described state. `path` is where it stands in the state: empty, or like `barrel.`."""

    def __init__(self, described: object, known: tuple[str, ...], path: str = "") -> None:
        """Take the object.

        Raises:
            InputError: it is none, or has a field that there is not.
        """
        if not isinstance(described, Mapping):
            where = path.removesuffix(".")
            raise wrong(where, _("an object")) if where else InputError(_("a state is a JSON object"))
        self._data = described
        self._path = path
        for name in described:
            if name not in known:
                near = get_close_matches(str(name), known, n=1)
                message = _("a state of this game has no field %(field)s; did you mean %(near)s?")
                if not near:
                    message = _("a state of this game has no field %(field)s; it has %(known)s")
                values = {
                    "field": quote(path + str(name), 60),
                    "near": ltr("".join(near)),
                    "known": ltr(", ".join(known)),
                }
                raise InputError(message % values, field=path + clean(str(name), 60))

    def has(self, name: str) -> bool:
        """Say whether the field is there and not null."""
        return self._data.get(name) is not None

    def inner(self, name: str, known: tuple[str, ...]) -> Fields | None:
        """Return the fields of an object in a field; None where there is none."""
        return Fields(self._data[name], known, f"{self._path}{name}.") if self.has(name) else None

    def whole(self, name: str, low: int = 0, high: int = MOST, *, default: int | None = None) -> int:
        """Return a whole number from `low` to `high`."""
        if default is not None and name not in self._data:
            return default
        return self._whole(self._data.get(name), name, low, high)

    def same(self, name: str, value: object) -> None:
        """Raise `InputError` unless the field, where it is there, has this value."""
        if name in self._data and self._data[name] != value:
            raise wrong(self._path + name, ltr(quote(str(value), 60)))

    def wholes(
        self, name: str, seats: int | None = None, *, low: int = 0, high: int = MOST, default: int | None = None
    ) -> tuple[int, ...]:
        """Return a whole number for every seat."""
        if default is not None and seats is not None and name not in self._data:
            return (default,) * seats
        return self._by_seat(name, seats, lambda value: self._whole(value, name, low, high))

    def flags(self, name: str, default: tuple[bool, ...]) -> tuple[bool, ...]:
        """Return true or false for every seat."""
        if name not in self._data:
            return default
        return self._by_seat(name, len(default), lambda value: self._flag(value, name))

    def dice(self, name: str, least: int, most: int) -> Dice:
        """Return one roll of `least` to `most` dice."""
        return self._faces(self._data.get(name), name, least, most)

    def dice_by_seat(self, name: str, most: int) -> tuple[Dice, ...]:
        """Return the dice of every seat, at most so many each."""
        return self._by_seat(name, None, lambda value: self._faces(value, name, 0, most))

    def keeps(self, name: str, seats: int, most: int) -> tuple[Dice | None, ...]:
        """Return the faces that every seat holds on to; None for one that has yet to decide."""
        if name not in self._data:
            return (None,) * seats
        held = self._by_seat(name, seats, lambda value: None if value is None else self._faces(value, name, 0, most))
        return tuple(None if keep is None else tuple(sorted(keep)) for keep in held)

    def _by_seat(self, name: str, seats: int | None, read: Callable[[object], T]) -> tuple[T, ...]:
        values = self._data.get(name)
        if not isinstance(values, list | tuple) or not values:
            raise wrong(self._path + name, _("a list with a value for every seat"))
        if seats is not None and len(values) != seats:
            raise wrong(self._path + name, _("a list of %s values, one for every seat,") % number(seats))
        return tuple(read(value) for value in values)

    def _whole(self, value: object, name: str, low: int, high: int) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        if high == MOST:
            right = _("a whole number") if low < 0 else _("a whole number of at least %s") % number(low)
        else:
            right = _("a whole number from %(low)s to %(high)s") % {"low": number(low), "high": number(high)}
        raise wrong(self._path + name, right)

    def _flag(self, value: object, name: str) -> bool:
        if isinstance(value, bool):
            return value
        raise wrong(self._path + name, _("true or false for every seat"))

    def _faces(self, value: object, name: str, least: int, most: int) -> Dice:
        if isinstance(value, list | tuple) and least <= len(value) <= most:
            faces = tuple(face for face in value if isinstance(face, int) and not isinstance(face, bool))
            if len(faces) == len(value) and all(1 <= face <= 6 for face in faces):
                return faces
        right = _("a list of %(least)s to %(most)s faces, each 1 to 6,")
        raise wrong(self._path + name, right % {"least": number(least), "most": number(most)})
