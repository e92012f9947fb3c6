#!/bin/sh
# A sample bot for dicegame: reads the messages of protocol.md on stdin and answers on stdout, one JSON object a line.
#
# Push your luck: it keeps the most points, and banks once another roll would on average lose more than it gains. High dice: it marks
# what wins the round most often. Every question is complete in itself, so all that it remembers of a game is what a single 5 is worth.
#
# One jq reads every line; to start one for each would cost a hundred times as much. --unbuffered is what sends each answer at once.
exec jq --null-input --compact-output --unbuffered '

# The turn points at which another roll of 1, 2 ... 6 dice stops paying, counted in single 5s: much the same in every rule set, since
# they all score 1s, 5s and triples. (`dicegame odds` works it out to the point.)
def bank_at: [6, 5, 9, 21, 60, 300];

# Say whether to bank $total turn points rather than to roll $roll dice; the input is the state.
def wants_to_bank($seat; $total; $roll; $five):
  .scores[$seat] as $mine
  | if .final_round then $mine + $total > .final_round.score    # our last turn: second place is worth nothing
    elif $mine + $total >= .target then true
    else
      . as $state
      | ([.scores[range(.scores | length) | select($state.out[.] | not)]] | max) as $best
      | (if $five > 0 then $five else [.target / 200 | floor, 1] | max end) as $unit
      | $total * .target >= $unit * bank_at[$roll - 1] * (.target + $best - $mine)    # who trails must dare more
    end;

# Return every outcome of so many dice: the dice, ascending, and the chance that they fall so.
def throws($dice):
  reduce range($dice) as $i ([{dice: [], chance: 1}];
    [.[] as $throw | range(1; 7) | {dice: ($throw.dice + [.] | sort), chance: ($throw.chance / 6)}]
    | group_by(.dice) | map({dice: .[0].dice, chance: map(.chance) | add}));

# Return what dice are worth, 0 to 47: more is better, equal is level.
def rank_of($rule):
  if $rule == "sum-low" then 30 - add
  elif $rule == "triple-pair" then
    (group_by(.) | max_by(length)) as $alike
    | if $alike | length > 1 then $alike[0] + (if $alike | length == 2 then 20 else 40 end) else add end    # above every sum of three
  else add
  end;

# Return every rank that the input, dice that are held, may come to once there are $n dice again, with its chance.
def outcomes($rule; $n; $throws):
  . as $held | $throws[$n - length] | map({rank: ($held + .dice | rank_of($rule)), chance: .chance});

# Return, for every rank, the chance that a rival with these outcomes does worse; a tie counts half.
def beaten_by_rank:
  reduce .[] as $outcome ([range(48) | 0]; .[$outcome.rank] += $outcome.chance)
  | [foreach .[] as $chance ({below: 0, beaten: 0}; {beaten: (.below + $chance / 2), below: (.below + $chance)}; .beaten)];

# Return every choice of the input dice, all of them first.
def subsets: if length == 0 then [] else .[-1:] as $last | .[:-1] | (subsets + $last, subsets) end;

# Return the dice to hold on to for the best chance of winning the round, or of not losing it; the input is the state.
def best_mark($seat; $throws):
  . as {$rule, $find, $dice, $keeps}
  | ($dice[$seat] | length) as $n
  | [.order[] | select(. != $seat)
      | $keeps[.] // $dice[.]    # who has not marked yet is taken to stand pat
      | outcomes($rule; $n; $throws) | beaten_by_rank] as $rivals
  | [range(48) as $rank
      | if $find == "loser"
        then 1 - reduce $rivals[] as $beaten (1; . * (1 - $beaten[$rank]))
        else reduce $rivals[] as $beaten (1; . * $beaten[$rank])
        end] as $worth
  | reduce ($dice[$seat] | subsets) as $keep ({chance: -1};
      ($keep | outcomes($rule; $n; $throws) | map(.chance * $worth[.rank]) | add) as $chance
      | if $chance > .chance + 1e-9 then {$keep, $chance} else . end)
  | .keep;

# Return our answer to a `decide` message, without its type and id.
def decide($five; $throws):
  .seat as $seat
  | if .options then
      .options[0] as $option    # all legal keeps are listed, the most points first
      | .state
      | (.turn_points + $option.points) as $total
      | {keep: $option.keep, bank: ($option.bank and wants_to_bank($seat; $total; $option.roll; $five))}
    else {keep: (.state | best_mark($seat; $throws))}
    end;

[range(6) | throws(.)] as $throws
| foreach inputs as $message (0;    # what is remembered: the points of a single 5 in the game at hand
    if $message.type == "game" then $message.rules.score.single["5"] // 0 else . end;
    . as $five
    | $message
    | if .type == "hello" then {type: "ready", protocol: 1, name: "sample-shell", version: "1.0"}
      elif .type == "decide" then {type: "decision", id} + decide($five; $throws)
      elif .type == "error" then stderr | empty    # what was wrong with our last answer; stdout is the wire, so we talk on stderr
      elif .type == "bye" then halt
      else empty
      end)
'
