"""Solving a rule set whose house rules remember, for two seats: all standings again and again, until nothing changes.

The sweeps go from standings with many points to such with few, as a bank leads to more. A bust leads to another standing, of as many
points or fewer; where busts lead round in a circle, its standings are solved together. Between sweeps the values are accelerated.
"""

from __future__ import annotations

from array import array
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise

import numpy as np

from dicegame.errors import RulesError
from dicegame.rules.model import End, HotDice, PushLuckRules, Reach
from dicegame.rules.table import Table
from dicegame.text import _, quote
from dicegame.values import graphfile
from dicegame.values.axis import key_of
from dicegame.values.choices import Choices, compile_choices
from dicegame.values.exact import graph_kernels
from dicegame.values.exact.anderson import Progress, settle
from dicegame.values.exact.graph_kernels import Blocks, Leads
from dicegame.values.exact.kernels import Array
from dicegame.values.exact.solve import TIE, cores, last_turns, rolls_of
from dicegame.values.graph import Graph, explore
from dicegame.values.graphfile import ROWS, SolvedGraph
from dicegame.values.turn import can_last

SEARCHED = 0.3  # the part of the work that the search for standings is taken to be


def solve_graph(rules: PushLuckRules, *, progress: Progress | None = None, threads: int | None = None) -> SolvedGraph:
    """Return the exact values of a rule set, worked out here and now.

    Args:
        rules: the rule set.
        progress: told from time to time which part of the work is done, from 0 to 1.
        threads: how many threads work; every core that may be used unless given.

    Raises:
        RulesError: it can't be solved exactly, and which rules are why.
    """
    table = Table(rules)
    if can_last(table):
        raise RulesError(_("%s can't be solved: a turn can go on for ever without a bust") % quote(rules.name))
    graph = explore(rules, progress=_part(progress, 0.0, SEARCHED))
    choices = compile_choices(table)
    last = _last(rules, graph, compile_choices(table, every=False))
    leads = _leads(rules, graph, choices, last)
    values = _settled(graph, leads, choices, _part(progress, SEARCHED, 1.0), threads or cores())
    keys = np.array(graph.keys)
    order = np.argsort(keys)
    rows = tuple(array("d", row) for row in last) if leads.final else ((),) * ROWS
    return SolvedGraph(key_of(rules), array("q", keys[order].tolist()), array("d", values[order]), rows)


def solve_graph_and_keep(rules: PushLuckRules, *, progress: Progress | None = None) -> SolvedGraph:
    """Return the exact values of a rule set, and keep them in this user's cache, if it can be written.

    Raises:
        RulesError: it can't be solved exactly, and which rules are why.
    """
    found = solve_graph(rules, progress=progress)
    with suppress(OSError):
        found = graphfile.write(graphfile.path_of(found.key), found)
        graphfile.forget()
    return found


def _part(progress: Progress | None, low: float, high: float) -> Progress | None:
    """Return who is told of one part of the work."""
    return None if progress is None else lambda done: progress(low + (high - low) * done)


def _last(rules: PushLuckRules, graph: Graph, choices: Choices) -> Array:
    """Return the chances in a last turn, by row; see `values.graph.last_row`."""
    if rules.end is not End.FINAL_ROUND:
        return np.zeros((ROWS, 1))
    needs = [max(1, -(-points // graph.unit)) for points in (rules.minimum, max(rules.minimum, rules.open))]
    return last_turns(choices, [(need, tie) for need in needs for tie in (TIE, 0.0)])


def _leads(rules: PushLuckRules, graph: Graph, choices: Choices, last: Array) -> Leads:
    """Return a graph as arrays."""
    must = rules.hot_dice is HotDice.MUST_ROLL or rules.score.nothing.roll_again
    none = np.zeros(1, dtype=np.int32)
    final = rules.end is End.FINAL_ROUND
    return Leads(
        need=np.array(graph.need),
        end=np.array(graph.end),
        hit=np.array(graph.hit),
        bust=np.array(graph.bust),
        first=np.array(graph.first),
        then=np.array(graph.then) if graph.then else none,
        row=np.array(graph.row) if final else none,
        behind=np.array(graph.behind) if final else none,
        last=last,
        final=final,
        exact=rules.reach is Reach.EXACT,
        least_bust=0.0 if must else min(choices.bust),
    )


def _settled(graph: Graph, leads: Leads, choices: Choices, progress: Progress | None, threads: int) -> Array:
    """Return the values of all standings."""
    longest = int(max(leads.need.max(), leads.end.max())) + leads.last.shape[1]
    rolls = rolls_of(choices, longest + choices.furthest + 2)
    blocks, groups = _blocks(graph)
    values = np.full(len(graph.keys), 0.5)
    fresh = values.copy()
    with ThreadPoolExecutor(threads) as pool:

        def sweep() -> float:
            change = 0.0
            for low, high in pairwise(groups):
                ends = np.linspace(low, high, min(threads, high - low) + 1).astype(int).tolist()
                futures = [
                    pool.submit(graph_kernels.work_out, blocks, start, end, values, fresh, leads, rolls)
                    for start, end in pairwise(ends)
                ]
                change = max(change, *(future.result() for future in futures))
                graph_kernels.take_over(blocks, low, high, values, fresh)
            return change

        settle(values, sweep, progress)
    return values


def _blocks(graph: Graph) -> tuple[Blocks, list[int]]:
    """Return all standings in blocks, and where each group of blocks begins that are worked out from the same values.

    Groups go from many points to few, and within that from circles of busts to those that lead to them.
    """
    circles, depth = _busts(graph)
    around = {i for circle in circles for i in circle}
    found = circles + [[i] for i in range(len(graph.keys)) if i not in around]
    found.sort(key=lambda block: (-graph.total[block[0]], depth[block[0]]))
    order = np.array([i for block in found for i in block])
    start = np.cumsum([0, *map(len, found)])
    circle = np.array([block[0] in around for block in found])
    kinds = [(graph.total[block[0]], depth[block[0]]) for block in found]
    groups = [b for b, kind in enumerate(kinds) if b == 0 or kind != kinds[b - 1]]
    return Blocks(order, start, circle), [*groups, len(found)]


def _busts(graph: Graph) -> tuple[list[list[int]], list[int]]:
    """Return the circles that busts lead round in, and by standing how many busts away one is, or other points are."""
    unseen, passing = -1, -2
    circles: list[list[int]] = []
    depth = [unseen] * len(graph.keys)
    for begin in range(len(depth)):
        path, i = [], begin
        while depth[i] == unseen:
            depth[i] = passing
            path.append(i)
            i = graph.bust[i]
        if depth[i] == passing:
            circle = path[path.index(i) :]
            circles.append(circle)
            del path[-len(circle) :]
            for member in circle:
                depth[member] = 0
        for member in reversed(path):
            after = graph.bust[member]
            depth[member] = depth[after] + 1 if graph.total[after] == graph.total[member] else 0
    return circles, depth
