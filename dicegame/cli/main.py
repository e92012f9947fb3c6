"""The entry: streams, language and colour are settled once, then click takes over, and every failure becomes a line and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dicegame import text
from dicegame.errors import EXIT_DONE, EXIT_INPUT, EXIT_INTERNAL, EXIT_INTERRUPTED, DicegameError, Interrupted

if TYPE_CHECKING:
    import click


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process with its exit code."""
    args = list(sys.argv[1:] if arguments is None else arguments)
    _open_closed_streams()
    text.setup_streams()
    text.use(_language(args))
    code = run(args)
    try:
        sys.stdout.flush()
    except OSError:  # told already; the interpreter must not tell it again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def run(args: list[str]) -> int:  # noqa: PLR0911 - a return an outcome
    """Run one command line and return its exit code."""
    import click

    as_json = "--json" in args
    try:
        from dicegame.cli.group import dicegame

        code = dicegame.main(args, prog_name="dicegame", standalone_mode=False, color=wants_color(os.environ))
        _flush()
    except click.ClickException as error:
        if as_json:
            _report_json({"code": "usage", "message": error.format_message()})
        else:
            click.echo(f"dicegame: {_usage(error)}", err=True)
        return error.exit_code
    except DicegameError as error:
        if as_json:
            _report_json(error.as_json())
        else:
            click.echo(f"dicegame: {error.message}", err=True)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _interrupted(as_json=as_json)
    except SystemExit as left:  # completion is done, or nobody reads the pipe any more: click's 1 would be a no
        return EXIT_INPUT if left.code else EXIT_DONE
    except OSError as error:
        return _lost_output(error, as_json=as_json)
    except Exception:  # noqa: BLE001 - the last one to know: a fault of ours is shown whole and never silent
        return _own_fault(as_json=as_json)
    return code if isinstance(code, int) else EXIT_DONE


def _usage(error: click.ClickException) -> str:
    """Return what was wrong with a command line, on one line, and where to read more."""
    context = getattr(error, "ctx", None)
    message = " ".join(error.format_message().split())
    if context is None:
        return message
    return text._("%(message)s (%(command)s tells more)") % {
        "message": message,
        "command": text.ltr(f"{context.command_path} --help"),
    }


def wants_color(environ: os._Environ[str]) -> bool | None:
    """Return what the environment says of colour: NO_COLOR before FORCE_COLOR before TERM=dumb; None leaves it to the terminal."""
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return False if environ.get("TERM") == "dumb" else None


def _language(args: list[str]) -> str:
    """Return the language to speak: that of `--lang`, which must be known before anything is worded, else that of the environment."""
    code = None
    for i, arg in enumerate(args):
        if arg == "--":
            break
        chosen = args[i + 1] if arg == "--lang" and i + 1 < len(args) else arg.removeprefix("--lang=")
        if chosen in text.LANGUAGES and arg.startswith("--lang"):  # `bot new --lang c` means another kind of language
            code = chosen
    code = code or text.preferred()
    return code if text.writable(code, getattr(sys.stdout, "encoding", None)) else "en"


def _report_json(error: dict[str, object]) -> None:
    from dicegame.cli.common import report_json

    report_json("error", error)


def _open_closed_streams() -> None:
    """Give a process that was started without a standard stream an empty one: else the first file opened would take its place.

    What is written to a closed output fails, as it must; talk is lost.
    """
    closed = ((0, "stdin", "r", os.O_RDONLY), (1, "stdout", "w", os.O_RDONLY), (2, "stderr", "w", os.O_WRONLY))
    for number, name, mode, access in closed:
        if getattr(sys, name) is None:
            empty = os.open(os.devnull, access)
            if empty != number:
                os.dup2(empty, number)
                os.close(empty)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - stays open


def _flush() -> None:
    sys.stdout.flush()


def _interrupted(*, as_json: bool) -> int:
    error = Interrupted(text._("interrupted"))
    if as_json:
        _report_json(error.as_json())
    else:
        print(f"dicegame: {error.message}", file=sys.stderr)
    return EXIT_INTERRUPTED


def _own_fault(*, as_json: bool) -> int:
    import traceback

    if as_json:
        message = text._("this is a fault of the program itself; please report it")
        _report_json({"code": "internal", "message": message, "traceback": traceback.format_exc()})
    else:
        traceback.print_exc()
        said = text._("dicegame: this is a fault of the program itself; please report the lines above")
        print(said, file=sys.stderr)
    return EXIT_INTERNAL


def _lost_output(error: OSError, *, as_json: bool) -> int:
    """Say that the output could not be written."""
    message = text._("can't write: %s") % (error.strerror or str(error))
    if as_json:
        _report_json({"code": "output", "message": message})
    else:
        print(f"dicegame: {message}", file=sys.stderr)
    return EXIT_INPUT
