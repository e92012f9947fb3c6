#!/usr/bin/env node
// my-bot: a bot for dicegame that plays every game, simply. Make it yours: the two functions that think are at the end.
//
// The referee writes one JSON object a line to our stdin, and we write our answers to stdout, a line each. Nothing else may go to
// stdout: print what you want to see with console.error, not console.log. protocol.md describes every message and field.
"use strict";

let unread = ""; // data comes in pieces: this is the beginning of a line whose end is still to come

process.stdin.setEncoding("utf8");
process.stdin.on("data", (piece) => {
  const lines = (unread + piece).split("\n");
  unread = lines.pop();
  for (const line of lines) handle(JSON.parse(line));
}); // when the input ends there is nothing left to wait for, and node exits

function handle(message) {
  if (message.type === "hello") {
    send({ type: "ready", protocol: 1, name: "my-bot" });
  } else if (message.type === "decide") {
    // The id says which question this answers. Push-your-luck games list what is legal; high dice does not need to.
    const think = message.options ? pushLuck : highDice;
    send({ type: "decision", id: message.id, ...think(message, message.state) });
  } else if (message.type === "error") {
    console.error(message.message); // our last answer was wrong, and this says why
  } else if (message.type === "bye") {
    process.exit(0);
  }
  // Pass over all other messages: `game` tells the rules as a game begins, `result` how it ended; and there may be new ones.
}

function send(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

// Choose which dice to keep, and whether to bank or to roll the others (ten-thousand, thousand and their like).
function pushLuck(message, state) {
  // An option is a legal keep: its dice, their points, how many dice the next roll has, and whether we may bank after it.
  // The one with the most points comes first. Idea: fewer points may leave more dice to roll.
  const option = message.options[0];
  const turnPoints = state.turn_points + option.points;
  const score = state.scores[message.seat] + turnPoints; // what we would have after banking
  let bank;
  if (state.final_round) {
    bank = score > state.final_round.score; // our last turn: only the lead is worth banking
  } else if (score >= state.target) {
    bank = true;
  } else {
    // Idea: rolling 6 dice is nearly safe, rolling 1 is mostly a bust. `dicegame odds` has the figures; see option.roll.
    bank = turnPoints >= Math.floor((state.target * 3) / 100);
  }
  return { keep: option.keep, bank: bank && option.bank };
}

// Choose which of our dice to hold on to; all others are rolled once more.
function highDice(message, state) {
  const dice = state.dice[message.seat]; // the others' dice are there too. Idea: stand pat if they can't catch up
  const isGood = {
    "sum-high": (face) => face >= 4, // a new roll is worth 3.5
    "sum-low": (face) => face <= 3,
    "triple-pair": (face) => dice.filter((other) => other === face).length > 1,
  };
  return { keep: dice.filter(isGood[state.rule]) };
}
