"""`dicegame rules`: list the rule sets, show one in words or as data, check a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from dicegame.cli.common import change_options, complete_rules, json_option, lang_option, load_rules, print_json
from dicegame.text import _, quote

if TYPE_CHECKING:
    from dicegame.rules.model import RuleSet

_SPREAD_OUT = re.compile(r"\[\n([\s\d,]*),\n *\]")  # a list of numbers, one a line


@click.group(help=_("List, show and check rule sets."))
@lang_option
def rules() -> None:
    """Group the commands about rule sets."""


@rules.command("list", help=_("List the rule sets that come with the program."))
@json_option
@lang_option
def list_rules(as_json: bool) -> None:
    """List the presets."""
    from dicegame.rules.describe import summary
    from dicegame.rules.load import load, presets
    from dicegame.terminal.layout import width

    found = [load(name) for name in presets()]
    if as_json:
        print_json({"rules": [_in_brief(rule_set) for rule_set in found]})
        return
    formatter = click.HelpFormatter(width=width())
    formatter.write_dl([(rule_set.name, summary(rule_set)) for rule_set in found])
    click.echo(formatter.getvalue(), nl=False)


@rules.command("show", help=_("Show the rules of a rule set, in words."))
@click.argument("source", metavar="NAME|FILE", shell_complete=complete_rules)
@click.option("--toml", "as_toml", is_flag=True, help=_("Print a file to begin house rules from."))
@change_options
@json_option
@lang_option
def show_rules(source: str, changes: tuple[str, ...], target: int | None, as_toml: bool, as_json: bool) -> None:
    """Show one rule set."""
    if as_toml and as_json:
        raise click.UsageError(_("--toml and --json exclude each other"))
    found = load_rules(source, changes, target)
    if as_json:
        from dicegame.rules.load import as_data

        print_json(as_data(found))
    elif as_toml:
        changed = bool(changes) or target is not None
        click.echo(_toml(found, None if changed else source), nl=False)
    else:
        _show(found)


@rules.command("check", help=_("Check a file with a rule set; every fault in it is told."))
@click.argument("source", type=click.Path(), metavar="FILE")
@json_option
@lang_option
def check_rules(source: str, as_json: bool) -> None:
    """Check one file; `RulesError` says what is wrong with it."""
    found = load_rules(source, (), None)
    if as_json:
        print_json({"valid": True, **_in_brief(found)})
        return
    from dicegame.rules.describe import summary
    from dicegame.terminal.layout import say

    say(_("%(file)s is right: %(summary)s") % {"file": quote(source), "summary": summary(found)})


def _in_brief(rules: RuleSet) -> dict[str, object]:
    """Return what a list of rule sets tells of each; high dice has no target."""
    target = getattr(rules, "target", None)
    return {
        "name": rules.name,
        "engine": rules.engine,
        "dice": rules.dice,
        "target": target,
        "seats": list(rules.seats),
    }


def _show(rules: RuleSet) -> None:
    from dicegame.rules.describe import describe
    from dicegame.terminal.layout import say, title

    title(quote(rules.name))
    for heading, lines in describe(rules):
        click.echo()
        title(heading)
        for line in lines:
            say("- " + line, indent=2, hang=2)


def _toml(rules: RuleSet, preset: str | None) -> str:
    """Return a rule file: the text of `preset` if it names one, else every field of the rule set."""
    from dicegame.rules.load import as_data, preset_text, presets

    if preset in presets():
        return preset_text(preset)
    import tomli_w

    text = tomli_w.dumps({field: value for field, value in as_data(rules).items() if value is not None})
    return _SPREAD_OUT.sub(lambda match: "[" + ", ".join(match[1].replace(",", " ").split()) + "]", text)
