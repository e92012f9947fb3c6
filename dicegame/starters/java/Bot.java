import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;

/**
 * my-bot: a bot for dicegame that plays every game, simply. Make it yours: the methods that think are pushLuck and highDice.
 * The referee writes one JSON object a line to our stdin, and we write our answers to stdout, a line each. Nothing else may go to
 * stdout: use System.err for what you want to see. protocol.md describes every message and field.
 */
class Bot {
    public static void main(String[] args) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            switch (get(line, "type")) {
                case "\"hello\"": say("\"ready\",\"protocol\":1,\"name\":\"my-bot\""); break;
                case "\"decide\"": // the id says which question we answer; push-your-luck games list what is legal
                    List<String> options = items(get(line, "options"));
                    String answer = options.isEmpty() ? highDice(line) : pushLuck(line, options.get(0)); // most points first
                    say("\"decision\",\"id\":" + get(line, "id") + "," + answer);
                    break;
                case "\"error\"": System.err.println(line); break; // our last answer was wrong, and this says why
                case "\"bye\"": return;
                default: // pass over all other messages, such as game and result
            }
        }
    }

    static void say(String message) {
        System.out.print("{\"type\":" + message + "}\n");
        System.out.flush(); // else it may stay in a buffer while the referee waits
    }

    /** Chooses which dice to keep, and whether to bank or to roll the others. An option is a legal keep. */
    static String pushLuck(String line, String option) {
        String state = get(line, "state"), last = get(state, "final_round");
        long target = number(get(state, "target")), points = number(get(state, "turn_points")) + number(get(option, "points"));
        long score = number(items(get(state, "scores")).get((int) number(get(line, "seat")))) + points; // if we banked now
        boolean bank = score >= target || points >= target * 3 / 100; // idea: "roll" of the option says how many dice are left
        if (!last.equals("null")) bank = score > number(get(last, "score")); // our last turn: only the lead is worth banking
        return "\"keep\":" + get(option, "keep") + ",\"bank\":" + (bank && get(option, "bank").equals("true"));
    }

    /** Chooses which of our dice to hold on to; all others are rolled once more. */
    static String highDice(String line) {
        String state = get(line, "state"), rule = get(state, "rule");
        List<String> dice = items(items(get(state, "dice")).get((int) number(get(line, "seat")))); // idea: look at the others' dice
        List<String> keep = new ArrayList<>(dice);
        if (rule.equals("\"triple-pair\"")) keep.removeIf(die -> dice.indexOf(die) == dice.lastIndexOf(die));
        else keep.removeIf(die -> rule.equals("\"sum-low\"") ? number(die) > 3 : number(die) < 4); // a new roll is worth 3.5
        return "\"keep\":" + keep;
    }

    /** JSON without a library: a value is the text that stands in the line. */
    static String get(String object, String key) {
        List<String> parts = items(object);
        for (int i = 0; i + 1 < parts.size(); i += 2)
            if (parts.get(i).equals("\"" + key + "\"")) return parts.get(i + 1);
        return "null";
    }

    /** Returns the items of an array, or the keys and values of an object in turn. */
    static List<String> items(String value) {
        List<String> found = new ArrayList<>();
        int depth = 0, start = 1;
        boolean text = false;
        for (int at = 0; at < value.length(); at++) {
            char c = value.charAt(at);
            if (c == '"') text = !text;
            else if (text && c == '\\') at++;
            else if (!text && (c == '[' || c == '{')) depth++;
            else if (!text && (c == ']' || c == '}')) depth--;
            if (text || !(depth == 1 ? ",:" : depth == 0 ? "]}" : "").contains("" + c)) continue;
            found.add(value.substring(start, at).strip());
            start = at + 1;
        }
        found.remove(""); // an empty array has no items
        return found;
    }
    static long number(String value) { return Long.parseLong(value); }
}
