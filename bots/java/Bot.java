import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A sample bot for dicegame: reads the messages of protocol.md on stdin and answers on stdout, one JSON object a line.
 *
 * <p>Push your luck: it keeps the most points, and banks once another roll would on average lose more than it gains. High dice: it
 * marks what wins the round most often. Every question is complete in itself, so all that it remembers of a game is what a single 5
 * is worth.
 */
public final class Bot {
    /**
     * The turn points at which another roll of 1, 2 ... 6 dice stops paying, counted in single 5s: much the same in every rule set,
     * since they all score 1s, 5s and triples. ({@code dicegame odds} works it out to the point.)
     */
    private static final long[] BANK_AT = {6, 5, 9, 21, 60, 300};

    private static final int RANKS = 48;

    private long five; // points of a single 5 in the game at hand

    public static void main(String[] args) throws IOException {
        Bot bot = new Bot();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            Json message = new Json(line.strip());
            if (message.get("type").text().equals("bye")) {
                break;
            }
            String answer = bot.answer(message);
            if (answer != null) {
                System.out.print(answer + "\n");
                System.out.flush();
            }
        }
    }

    /** Returns the line that answers a message; null where it wants no answer. */
    private String answer(Json message) {
        switch (message.get("type").text()) {
            case "hello":
                return "{\"type\":\"ready\",\"protocol\":1,\"name\":\"sample-java\",\"version\":\"1.0\"}";
            case "game":
                five = message.get("rules").get("score").get("single").get("5").number();
                return null;
            case "decide":
                return "{\"type\":\"decision\",\"id\":" + message.get("id") + "," + decide(message) + "}";
            case "error": // what was wrong with our last answer; stdout is the wire, so we talk on stderr
                System.err.println(message.get("message"));
                return null;
            default:
                return null;
        }
    }

    /** Returns our answer to a {@code decide} message, without its type and id. */
    private String decide(Json message) {
        Json state = message.get("state");
        int seat = (int) message.get("seat").number();
        List<Json> options = message.get("options").items();
        if (options.isEmpty()) {
            return "\"keep\":" + Arrays.toString(bestMark(state, seat));
        }
        Json option = options.get(0); // all legal keeps are listed, the most points first
        long total = state.get("turn_points").number() + option.get("points").number();
        boolean bank = option.get("bank").isTrue() && wantsToBank(state, seat, total, (int) option.get("roll").number());
        return "\"keep\":" + option.get("keep") + ",\"bank\":" + bank;
    }

    /** Says whether to bank {@code total} turn points rather than to roll {@code roll} dice. */
    private boolean wantsToBank(Json state, int seat, long total, int roll) {
        List<Json> scores = state.get("scores").items();
        List<Json> out = state.get("out").items();
        long target = state.get("target").number();
        long mine = scores.get(seat).number();
        Json finalRound = state.get("final_round");
        if (finalRound.get("score").exists()) { // our last turn: second place is worth nothing
            return mine + total > finalRound.get("score").number();
        }
        if (mine + total >= target) {
            return true;
        }
        long best = mine;
        for (int other = 0; other < scores.size(); other++) {
            if (!out.get(other).isTrue()) {
                best = Math.max(best, scores.get(other).number());
            }
        }
        long at = (five > 0 ? five : Math.max(target / 200, 1)) * BANK_AT[roll - 1];
        return total * target >= at * (target + best - mine); // who trails must dare more
    }

    /** Returns the dice to hold on to for the best chance of winning the round, or of not losing it. */
    private static int[] bestMark(Json state, int seat) {
        String rule = state.get("rule").text();
        boolean loser = state.get("find").text().equals("loser");
        List<Json> all = state.get("dice").items();
        List<Json> marks = state.get("keeps").items();
        int[] dice = all.get(seat).numbers();
        List<double[]> rivals = new ArrayList<>();
        for (int other : state.get("order").numbers()) {
            if (other != seat) { // who has not marked yet is taken to stand pat
                Json held = marks.get(other).isNull() ? all.get(other) : marks.get(other);
                rivals.add(outcomes(rule, dice.length, held.numbers()));
            }
        }
        int[] best = dice;
        double bestChance = -1;
        for (int mask = (1 << dice.length) - 1; mask >= 0; mask--) { // every choice of dice, all of them first
            int[] keep = new int[Integer.bitCount(mask)];
            for (int i = 0, kept = 0; i < dice.length; i++) {
                if ((mask >> i & 1) == 1) {
                    keep[kept++] = dice[i];
                }
            }
            double[] mine = outcomes(rule, dice.length, keep);
            double chance = 0;
            for (int rank = 0; rank < RANKS; rank++) {
                if (mine[rank] > 0) {
                    chance += mine[rank] * worth(rank, rivals, loser);
                }
            }
            if (chance > bestChance + 1e-9) {
                best = keep;
                bestChance = chance;
            }
        }
        return best;
    }

    /** Returns the chance of every rank that {@code held} dice may come to once there are {@code n} of them again. */
    private static double[] outcomes(String rule, int n, int[] held) {
        double[] chances = new double[RANKS];
        addOutcomes(rule, Arrays.copyOf(held, n), held.length, 1, chances);
        return chances;
    }

    private static void addOutcomes(String rule, int[] dice, int held, double share, double[] chances) {
        if (held == dice.length) {
            chances[rankOf(rule, dice)] += share;
            return;
        }
        for (int face = 1; face <= 6; face++) {
            dice[held] = face;
            addOutcomes(rule, dice, held + 1, share / 6, chances);
        }
    }

    /** Returns what dice are worth, 0 to RANKS - 1: more is better, equal is level. */
    private static int rankOf(String rule, int[] dice) {
        int sum = 0;
        int[] count = new int[7];
        for (int face : dice) {
            sum += face;
            count[face]++;
        }
        if (rule.equals("sum-low")) {
            return 30 - sum;
        }
        for (int face = 1; rule.equals("triple-pair") && face <= 6; face++) {
            if (count[face] > 1) {
                return face + (count[face] == 2 ? 20 : 40); // above every sum of three dice
            }
        }
        return sum;
    }

    /** Returns the chance that a seat with this rank wins the round (or does not lose it); a tie counts half. */
    private static double worth(int rank, List<double[]> rivals, boolean loser) {
        double found = 1;
        for (double[] rival : rivals) {
            double beaten = rival[rank] / 2;
            for (int r = loser ? rank + 1 : 0; r < (loser ? RANKS : rank); r++) {
                beaten += rival[r];
            }
            found *= beaten;
        }
        return loser ? 1 - found : found;
    }

    /** A JSON value as it stands in the line: the standard library reads no JSON, but little of it is needed. */
    private static final class Json {
        private static final Json NONE = new Json("");

        private final String source;

        Json(String source) {
            this.source = source;
        }

        /** Returns the value of a key of this object; an empty one if there is none. */
        Json get(String key) {
            List<Json> parts = items();
            for (int i = 0; i + 1 < parts.size(); i += 2) {
                if (parts.get(i).text().equals(key)) {
                    return parts.get(i + 1);
                }
            }
            return NONE;
        }

        /** Returns the items of this array, or the keys and values of this object in turn. */
        List<Json> items() {
            List<Json> items = new ArrayList<>();
            boolean holdsItems = source.startsWith("[") || source.startsWith("{");
            for (int at = 1; holdsItems && at < source.length(); at++) {
                if (" \t,:]}".indexOf(source.charAt(at)) < 0) {
                    int end = end(at);
                    items.add(new Json(source.substring(at, end)));
                    at = end - 1;
                }
            }
            return items;
        }

        /** Returns where the value ends that begins at {@code at}. */
        private int end(int at) {
            int depth = 0;
            boolean inText = false;
            for (int i = at; i < source.length(); i++) {
                char c = source.charAt(i);
                if (inText) {
                    if (c == '\\') {
                        i++;
                    } else if (c == '"') {
                        inText = false;
                    }
                } else if (depth == 0 && i > at && " \t,:]}".indexOf(c) >= 0) {
                    return i;
                } else if (c == '"') {
                    inText = true;
                } else if (c == '{' || c == '[') {
                    depth++;
                } else if (c == '}' || c == ']') {
                    depth--;
                }
            }
            return source.length();
        }

        int[] numbers() {
            return items().stream().mapToInt(item -> (int) item.number()).toArray();
        }

        long number() {
            return exists() && !isNull() ? Long.parseLong(source) : 0;
        }

        /** Returns a text without its quotes; escapes stay as they are. */
        String text() {
            return source.startsWith("\"") ? source.substring(1, source.length() - 1) : source;
        }

        boolean isTrue() {
            return source.equals("true");
        }

        boolean isNull() {
            return source.equals("null");
        }

        boolean exists() {
            return !source.isEmpty();
        }

        @Override
        public String toString() {
            return source;
        }
    }
}
