#!/usr/bin/env node
// A sample bot for dicegame: reads the messages of protocol.md on stdin and answers on stdout, one JSON object a line.
//
// Push your luck: it keeps the most points, and banks once another roll would on average lose more than it gains. High dice: it marks
// what wins the round most often. Every question is complete in itself, so all that it remembers of a game is what a single 5 is worth.
"use strict";

// The turn points at which another roll of 1, 2 ... 6 dice stops paying, counted in single 5s: much the same in every rule set, since
// they all score 1s, 5s and triples. (`dicegame odds` works it out to the point.)
const BANK_AT = [6, 5, 9, 21, 60, 300];
const FACES = [1, 2, 3, 4, 5, 6];

let five = 0; // points of a single 5 in the game at hand
let unread = "";

process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (unread + chunk).split("\n");
  unread = lines.pop(); // the beginning of a line whose end is still to come
  lines.forEach((line) => handle(JSON.parse(line)));
}); // at the end of input nothing is left to do, and node exits by itself

function handle(message) {
  switch (message.type) {
    case "hello":
      send({ type: "ready", protocol: 1, name: "sample-javascript", version: "1.0" });
      break;
    case "game":
      five = message.rules?.score?.single?.["5"] ?? 0;
      break;
    case "decide":
      send({ type: "decision", id: message.id, ...decide(message) });
      break;
    case "error": // what was wrong with our last answer; stdout is the wire, so we talk on stderr
      console.error(message.message);
      break;
    case "bye":
      process.exit(0);
  }
}

function send(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

/** Return our answer to a `decide` message, without its type and id. */
function decide({ state, seat, options }) {
  if (!options) return { keep: bestMark(state, seat) };
  const { keep, points, roll, bank } = options[0]; // all legal keeps are listed, the most points first
  return { keep, bank: bank && wantsToBank(state, seat, state.turn_points + points, roll) };
}

/** Say whether to bank `total` turn points rather than to roll `roll` dice. */
function wantsToBank(state, seat, total, roll) {
  const { scores, target } = state;
  if (state.final_round) return scores[seat] + total > state.final_round.score; // our last turn: second place is worth nothing
  if (scores[seat] + total >= target) return true;
  const best = Math.max(...scores.filter((_, other) => !state.out[other]));
  const at = (five || Math.max(Math.floor(target / 200), 1)) * BANK_AT[roll - 1];
  return total * target >= at * (target + best - scores[seat]); // who trails must dare more
}

/** Return the dice to hold on to for the best chance of winning the round, or of not losing it. */
function bestMark(state, seat) {
  const dice = state.dice[seat];
  const rivals = state.order
    .filter((other) => other !== seat)
    .map((other) => outcomes(state.rule, dice.length, state.keeps[other] ?? state.dice[other])); // unmarked: taken to stand pat
  let best = dice;
  let bestChance = -1;
  for (let mask = (1 << dice.length) - 1; mask >= 0; mask--) { // every choice of dice, all of them first
    const keep = dice.filter((_, i) => (mask >> i) & 1);
    let chance = 0;
    for (const [rank, p] of outcomes(state.rule, dice.length, keep)) chance += p * worth(rank, rivals, state.find);
    if (chance > bestChance + 1e-9) [best, bestChance] = [keep, chance];
  }
  return best;
}

/** Return the chance of every rank that `held` dice may come to once there are `dice` of them again. */
function outcomes(rule, dice, held, share = 1, chances = new Map()) {
  if (held.length === dice) {
    const rank = rankOf(rule, held);
    chances.set(rank, (chances.get(rank) ?? 0) + share);
  } else {
    for (const face of FACES) outcomes(rule, dice, [...held, face], share / 6, chances);
  }
  return chances;
}

/** Return what dice are worth: more is better, equal is level. */
function rankOf(rule, dice) {
  const sum = dice.reduce((a, b) => a + b, 0);
  if (rule === "sum-low") return -sum;
  if (rule === "triple-pair") {
    const alike = (face) => dice.filter((other) => other === face).length;
    const face = dice.reduce((a, b) => (alike(b) > alike(a) ? b : a));
    if (alike(face) > 1) return face + (alike(face) === 2 ? 20 : 40); // above every sum of three dice
  }
  return sum;
}

/** Return the chance that a seat with this rank wins the round (or does not lose it); a tie counts half. */
function worth(rank, rivals, find) {
  const sign = find === "loser" ? -1 : 1;
  let found = 1;
  for (const rival of rivals) {
    let beaten = (rival.get(rank) ?? 0) / 2;
    for (const [r, p] of rival) if (sign * r < sign * rank) beaten += p;
    found *= beaten;
  }
  return find === "loser" ? 1 - found : found;
}
