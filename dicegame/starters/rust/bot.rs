//! my-bot: a bot for dicegame that plays every game, simply. Make it yours: the functions that think are push_luck and high_dice.
//! The referee writes one JSON object a line to our stdin, and we write our answers to stdout, a line each. Nothing else may go to
//! stdout: use eprintln! for what you want to see. protocol.md describes every message and field.

fn main() {
    for line in std::io::stdin().lines().map_while(Result::ok) {
        match get(&line, "type") {
            r#""hello""# => println!(r#"{{"type":"ready","protocol":1,"name":"my-bot"}}"#),
            r#""decide""# => println!("{}", decide(&line)), // println! also flushes the line
            r#""error""# => eprintln!("{line}"), // our last answer was wrong, and this says why
            r#""bye""# => break,
            _ => {} // pass over all other messages, such as `game` and `result`
        }
    }
}

/// The id says which question we answer. Push-your-luck games list what is legal, the most points first.
fn decide(message: &str) -> String {
    let (id, state) = (get(message, "id"), get(message, "state"));
    let seat = number(get(message, "seat")) as usize;
    let answer = match items(get(message, "options")).first() {
        Some(option) => push_luck(option, state, seat),
        None => high_dice(state, seat),
    };
    format!(r#"{{"type":"decision","id":{id},{answer}}}"#)
}

/// Chooses which dice to keep, and whether to bank or to roll the others. An option is a legal keep.
fn push_luck(option: &str, state: &str, seat: usize) -> String {
    let points = number(get(state, "turn_points")) + number(get(option, "points"));
    let score = number(items(get(state, "scores"))[seat]) + points; // if we banked now
    let (target, last) = (number(get(state, "target")), get(state, "final_round"));
    let wish = match last {
        // Idea: "roll" of the option says how many dice are left; few of them are mostly a bust.
        "null" => score >= target || points >= target * 3 / 100,
        _ => score > number(get(last, "score")), // our last turn: only the lead is worth banking
    };
    let (keep, bank) = (get(option, "keep"), wish && get(option, "bank") == "true");
    format!(r#""keep":{keep},"bank":{bank}"#)
}

/// Chooses which of our dice to hold on to; all others are rolled once more.
fn high_dice(state: &str, seat: usize) -> String {
    let dice = items(items(get(state, "dice"))[seat]); // idea: look at the others' dice, too
    let is_good = |die: &&str| match get(state, "rule") {
        r#""triple-pair""# => dice.iter().filter(|other| *other == die).count() > 1,
        r#""sum-low""# => number(die) <= 3,
        _ => number(die) >= 4, // a new roll is worth 3.5
    };
    let keep: Vec<&str> = dice.iter().copied().filter(is_good).collect();
    format!(r#""keep":[{}]"#, keep.join(","))
}

/// JSON without a library: a value is the part of the line that it stands in.
fn get<'a>(object: &'a str, key: &str) -> &'a str {
    let parts = items(object);
    let mut pairs = parts.chunks_exact(2);
    let found = pairs.find(|pair| pair[0].trim_matches('"') == key);
    found.map_or("null", |pair| pair[1])
}

/// Returns the items of an array, or the keys and values of an object in turn.
fn items(value: &str) -> Vec<&str> {
    let (mut found, mut start, mut depth, mut text, mut escaped) = (vec![], 1, 0, false, false);
    for (at, c) in value.char_indices() {
        text ^= c == '"' && !escaped;
        escaped = text && c == '\\' && !escaped;
        depth += i32::from(!text && "[{".contains(c)) - i32::from(!text && "]}".contains(c));
        if !text && (depth == 1 && ",:".contains(c) || depth == 0 && "]}".contains(c)) {
            found.push(value[start..at].trim());
            start = at + 1;
        }
    }
    found.retain(|item| !item.is_empty());
    found
}

fn number(value: &str) -> i64 {
    value.parse().unwrap_or(0)
}
