"""`bot check`, `bot shell`, `bot ask` and `bot new` as one types them, with bots that are real processes."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pexpect
import pytest

from dicegame.cli.bot_new import LANGUAGES
from dicegame.match.check import STATES
from tests.cli.process import COMMAND, ROOT, environment, run

FAULTY = f"{sys.executable} {ROOT / 'tests' / 'match' / 'faulty.py'}"
SAMPLE = str(ROOT / "bots" / "python")
PORTABLE = ("--sandbox", "none")
STATE = '{"scores":[0,0],"dice":[1,2,3,4,6,6]}'


def of_json(*args: str, code: int = 0, **more: Any) -> dict[str, Any]:
    ended = run(*args, "--json", **more)
    assert ended.returncode == code, ended.stderr
    assert ended.stdout.count("\n") == 1
    result = json.loads(ended.stdout)
    assert isinstance(result, dict)
    return result


def error_of(*args: str, code: int = 2, **more: Any) -> dict[str, Any]:
    ended = run(*args, "--json", **more)
    assert (ended.returncode, ended.stdout) == (code, "")
    (line,) = ended.stderr.splitlines()
    error = json.loads(line)["error"]
    assert isinstance(error, dict)
    return error


# check


def test_good_bot_passes() -> None:
    ended = run("bot", "check", FAULTY, "--states", "60", *PORTABLE)
    assert ended.returncode == 0, ended.stdout
    assert not ended.stderr
    lines = [line for line in ended.stdout.splitlines() if not line.startswith("   ")]
    steps = lines[:-2]
    assert [int(line[:2]) for line in steps] == list(range(1, len(steps) + 1))
    assert all(line[3:].startswith("ok ") for line in steps)
    assert re.fullmatch(r" 1 ok start: ready in [\d.]+ ms", steps[0])
    assert lines[-1] == f"passed: all {len(steps)} steps"


def test_result_as_json() -> None:
    result = of_json("bot", "check", FAULTY, "--states", "60", *PORTABLE)
    assert result["passed"] is True
    assert all(step["passed"] and step["done"] and step["detail"] for step in result["steps"])
    assert [step["name"] for step in result["steps"]][:3] == ["start", "ready", "decision"]
    assert list(result["steps"][0]) == ["name", "passed", "detail", "done"]


def test_names_of_steps_are_english_in_every_language() -> None:
    french = of_json("bot", "check", FAULTY, "--states", "1", "--lang", "fr", *PORTABLE)
    english = of_json("bot", "check", FAULTY, "--states", "1", *PORTABLE)
    assert [step["name"] for step in french["steps"]] == [step["name"] for step in english["steps"]]


def test_defect_is_told_with_a_command_that_shows_it_again() -> None:
    bot = f"{FAULTY} 'hot dice'"
    ended = run("bot", "check", bot, "--states", "60", *PORTABLE)
    assert ended.returncode == 1
    [place] = [n for n, line in enumerate(ended.stdout.splitlines()) if "FAILED edge: hot dice" in line]
    again = next(line for line in ended.stdout.splitlines()[place:] if line.startswith("   dicegame bot ask"))
    program, *words = shlex.split(again)
    assert program == "dicegame"
    shown = run(*words, *PORTABLE)
    assert shown.returncode == 1
    assert "kept 7, but a die has the faces 1 to 6" in shown.stdout
    assert re.search(r"of \d+ steps 1 failed, and 3 could not be taken\n$", ended.stdout)


def test_result_of_a_failure_as_json() -> None:
    result = of_json("bot", "check", f"{FAULTY} 'final round'", "--states", "60", *PORTABLE, code=1)
    assert result["passed"] is False
    [step] = [step for step in result["steps"] if not step["passed"]]
    assert step["name"] == "edge: final round"
    assert step["example"]["state"]["final_round"] is not None


def test_bot_that_never_gets_ready() -> None:
    ended = run("bot", "check", "false", "--start-ms", "5000", *PORTABLE)
    assert ended.returncode == 1
    assert "1 FAILED start: crashed: it exited (exit code 1)" in ended.stdout
    assert ended.stdout.count("not done: the step start failed") > 20


def test_in_the_sandbox_if_there_is_one() -> None:
    result = of_json("bot", "check", f"{FAULTY} 'high dice'", "--states", "30")
    assert result["passed"]
    assert result["containment"] in ("bwrap", "supervised", "portable")


@pytest.mark.parametrize("word", ["house", "human", "client", "python:os:getcwd", "/nowhere", "no-such-program"])
def test_only_programs_outside_are_checked(word: str) -> None:
    assert error_of("bot", "check", word)["code"] == "player"


def test_number_of_states_in_the_help_is_the_default() -> None:
    assert f"[default: {STATES};" in run("bot", "check", "--help").stdout.replace("\n", " ").replace("  ", " ")


def test_wire_log_holds_every_line(tmp_path: Path) -> None:
    log = tmp_path / "log"
    run("bot", "ask", FAULTY, STATE, "--wire-log", str(log), *PORTABLE)
    lines = log.read_text(encoding="utf-8").splitlines()
    assert [re.sub(r"^\d+\.\d{6} faulty ", "", line)[:20] for line in lines] == [
        '> {"type":"hello","p',
        '< {"type": "ready", ',
        '> {"type":"game","ga',
        '> {"type":"decide","',
        '< {"type": "decision',
    ]
    assert error_of("bot", "ask", FAULTY, STATE, "--wire-log", str(tmp_path / "a" / "b"), *PORTABLE)["code"] == "record"


# ask


def test_ask_tells_the_decision_and_whether_it_is_legal() -> None:
    ended = run("bot", "ask", FAULTY, STATE, *PORTABLE)
    assert re.fullmatch(r"1 2 3 4 6 6 > 1 roll: legal, after [\d.]+ ms\n", ended.stdout)
    assert ended.returncode == 0
    wrong = run("bot", "ask", f"{FAULTY} always", STATE, *PORTABLE)
    assert wrong.stdout == "1 2 3 4 6 6 > 7 roll: not legal\nkept 7, but a die has the faces 1 to 6\n"
    assert wrong.returncode == 1


def test_ask_as_json() -> None:
    answer = of_json("bot", "ask", FAULTY, STATE, *PORTABLE)
    assert answer.pop("ms") > 0
    assert answer.pop("state")["target"] == 10_000
    assert answer == {
        "rules": "ten-thousand",
        "seat": 0,
        "decision": "1 roll",
        "keep": [1],
        "bank": False,
        "why": None,
        "legal": True,
        "refusal": None,
    }
    wrong = of_json("bot", "ask", f"{FAULTY} always", STATE, *PORTABLE, code=1)
    assert (wrong["legal"], wrong["refusal"]["reason"]) == (False, "not_a_face")


def test_state_comes_from_anywhere(tmp_path: Path) -> None:
    """As an argument, from a file, from standard input; alone, in its message, or in the line of a wire log."""
    message = json.dumps({"type": "decide", "id": 1, "seat": 1, "state": json.loads(STATE)})
    path = tmp_path / "state.json"
    path.write_text(f"12.5 me > {message}\n", encoding="utf-8")
    assert of_json("bot", "ask", FAULTY, str(path), *PORTABLE)["seat"] == 1
    assert of_json("bot", "ask", FAULTY, "-", *PORTABLE, input=STATE)["seat"] == 0
    assert of_json("bot", "ask", FAULTY, message, *PORTABLE)["seat"] == 1
    assert of_json("bot", "ask", FAULTY, message, "--seat", "0", *PORTABLE)["seat"] == 0


def test_state_tells_its_game() -> None:
    high = of_json("bot", "ask", FAULTY, '{"dice":[[1,2,3,4],[1,1,1,1]],"rule":"sum-low"}', *PORTABLE)
    assert (high["rules"], high["decision"], high["bank"]) == ("high-dice", "1 2 3 4", None)
    short = of_json("bot", "ask", FAULTY, '{"scores":[0,0],"dice":[1],"target":500}', *PORTABLE)
    assert short["state"]["target"] == 500
    told = of_json("bot", "ask", FAULTY, '{"scores":[0,0],"dice":[1,2,3,4,6]}', "--rules", "thousand", *PORTABLE)
    assert told["state"]["opened"] == [False, False]


@pytest.mark.parametrize(
    ("state", "code", "said"),
    [
        ("{", "input", "the state is not JSON: column 2"),
        ("[1]", "input", "a state is a JSON object"),
        ("/nowhere", "input", "can't read /nowhere"),
        ('{"scores":[0,0]}', "input", "the state's field dice is wrong"),
        ('{"scores":[0,0],"dice":[2,3]}', "input", "nothing is asked with 2 3"),
        ('{"scores":[0,0],"dice":[1],"target":-5}', "rules", "target"),
        ('{"dice":[[1,2,3],[1,2,3]],"rule":"sum-odd"}', "rules", "rule"),
    ],
)
def test_wrong_states(state: str, code: str, said: str) -> None:
    error = error_of("bot", "ask", FAULTY, state, *PORTABLE)
    assert error["code"] == code
    assert said in error["message"]


def test_ask_of_a_bot_that_gives_no_answer() -> None:
    error = error_of("bot", "ask", f"{FAULTY} 'forgets id'", STATE, *PORTABLE, code=3)
    assert error == {"code": "bot", "message": "protocol: the field id is missing"}
    assert "exit code 1" in error_of("bot", "ask", "false", STATE, *PORTABLE, code=3)["message"]


def test_ask_warns_of_what_else_is_said() -> None:
    ended = run("bot", "ask", f"{FAULTY} greeting", STATE, *PORTABLE)
    assert ended.returncode == 0
    assert "it also said: Hello! I am a bot." in ended.stderr


# shell


def talk(commands: str, bot: str = FAULTY, *args: str, code: int = 0) -> list[str]:
    """Return what the shell prints, with times and long lines cut away."""
    ended = run("bot", "shell", bot, *PORTABLE, *args, input=commands)
    assert ended.returncode == code, ended.stderr
    return [re.sub(r"[\d.]+ ms", "N ms", line) for line in ended.stdout.splitlines()]


def brief(lines: list[str]) -> list[str]:
    return [line[:24] if line[:2] in ("->", "<-") else line for line in lines]


def test_shell_shows_both_directions() -> None:
    lines = talk("roll 1 2 3 4 6 6\nquit\n")
    assert brief(lines) == [
        '-> {"type":"hello","prot',
        '<- {"type": "ready", "pr',
        '-> {"type":"game","game"',
        '-> {"type":"decide","id"',
        '<- {"type": "decision", ',
        "1 2 3 4 6 6 > 1 roll: legal",
        '-> {"type":"bye"}',
        "gone after N ms, exit code 0",
    ]
    assert lines[4] == '<- {"type": "decision", "id": 1, "keep": [1], "bank": false}   (N ms)'


def test_shell_goes_to_the_end_of_its_input_without_quit() -> None:
    lines = brief(talk("roll 5 5 5"))
    assert lines[-3:] == ["5 5 5 > 5 5 5 bank: legal", '-> {"type":"bye"}', "gone after N ms, exit code 0"]


def test_shell_changes_the_game() -> None:
    commands = """
        game high-dice seats=3 seat=1 rule=sum-low
        roll 1 2 3 / 4 5 6 / 1 1 1
        state {"dice":[[1,2,3],[4,5,6],[1,1,1]],"keeps":[[1],null,null]}
        result
        game thousand
        state {"scores":[0,0],"dice":[1,1,1,2,3]}
    """
    lines = talk(commands, FAULTY)
    shown = brief(lines)
    assert [line for line in shown if ">" in line and "{" not in line] == [
        "1 2 3 > 1 2 3: legal",
        "4 5 6 > 4 5 6: legal",
        "1 1 1 2 3 > 1 1 1 bank: legal",
    ]
    assert [line for line in shown if '"game"' in line or '"result' in line] == [
        '-> {"type":"game","game"',
        '-> {"type":"result","gam',
        '-> {"type":"game","game"',
        '-> {"type":"result","gam',
        '-> {"type":"game","game"',
    ]
    games = [json.loads(line[3:]) for line in lines if line.startswith('-> {"type":"game"')]
    assert [(game["name"], game["seat"], len(game["players"])) for game in games] == [
        ("ten-thousand", 0, 2),
        ("high-dice", 1, 3),
        ("thousand", 0, 2),
    ]


def test_shell_begins_with_the_rules_of_its_options() -> None:
    lines = talk("roll 1 1 1 2 3", FAULTY, "--rules", "thousand", "--target", "500")
    [game] = [json.loads(line[3:]) for line in lines if line.startswith('-> {"type":"game"')]
    assert (game["name"], game["rules"]["target"]) == ("thousand", 500)


def test_shell_sends_what_it_is_given() -> None:
    lines = talk('send {"type":"decide","id":9,"seat":0,"state":{"dice":[[6,6],[1,2]]}}\n')
    assert '-> {"type":"decide","id":9,"seat":0,"state":{"dice":[[6,6],[1,2]]}}' in lines
    assert '<- {"type": "decision", "id": 9, "keep": [6, 6]}   (N ms)' in lines


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("dance", "there is no command dance; help lists them"),
        ("roll 2 3", "nothing is asked with 2 3: it is a bust, or wins as it falls"),
        ("roll x", "x is not the face of a die"),
        ("roll 1 / 2", "one roll is asked about here, without a /"),
        ("state {", "the state is not JSON: column 2"),
        ("state 5", "a state is a JSON object"),
        ("game poker", "there is no rule set and no file named poker; `dicegame rules list` names them"),
        ("game", "game is followed by the name of a rule set"),
        ('game "', "game is followed by the name of a rule set"),
        ("game thousand seats=9", "thousand has seats for 2 to 4 players, not for 9"),
        ("game thousand seats=two", "seats is a whole number"),
        ("game thousand seat=2", "seat 2 is not in this game"),
    ],
)
def test_shell_tells_what_is_wrong_and_goes_on(command: str, said: str) -> None:
    lines = talk(f"{command}\nroll 1\n")
    assert said in lines
    assert "1 > 1 roll: legal" in lines


def test_shell_lists_its_commands() -> None:
    text = "\n".join(talk("help\n"))
    for word in ("roll", "state", "game", "send", "result", "restart", "bye", "quit"):
        assert re.search(rf"^{word}\b", text, re.MULTILINE)


def test_shell_says_that_an_answer_is_wrong() -> None:
    assert "1 > 7 roll: not legal: kept 7, but a die has the faces 1 to 6" in talk("roll 1\n", f"{FAULTY} always")
    assert "this is no answer to question 1" in talk("roll 1\n", f"{FAULTY} 'forgets id'")
    assert "the field bank is missing" in talk("roll 1\n", f"{FAULTY} 'no bank'")


def test_shell_starts_a_bot_again_that_has_ended() -> None:
    lines = talk("roll 1 2 3 4 6 6\nroll 1 1 1 2 3 4\nroll 1\nroll 1 2 3 4 6 6\n", f"{FAULTY} 'crashes with hot dice'")
    assert "crashed: it exited (exit code 1); its log ends: ouch" in lines
    assert sum(line.startswith('-> {"type":"hello"') for line in lines) == 2
    assert lines.count("1 2 3 4 6 6 > 1 roll: legal") == 2


def test_shell_restarts_and_says_goodbye_on_request() -> None:
    lines = brief(talk("restart\nbye\nroll 1\n"))
    assert lines.count('-> {"type":"hello","prot') == 3
    assert lines.count('-> {"type":"bye"}') == 3
    stays = talk("bye\n", f"{FAULTY} 'ignores end of input'")
    assert "gone after N ms, exit code 0" in stays


def test_shell_of_a_bot_that_never_gets_ready() -> None:
    ended = run("bot", "shell", "false", *PORTABLE, input="roll 1\n")
    assert ended.returncode == 3
    assert "the bot never got ready" in ended.stderr
    assert "crashed: it exited (exit code 1)" in ended.stdout
    greeted = talk("roll 1\n", f"{FAULTY} greeting", code=3)
    assert "line is not JSON: column 1; stdout is the wire: print anything else to stderr" in greeted


def test_shell_on_a_terminal_shows_what_the_bot_says_by_itself(tmp_path: Path) -> None:
    bot = tmp_path / "late.py"
    bot.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        '    if "hello" in line:\n'
        '        print(\'{"type":"ready","protocol":1,"name":"late"}\', flush=True)\n'
        '    if "ping" in line:\n'
        '        print(\'{"type":"pong"}\', flush=True)\n'
    )
    program = f"{sys.executable} {bot}"
    child = pexpect.spawn(
        COMMAND[0],
        [*COMMAND[1:], "bot", "shell", program, *PORTABLE],
        env=environment(tmp_path, {"TERM": "dumb"}),
        encoding="utf-8",
        timeout=30,
        echo=False,
        dimensions=(24, 200),
    )
    child.expect_exact('-> {"type":"game"')
    child.expect(r"\n> ")
    child.sendline("send ping")
    child.expect_exact("-> ping")
    child.expect_exact('<- {"type":"pong"}')
    child.sendline("quit")
    child.expect("gone after [0-9.]+ ms, exit code 0")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


# new


def test_new_bot_passes_the_check(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    ended = run("bot", "new", str(folder), "--lang", "python", "--name", "lucky")
    assert ended.returncode == 0, ended.stderr
    assert f"Try it: dicegame bot check {folder}" in ended.stdout.replace("\n", " ")
    assert "lucky" in (folder / "bot.toml").read_text(encoding="utf-8")
    assert of_json("bot", "check", str(folder), "--states", "30", *PORTABLE)["passed"]


def test_new_as_json_and_its_faults(tmp_path: Path) -> None:
    files = of_json("bot", "new", str(tmp_path / "a"), "--lang", "c")["files"]
    assert sorted(Path(file).name for file in files) == ["README.md", "bot.c", "bot.toml"]
    assert "is there already" in error_of("bot", "new", str(tmp_path / "a"), "--lang", "c")["message"]
    assert "cobol" in error_of("bot", "new", str(tmp_path / "b"), "--lang", "cobol")["message"]
    assert error_of("bot", "new", str(tmp_path / "b"))["code"] == "usage"


def test_language_of_a_program_is_not_that_of_the_words() -> None:
    english = run("bot", "new", "--lang", "c", "--help").stdout
    french = run("--lang", "fr", "bot", "new", "--lang", "c", "--help").stdout
    assert "Show this message and exit." in english
    assert "Show this message and exit." not in french


def test_list_is_still_there() -> None:
    assert run("bot", "list").stdout.startswith("house")


def test_help_names_every_language_of_the_starters() -> None:
    shown = " ".join(run("bot", "new", "--help").stdout.split())
    assert ", ".join(LANGUAGES) in shown
