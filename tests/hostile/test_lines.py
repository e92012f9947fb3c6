"""Lines of every wrong shape: each costs a bot the game that it says it in, and nobody anything else."""

from __future__ import annotations

import json
from pathlib import Path

from tests.hostile.harness import SEATS, Match, both_levels, each_table

NUMBER = "a whole number is expected"
# In the order of `LINES` in bots.py: the code of the fault, and what the bot is told
OUTCOMES = {
    "not_json": ("protocol", "line is not JSON: column 1; stdout is the wire: print anything else to stderr"),
    "broken_json": ("protocol", "line is not JSON: column 3"),
    "not_an_object": ("protocol", "line is not a JSON object"),
    "an_empty_line": ("protocol", "the line is empty"),
    "no_type": ("protocol", 'the message has no type: it begins {"type":"decision",...}'),
    "unknown_type": ("protocol", "unknown type move: decision and ready are known"),
    "not_utf8": ("protocol", "line is not UTF-8: byte 5"),
    "nul_bytes": ("protocol", "line is not JSON: column 1"),
    "nul_in_text": ("protocol", "line is not JSON: column 5"),
    "byte_order_mark": ("protocol", "the line begins with a byte order mark: write UTF-8 without one"),
    "nan": ("protocol", f"the field keep.0 is wrong: {NUMBER}"),
    "infinite": ("protocol", f"the field keep.0 is wrong: {NUMBER}"),
    "digits_10000": ("protocol", "; a number has too many digits"),
    "digits_10000_id": ("protocol", "; a number has too many digits"),
    "digits_4000_id": ("protocol", "answered id 99999999999999999999..., expected 1"),
    "digits_4000": ("illegal", "kept 77777777777777777777..., but a die has the faces 1 to 6"),
    "nested_10000": ("protocol", "; nested too deep"),
    "nested_10000_inside": ("protocol", "; nested too deep"),
    "two_messages": ("protocol", "; one message a line"),
    "single_quotes": ("protocol", "; keys stand in double quotes"),
    "keep_is_text": ("protocol", "the field keep is wrong: a list is expected"),
    "keep_holds_text": ("protocol", f"the field keep.0 is wrong: {NUMBER}"),
    "keep_holds_floats": ("protocol", f"the field keep.0 is wrong: {NUMBER}"),
    "keep_holds_true": ("protocol", f"the field keep.0 is wrong: {NUMBER}"),
    "keep_is_null": ("protocol", "the field keep is wrong: a list is expected"),
    "bank_is_text": ("protocol", "the field bank is wrong: true or false is expected"),
    "bank_is_1": ("protocol", "the field bank is wrong: true or false is expected"),
    "id_is_text": ("protocol", f"the field id is wrong: {NUMBER}"),
    "no_keep": ("protocol", "the field keep is missing"),
    "no_bank": ("protocol", "the field bank is missing"),
    "no_id": ("protocol", "the field id is missing"),
    "id_never_asked": ("protocol", "answered id 4321, expected 1"),
    "id_below_one": ("protocol", "answered id -1, expected 1"),
    "thousand_keys": ("protocol", "the field keep is wrong: a list is expected"),
    "keep_empty": ("illegal", "kept nothing: keep at least one die that scores"),
    "keep_sevens": ("illegal", "kept 7, but a die has the faces 1 to 6"),
    "keep_negative": ("illegal", "kept -1, but a die has the faces 1 to 6"),
    "keep_30000": ("illegal", "..., but there "),
    "keep_all_faces": ("illegal", "kept 1 1 2 2 3 3 4 4 5 5 6 6, but there "),
}


@both_levels
@each_table
def test_each_wrong_line_costs_its_game_and_nothing_else(tmp_path: Path, seats: int, sandbox: str) -> None:
    match = Match(tmp_path)
    players = [player.format(bot=match.bot("malformed")) for player in SEATS[seats]]
    games = -(-len(OUTCOMES) // seats) * seats
    ended = match.play(players, "--decision-ms", "20000", games=games, sandbox=sandbox)
    assert ended.code == 0, ended.stderr
    assert ended.result["games"] == games
    assert not ended.result["void"]
    for place, (name, (code, words)) in enumerate(OUTCOMES.items()):
        block, rotation = divmod(place, seats)
        bundle = json.loads((match.records / f"match-{block}-{rotation}-fault-0.json").read_text())
        assert (bundle["player"], bundle["code"]) == ("hostile", code), (name, bundle)
        assert words in bundle["detail"], (name, bundle["detail"])
        assert len(bundle["detail"]) < 600
        assert bundle["wire"][-1] == '> {"type":"error","id":1,' + json.dumps(
            {"code": code, "message": bundle["detail"]}, separators=(",", ":")
        ).removeprefix("{")
    faults = ended.faults
    assert sum(faults.pop("hostile").values()) == games
    assert not any(faults.values())
    match.left_clean()
