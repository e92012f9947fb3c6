"""The chances of a game as a chart: in rows of characters, and as a picture (SVG).

The picture is written here, with the standard library's XML: it is a few lines and words, and what there is for plotting brings far
more along (pygal's pictures even load a script from elsewhere).
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from dicegame.analysis.judged import Chances, Moment
from dicegame.text import clean, percent

ROWS = 11  # one for every tenth of a chance
_GAP = 28  # between the numbers of turns
_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 960, 420, 60, 48, 20, 56
# Okabe and Ito's colours, which the colour-blind tell apart; dashes do it without any colour.
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#999999")
_DASHES = ("", "8 4", "2 3", "12 3 2 3", "1 4", "16 4", "6 2 1 2 1 2", "3 6")


def rows_of(moments: Sequence[Moment], width: int, *, unicode: bool) -> list[str]:
    """Return a chart in rows of at most `width` characters, all of the same length: of two seats the first one's chance.

    Of more seats each is drawn with its number, counted from 1.
    """
    labels = [percent(1 - row / (ROWS - 1), 0) if row % 5 == 0 else "" for row in range(ROWS)]
    margin = max(map(len, labels))
    shown = [moment.chances for moment in _spread(moments, max(width - margin - 1, 1))]
    grid = [[" "] * len(shown) for _row in range(ROWS)]
    if len(shown[0]) == 2:
        _line(grid, [_row(chances[0]) for chances in shown], *("●│" if unicode else "*|"))
    else:
        _digits(grid, shown)
    tick, side = "┤│" if unicode else "+|"
    return [
        f"{label:>{margin}}{tick if label else side}{''.join(cells)}" for label, cells in zip(labels, grid, strict=True)
    ]


def _spread(moments: Sequence[Moment], columns: int) -> list[Moment]:
    """Return one moment for each column, the first and the last among them."""
    last = len(moments) - 1
    if columns == 1 or not last:
        return [moments[last]] * columns
    return [moments[round(column * last / (columns - 1))] for column in range(columns)]


def _row(chance: float) -> int:
    return ROWS - 1 - round(min(max(chance, 0.0), 1.0) * (ROWS - 1))


def _line(grid: list[list[str]], places: list[int], point: str, stroke: str) -> None:
    """Draw points, and strokes where the next one lies higher or lower by more than a row."""
    for column, row in enumerate(places):
        before = places[column - 1] if column else row
        low, high = min(before, row), max(before, row)
        for between in range(low + 1, high):
            grid[between][column] = stroke
        grid[row][column] = point


def _digits(grid: list[list[str]], shown: Sequence[Chances]) -> None:
    """Draw each seat's number; where several would stand in one place, that of the first."""
    for column, chances in enumerate(shown):
        for seat in reversed(range(len(chances))):
            grid[_row(chances[seat])][column] = str(seat + 1)


def picture_of(moments: Sequence[Moment], names: Sequence[str], *, title: str, turns: str) -> str:
    """Return a chart as an SVG document: a line for every seat.

    Args:
        moments: what is drawn, at equal distances.
        names: of the seats, told beside their lines.
        title: what stands above, safe to show.
        turns: what stands below: the name of what the numbers there count.
    """
    root = ET.Element("svg", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {_WIDTH} {_HEIGHT}", role="img")
    root.attrib |= {"font-family": "sans-serif", "font-size": "14"}
    ET.SubElement(root, "title").text = title
    _add(root, "rect", width=_WIDTH, height=_HEIGHT, fill="#ffffff")
    _text(root, title, _LEFT, 20, anchor="start", weight="bold")
    for tenth in range(0, 11, 2):
        y = _y(tenth / 10)
        _add(root, "line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y, stroke="#cccccc")
        _text(root, percent(tenth / 10, 0), _LEFT - 6, y + 5, anchor="end")
    _number_turns(root, moments, turns)
    step = (_WIDTH - _LEFT - _RIGHT) / max(len(names), 4)
    for seat, name in enumerate(names):
        _seat(root, moments, seat, name, step)
    return ET.tostring(root, encoding="unicode") + "\n"


def _seat(root: ET.Element, moments: Sequence[Moment], seat: int, name: str, step: float) -> None:
    """Draw the line of one seat, and its name above the chart: `step` is the room that each has there."""
    last = len(moments) - 1
    points = " ".join(f"{_x(i, last):g},{_y(moment.chances[seat]):g}" for i, moment in enumerate(moments))
    look = {"stroke": _COLORS[seat], "stroke-width": "2", "stroke-dasharray": _DASHES[seat]}
    _add(root, "polyline", points=points, fill="none", **look)
    x = _LEFT + seat * step
    _add(root, "line", x1=x, x2=x + 24, y1=36, y2=36, **look)
    _text(root, clean(name, int(step - 60) // 8), x + 30, 41, anchor="start")


def _number_turns(root: ET.Element, moments: Sequence[Moment], turns: str) -> None:
    """Write the numbers of turns below where they begin, as many as there is room for."""
    last, free = len(moments) - 1, 0.0
    for i, moment in enumerate(moments):
        x = _x(i, last)
        if (i and moment.turn <= moments[i - 1].turn) or x < free:
            continue
        free = x + _GAP
        _add(root, "line", x1=x, x2=x, y1=_y(0), y2=_y(0) + 5, stroke="#666666")
        _text(root, str(moment.turn + 1), x, _y(0) + 20, anchor="middle")
    _text(root, turns, (_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 12, anchor="middle")


def _x(place: int, last: int) -> float:
    return round(_LEFT + (_WIDTH - _LEFT - _RIGHT) * place / max(last, 1), 2)


def _y(chance: float) -> float:
    return round(_TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - chance), 2)


def _add(root: ET.Element, tag: str, **attributes: object) -> ET.Element:
    return ET.SubElement(root, tag, {name: str(value) for name, value in attributes.items()})


def _text(root: ET.Element, text: str, x: float, y: float, *, anchor: str, weight: str = "normal") -> None:
    _add(root, "text", x=f"{x:g}", y=f"{y:g}", **{"text-anchor": anchor, "font-weight": weight}).text = text
