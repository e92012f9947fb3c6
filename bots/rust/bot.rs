//! A sample bot for dicegame: reads the messages of protocol.md on stdin and answers on stdout, one JSON object a line.
//!
//! Push your luck: it keeps the most points, and banks once another roll would on average lose more than it gains. High dice: it marks
//! what wins the round most often. Every question is complete in itself, so all that it remembers of a game is what a single 5 is worth.
//!
//! The standard library has no JSON, but little of it is needed: the values of a line are found where they stand and never copied.

use std::io::{self, BufRead, Write};

/// The turn points at which another roll of 1, 2 ... 6 dice stops paying, counted in single 5s: much the same in every rule set, since
/// they all score 1s, 5s and triples. (`dicegame odds` works it out to the point.)
const BANK_AT: [i64; 6] = [6, 5, 9, 21, 60, 300];

const READY: &str = r#"{"type":"ready","protocol":1,"name":"sample-rust","version":"1.0"}"#;

fn main() -> io::Result<()> {
    let mut output = io::stdout().lock();
    let mut five = 0; // points of a single 5 in the game at hand
    for line in io::stdin().lock().lines() {
        let line = line?;
        let message = Value(line.trim());
        match message.get("type").text() {
            "hello" => writeln!(output, "{READY}")?,
            "game" => five = points_of_a_five(message),
            "decide" => writeln!(output, "{}", decide(message, five))?,
            // What was wrong with our last answer; stdout is the wire, so we talk on stderr.
            "error" => eprintln!("{}", message.0),
            "bye" => break,
            _ => {}
        }
        output.flush()?;
    }
    Ok(())
}

fn points_of_a_five(game: Value) -> i64 {
    let score = game.get("rules").get("score");
    score.get("single").get("5").number()
}

/// Return our answer to a `decide` message.
fn decide(message: Value, five: i64) -> String {
    let (state, seat, id) = (
        message.get("state"),
        message.get("seat").index(),
        message.get("id").0,
    );
    let Some(option) = message.get("options").items().next() else {
        let faces: Vec<String> = best_mark(state, seat).iter().map(i64::to_string).collect();
        return format!(
            r#"{{"type":"decision","id":{id},"keep":[{}]}}"#,
            faces.join(",")
        );
    };
    // All legal keeps are listed, the most points first.
    let (keep, roll) = (option.get("keep").0, option.get("roll").number());
    let total = state.get("turn_points").number() + option.get("points").number();
    let bank = option.get("bank").is_true() && wants_to_bank(state, seat, total, roll, five);
    format!(r#"{{"type":"decision","id":{id},"keep":{keep},"bank":{bank}}}"#)
}

/// Say whether to bank `total` turn points rather than to roll `roll` dice.
fn wants_to_bank(state: Value, seat: usize, total: i64, roll: i64, five: i64) -> bool {
    let (scores, target) = (state.get("scores").numbers(), state.get("target").number());
    let mine = scores[seat];
    if let Some(best) = state.get("final_round").find("score") {
        return mine + total > best.number(); // our last turn: second place is worth nothing
    }
    if mine + total >= target {
        return true;
    }
    let playing = scores
        .iter()
        .zip(state.get("out").items())
        .filter(|(_, out)| !out.is_true());
    let best = playing.map(|(score, _)| *score).max().unwrap_or(mine);
    let five = if five > 0 {
        five
    } else {
        (target / 200).max(1)
    };
    let at = five * BANK_AT[(roll.clamp(1, 6) - 1) as usize];
    total * target >= at * (target + best - mine) // who trails must dare more
}

/// The chance of every rank that a seat may come to.
type Outcomes = [f64; 48];

/// Return the dice to hold on to for the best chance of winning the round, or of not losing it.
fn best_mark(state: Value, seat: usize) -> Vec<i64> {
    let (rule, loser) = (
        state.get("rule").text(),
        state.get("find").text() == "loser",
    );
    let all: Vec<Vec<i64>> = state.get("dice").items().map(Value::numbers).collect();
    let marks: Vec<Value> = state.get("keeps").items().collect();
    let dice = &all[seat];
    let mut rivals = Vec::new();
    for other in state.get("order").items().map(Value::index) {
        if other != seat {
            // Who has not marked yet is taken to stand pat.
            let pat = marks[other].is_null();
            let held = if pat {
                all[other].clone()
            } else {
                marks[other].numbers()
            };
            rivals.push(outcomes(rule, dice.len(), &held));
        }
    }
    let (mut best, mut best_chance) = (dice.clone(), -1.0);
    // Every choice of dice, all of them first.
    for mask in (0..1 << dice.len()).rev() {
        let chosen = |i: &usize| mask >> i & 1 == 1;
        let keep: Vec<i64> = (0..dice.len()).filter(chosen).map(|i| dice[i]).collect();
        let mine = outcomes(rule, dice.len(), &keep);
        let possible = (0..mine.len()).filter(|&rank| mine[rank] > 0.0);
        let chance = possible
            .map(|rank| mine[rank] * worth(rank, &rivals, loser))
            .sum();
        if chance > best_chance + 1e-9 {
            (best, best_chance) = (keep, chance);
        }
    }
    best
}

/// Return what `held` dice may come to once there are `n` of them again.
fn outcomes(rule: &str, n: usize, held: &[i64]) -> Outcomes {
    fn add(rule: &str, n: usize, held: &mut Vec<i64>, share: f64, to: &mut Outcomes) {
        if held.len() >= n {
            to[rank_of(rule, held)] += share;
            return;
        }
        for face in 1..=6 {
            held.push(face);
            add(rule, n, held, share / 6.0, to);
            held.pop();
        }
    }
    let mut found = [0.0; 48];
    add(rule, n, &mut held.to_vec(), 1.0, &mut found);
    found
}

/// Return what dice are worth: more is better, equal is level.
fn rank_of(rule: &str, dice: &[i64]) -> usize {
    let sum = dice.iter().sum::<i64>();
    let rank = match rule {
        "sum-low" => 30 - sum,
        "triple-pair" => {
            let alike = |face: i64| dice.iter().filter(|&&other| other == face).count();
            match (1..=6).find(|&face| alike(face) > 1) {
                Some(face) if alike(face) == 2 => 20 + face, // above every sum of three dice
                Some(face) => 40 + face,
                None => sum,
            }
        }
        _ => sum,
    };
    rank as usize
}

/// Return the chance that a seat with this rank wins the round (or does not lose it); a tie counts half.
fn worth(rank: usize, rivals: &[Outcomes], loser: bool) -> f64 {
    let beaten = |rival: &Outcomes| {
        let beyond = if loser {
            &rival[rank + 1..]
        } else {
            &rival[..rank]
        };
        beyond.iter().sum::<f64>() + rival[rank] / 2.0
    };
    let found: f64 = rivals.iter().map(beaten).product();
    if loser {
        1.0 - found
    } else {
        found
    }
}

/// A JSON value as it stands in the line; empty where there is none.
#[derive(Clone, Copy)]
struct Value<'a>(&'a str);

impl<'a> Value<'a> {
    /// Return the value of a key of this object; an empty one if there is none.
    fn get(self, key: &str) -> Value<'a> {
        self.find(key).unwrap_or(Value(""))
    }

    fn find(self, key: &str) -> Option<Value<'a>> {
        let mut parts = self.items();
        while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
            if name.text() == key {
                return Some(value);
            }
        }
        None
    }

    /// Return the items of this array, or the keys and values of this object in turn.
    fn items(self) -> impl Iterator<Item = Value<'a>> {
        let mut rest = self.0.strip_prefix(['[', '{']).unwrap_or("");
        std::iter::from_fn(move || {
            rest = rest.trim_start_matches([' ', '\t', ',', ':']);
            let (value, after) = rest.split_at(length(rest));
            rest = after;
            (!value.is_empty()).then_some(Value(value))
        })
    }

    fn numbers(self) -> Vec<i64> {
        self.items().map(Value::number).collect()
    }

    fn number(self) -> i64 {
        self.0.parse().unwrap_or(0)
    }

    fn index(self) -> usize {
        self.number() as usize
    }

    fn text(self) -> &'a str {
        self.0.trim_matches('"')
    }

    fn is_true(self) -> bool {
        self.0 == "true"
    }

    fn is_null(self) -> bool {
        self.0 == "null"
    }
}

/// Return how long the JSON value is that `text` begins with; 0 if none does.
fn length(text: &str) -> usize {
    let (mut depth, mut in_text, mut escaped) = (0, false, false);
    for (at, byte) in text.bytes().enumerate() {
        if in_text {
            in_text = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            if !in_text && depth == 0 {
                return at + 1;
            }
            continue;
        }
        match byte {
            b'"' => in_text = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return at,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            b',' | b' ' | b'\t' | b'\r' | b'\n' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}
