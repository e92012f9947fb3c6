"""Push-your-luck dice games for people and bots: a terminal game, a scriptable referee, provable dice.

As a library: `play_match`, `run_tournament`, `open_tournament`, `standings`, `read_record` and `judge_record`, as `dicegame.api` documents
them. They are imported when they are first asked for.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dicegame.api import judge_record, open_tournament, play_match, read_record, run_tournament, standings

__version__ = "0.1.0"
__all__ = ["judge_record", "open_tournament", "play_match", "read_record", "run_tournament", "standings"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any of the library
    if name in __all__:
        from dicegame import api  # noqa: PLC0415 - start-up

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
