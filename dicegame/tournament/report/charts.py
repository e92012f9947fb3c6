"""The charts of the page, as SVG: widths in parts of a hundred, so that they fit a phone, and letters that stay as large as they are.

Colours and dashes stand in the style sheet; every line and bar is labelled where it is, so that none is needed to read them. Numbers run
from left to right in every language. The standard library's XML is enough, and it escapes all that is handed in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from xml.etree import ElementTree as ET

from dicegame.tournament.report.data import Track

ROW, FOOT, INSET = 42, 26, 1.5
HEIGHT, LEFT, TOP = 300, 48, 10
_UNIT = 1000  # the square that lines are drawn in; it is stretched to the plot
_APART = 15  # pixels between two labels


@dataclass(frozen=True, slots=True)
class Bar:
    """A row of a chart: a value and its interval (ends may be infinite), a second value or None, and how it is said."""

    name: str
    said: str
    value: float
    interval: tuple[float, float]
    other: float | None = None


def bars(
    rows: Sequence[Bar], name: str, title: str, description: str, tick: Callable[[float], str], middle: float
) -> str:
    """Return a chart of intervals, a row each, as an SVG element.

    Args:
        rows: from top to bottom.
        name: of the chart, for ids.
        title: what it is, in a few words.
        description: what it shows, for those who can't see it.
        tick: how a value is said on the axis.
        middle: a value that is marked, and always in the chart.
    """
    low, high = _range([end for row in rows for end in (row.value, row.other, *row.interval)], middle)

    def x(value: float) -> str:
        part = (min(max(value, low), high) - low) / (high - low)
        return f"{INSET + (100 - 2 * INSET) * part:.2f}%"

    foot = len(rows) * ROW
    root = _svg(name, title, description, foot + FOOT)
    for value in _ticks(low, high):
        kind = "middle" if math.isclose(value, middle, abs_tol=1e-9) else "grid"
        _add(root, "line", kind, x1=x(value), x2=x(value), y1=0, y2=foot + 4)
        _text(root, tick(value), x(value), foot + 20, "middle", "tick")
    for place, row in enumerate(rows):
        _bar(root, row, place * ROW, x, low, high)
    return _told(root)


def _bar(root: ET.Element, row: Bar, top: int, x: Callable[[float], str], low: float, high: float) -> None:
    y = top + 29
    _text(root, row.name, f"{INSET}%", top + 16, "start", "name")
    _text(root, row.said, f"{100 - INSET}%", top + 16, "end", "said")
    start, end = row.interval
    _add(root, "line", "interval", x1=x(start), x2=x(end), y1=y, y2=y)
    for bound in row.interval:
        if low <= bound <= high:
            _add(root, "line", "interval", x1=x(bound), x2=x(bound), y1=y - 4, y2=y + 4)
    if row.other is not None:
        _add(root, "line", "shift", x1=x(row.value), x2=x(row.other), y1=y, y2=y)
        _add(root, "circle", "other", cx=x(row.other), cy=y, r=5)
    _add(root, "circle", "dot", cx=x(row.value), cy=y, r=5)


def tracks(
    lines: Sequence[tuple[str, Track]], title: str, description: str, tick: Callable[[float], str], below: str
) -> str:
    """Return a chart of win rates and their intervals over the blocks, as an SVG element; each with its label at its end."""
    shown = [track.points[len(track.points) // 3 :] for _label, track in lines]
    ends = [end for points in shown for point in points for end in (point.low, point.high)]
    low, high = _range([max(min(end, 1.0), 0.0) for end in ends], 0.5)
    most = max((track.points[-1].blocks for _label, track in lines), default=1)

    def y(rate: float) -> float:
        return _UNIT * (high - rate) / (high - low)

    root = _svg("tracks", title, description, HEIGHT)
    plot_height = HEIGHT - TOP - 44
    plot = _add(root, "svg", "plot", x=LEFT, y=TOP, width="80%", height=plot_height, overflow="visible")
    for value in _ticks(low, high):
        level = f"{y(value) / _UNIT * 100:.2f}%"
        _add(plot, "line", "middle" if math.isclose(value, 0.5) else "grid", x1=0, x2="100%", y1=level, y2=level)
        _text(plot, tick(value), "-6", level, "end", "tick", dy="0.35em")
    for value in _whole_ticks(most):
        across = f"{value / most * 100:.2f}%"
        _add(plot, "line", "grid", x1=across, x2=across, y1="100%", y2=plot_height + 5)
        _text(plot, str(value), across, plot_height + 19, "middle", "tick")
    _text(plot, below, "50%", plot_height + 38, "middle", "tick")
    square = _add(
        plot, "svg", "", width="100%", height="100%", viewBox=f"0 0 {_UNIT} {_UNIT}", preserveAspectRatio="none"
    )
    for number, (_label, track) in enumerate(lines, 1):
        _band(square, track, number, most, y)
    for number, (_label, track) in enumerate(lines, 1):
        points = " ".join(f"{_UNIT * p.blocks / most:.1f},{y(p.rate):.1f}" for p in track.points)
        _add(square, "polyline", f"track s{number}", points=points)
    wanted = [plot_height * y(track.points[-1].rate) / _UNIT for _label, track in lines]
    for number, ((label, track), at) in enumerate(zip(lines, _spread(wanted), strict=True), 1):
        end = f"{track.points[-1].blocks / most * 100:.2f}%"
        _text(plot, label, end, f"{at:.1f}", "start", f"end s{number}", dx="6", dy="0.35em")
    return _told(root)


def _band(square: ET.Element, track: Track, number: int, most: int, y: Callable[[float], float]) -> None:
    over = [f"{_UNIT * p.blocks / most:.1f},{y(p.high):.1f}" for p in track.points]
    under = [f"{_UNIT * p.blocks / most:.1f},{y(p.low):.1f}" for p in reversed(track.points)]
    _add(square, "polygon", f"band s{number}", points=" ".join(over + under))


def _spread(wanted: Sequence[float]) -> list[float]:
    """Return where labels stand: as near as may be to where they are wanted, and apart from each other."""
    places = list(wanted)
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    for before, after in pairwise(order):
        places[after] = max(places[after], places[before] + _APART)
    return places


def _range(values: Sequence[float | None], middle: float) -> tuple[float, float]:
    """Return the ends of an axis: around all values that are finite, and the middle."""
    finite = [middle, *(value for value in values if value is not None and math.isfinite(value))]
    low, high = min(finite), max(finite)
    room = (high - low) * 0.04 or 0.05
    return low - room, high + room


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers within an axis, about five."""
    step = _step((high - low) / 5)
    return [k * step for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def _whole_ticks(most: int) -> list[int]:
    step = max(round(_step(most / 4)), 1)
    return list(range(0, most + 1, step))


def _step(wanted: float) -> float:
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(part * power for part in (1, 2, 5, 10) if part * power >= wanted * (1 - 1e-9))


def _svg(name: str, title: str, description: str, height: int) -> ET.Element:
    ids = f"{name}-title {name}-what"
    root = ET.Element("svg", {"class": f"chart {name}", "role": "img", "aria-labelledby": ids, "direction": "ltr"})
    root.attrib |= {"width": "100%", "height": str(height)}
    ET.SubElement(root, "title", id=f"{name}-title").text = title
    ET.SubElement(root, "desc", id=f"{name}-what").text = description
    return root


def _add(root: ET.Element, tag: str, kind: str, **attributes: object) -> ET.Element:
    known = {name: str(value) for name, value in attributes.items()}
    return ET.SubElement(root, tag, {"class": kind, **known} if kind else known)


def _text(root: ET.Element, text: str, x: str, y: object, anchor: str, kind: str, **more: str) -> None:
    _add(root, "text", kind, x=x, y=y, **{"text-anchor": anchor}, **more).text = text


def _told(root: ET.Element) -> str:
    return ET.tostring(root, encoding="unicode")
