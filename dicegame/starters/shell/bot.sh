#!/bin/sh
# my-bot: a bot for dicegame that plays every game, simply. Make it yours: the functions that think are push_luck and high_dice.
#
# The referee writes one JSON object a line to our stdin, and we write our answers to stdout, a line each. Nothing else may go to
# stdout: `debug` and `stderr` show you what goes through them. protocol.md describes every message and field.
#
# jq reads all lines: to start it again for each would take a hundred times as long. --unbuffered sends every answer at once.
exec jq --null-input --unbuffered --compact-output '

# Choose which dice to keep, and whether to bank or to roll the others (ten-thousand, thousand and their like).
def push_luck:
  # An option is a legal keep: its dice, their points, how many dice the next roll has, and whether we may bank after it.
  # The one with the most points comes first. Idea: fewer points may leave more dice to roll.
  .options[0] as $option
  | (.state.turn_points + $option.points) as $points
  | (.state.scores[.seat] + $points) as $score    # what we would have after banking
  | .state
  | if .final_round then $score > .final_round.score    # our last turn: only the lead is worth banking
    elif $score >= .target then true
    else $points >= (.target * 3 / 100 | floor)    # idea: rolling 6 dice is nearly safe, rolling 1 is mostly a bust; see $option.roll
    end
  | {keep: $option.keep, bank: (. and $option.bank)};

# Choose which of our dice to hold on to; all others are rolled once more.
def high_dice:
  .state.rule as $rule
  | .state.dice[.seat] as $dice    # the others have theirs there, too; idea: stand pat if they are too far behind
  | {keep: [$dice[] | select(
      if $rule == "sum-high" then . >= 4    # a new roll is worth 3.5
      elif $rule == "sum-low" then . <= 3
      else [. == $dice[] | select(.)] | length > 1    # triple-pair: what is there more than once
      end)]};

inputs    # each message in turn; and this is our answer to it, if it wants one:
| if .type == "hello" then
    {type: "ready", protocol: 1, name: "my-bot"}
  elif .type == "decide" then
    # The id says which question this answers. Push-your-luck games list what is legal; high dice does not need to.
    {type: "decision", id} + (if .options then push_luck else high_dice end)
  elif .type == "error" then
    stderr | empty    # our last answer was wrong, and this says why
  elif .type == "bye" then
    halt
  else
    empty    # all other messages: `game` tells the rules as a game begins, `result` how it ended; and there may be new ones
  end
'
