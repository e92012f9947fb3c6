/* A sample bot for dicegame: reads the messages of protocol.md on stdin and answers on stdout, one JSON object a line.

   Push your luck: it keeps the most points, and banks once another roll would on average lose more than it gains. High dice: it marks
   what wins the round most often. Every question is complete in itself, so all that it remembers of a game is what a single 5 is worth.

   C has no JSON library, but little of one is needed: the values of a line are found where they stand and never copied. */

#define _POSIX_C_SOURCE 200809L /* getline */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The turn points at which another roll of 1, 2 ... 6 dice stops paying, counted in single 5s: much the same in every rule set, since
   they all score 1s, 5s and triples. (`dicegame odds` works it out to the point.) */
static const long long bank_at[] = {6, 5, 9, 21, 60, 300};

/* ---- JSON: a value is a pointer to its first character; NULL is a value that is not there ---- */

static const char *blanks(const char *s) { return s + strspn(s, " \t\r\n"); }

/* Return what follows the text whose opening quote `s` points to. */
static const char *after_text(const char *s) {
    for (s++; *s && *s != '"'; s++)
        if (*s == '\\' && s[1]) s++;
    return *s ? s + 1 : s;
}

/* Return what follows a value. */
static const char *after(const char *s) {
    if (*s == '"') return after_text(s);
    if (*s != '{' && *s != '[') return s + strcspn(s, ",]} \t\r\n");
    int depth = 0;
    do {
        if (*s == '"') {
            s = after_text(s);
            continue;
        }
        if (*s == '{' || *s == '[') depth++;
        if (*s == '}' || *s == ']') depth--;
        s++;
    } while (*s && depth);
    return s;
}

/* Return the first item of an array, or the first key of an object; NULL if there is none. */
static const char *first(const char *s) {
    if (!s || (*s != '[' && *s != '{')) return NULL;
    s = blanks(s + 1);
    return *s && *s != ']' && *s != '}' ? s : NULL;
}

/* Return the item, or the key, that follows a value. */
static const char *next(const char *s) {
    s = blanks(after(s));
    return *s == ',' ? blanks(s + 1) : NULL;
}

/* Return the value of a key in an object. */
static const char *find(const char *object, const char *key) {
    size_t n = strlen(key);
    for (const char *k = first(object); k && *k == '"';) {
        const char *value = blanks(after(k));
        if (*value != ':') break;
        value = blanks(value + 1);
        if (!strncmp(k + 1, key, n) && k[n + 1] == '"') return value;
        k = next(value);
    }
    return NULL;
}

/* Return the item at a place (from 0) in an array. */
static const char *item(const char *array, long long place) {
    const char *s = first(array);
    while (s && place-- > 0) s = next(s);
    return s;
}

static long long number(const char *s) { return s ? strtoll(s, NULL, 10) : 0; }

static int is(const char *s, const char *literal) { return s && !strncmp(s, literal, strlen(literal)); }

/* Return the length of a value as it stands in the line, to print it again with "%.*s". */
static int length(const char *s) { return (int)(after(s) - s); }

/* ---- push your luck ---- */

/* Say whether to bank `total` turn points rather than to roll `roll` dice. */
static int wants_to_bank(const char *state, long long seat, long long total, long long roll, long long five) {
    const char *scores = find(state, "scores"), *out = find(state, "out"), *final = find(state, "final_round");
    long long target = number(find(state, "target")), mine = number(item(scores, seat)), best = mine;
    if (first(final)) return mine + total > number(find(final, "score")); /* our last turn: second place is worth nothing */
    if (mine + total >= target || roll < 1 || roll > 6) return 1;
    for (const char *s = first(scores), *o = first(out); s && o; s = next(s), o = next(o))
        if (is(o, "false") && number(s) > best) best = number(s);
    if (!five) five = target >= 200 ? target / 200 : 1;
    return total * target >= five * bank_at[roll - 1] * (target + best - mine); /* who trails must dare more */
}

static void decide_push_luck(const char *message, const char *state, long long five) {
    const char *option = first(find(message, "options")); /* all legal keeps are listed, the most points first */
    const char *id = find(message, "id"), *keep = find(option, "keep");
    if (!id || !keep) return;
    long long total = number(find(state, "turn_points")) + number(find(option, "points"));
    int bank = is(find(option, "bank"), "true")
        && wants_to_bank(state, number(find(message, "seat")), total, number(find(option, "roll")), five);
    printf("{\"type\":\"decision\",\"id\":%.*s,\"keep\":%.*s,\"bank\":%s}\n", length(id), id, length(keep), keep,
           bank ? "true" : "false");
}

/* ---- high dice ---- */

enum { MAX_DICE = 5, MAX_SEATS = 8, RANKS = 48 };
enum rule { SUM_HIGH, SUM_LOW, TRIPLE_PAIR };

struct dice {
    int n, faces[MAX_DICE];
};

/* The chance of every rank that a seat may come to. */
struct outcomes {
    double chance[RANKS];
};

static struct dice read_dice(const char *array) {
    struct dice dice = {0};
    for (const char *s = first(array); s && dice.n < MAX_DICE; s = next(s))
        if (*s >= '1' && *s <= '6') dice.faces[dice.n++] = *s - '0';
    return dice;
}

/* Return what dice are worth, 0 to RANKS - 1: more is better, equal is level. */
static int rank_of(enum rule rule, const struct dice *dice) {
    int sum = 0, count[7] = {0};
    for (int i = 0; i < dice->n; i++) {
        sum += dice->faces[i];
        count[dice->faces[i]]++;
    }
    if (rule == SUM_LOW) return 6 * MAX_DICE - sum;
    for (int face = 1; rule == TRIPLE_PAIR && face <= 6; face++)
        if (count[face] > 1) return face + (count[face] == 2 ? 20 : 40); /* above every sum of three dice */
    return sum;
}

/* Add up what `held` dice may come to once there are `n` of them again. */
static void add_outcomes(enum rule rule, int n, struct dice held, double share, struct outcomes *to) {
    if (held.n == n) {
        to->chance[rank_of(rule, &held)] += share;
        return;
    }
    int last = held.n++;
    for (int face = 1; face <= 6; face++) {
        held.faces[last] = face;
        add_outcomes(rule, n, held, share / 6, to);
    }
}

/* Return the chance that a seat with this rank wins the round (or does not lose it); a tie counts half. */
static double worth(int rank, const struct outcomes *rivals, int count, int loser) {
    double found = 1;
    for (int i = 0; i < count; i++) {
        double beaten = rivals[i].chance[rank] / 2;
        for (int r = 0; r < RANKS; r++)
            if (loser ? r > rank : r < rank) beaten += rivals[i].chance[r];
        found *= beaten;
    }
    return loser ? 1 - found : found;
}

/* Return the dice to hold on to for the best chance of winning the round, or of not losing it. */
static struct dice best_mark(const char *state, long long seat) {
    const char *all = find(state, "dice"), *keeps = find(state, "keeps"), *name = find(state, "rule");
    enum rule rule = is(name, "\"sum-low\"") ? SUM_LOW : is(name, "\"triple-pair\"") ? TRIPLE_PAIR : SUM_HIGH;
    int loser = is(find(state, "find"), "\"loser\""), count = 0;
    struct dice dice = read_dice(item(all, seat)), best = dice;
    struct outcomes rivals[MAX_SEATS] = {0};
    for (const char *s = first(find(state, "order")); s && count < MAX_SEATS; s = next(s)) {
        if (number(s) == seat) continue;
        const char *keep = item(keeps, number(s)); /* null: who has not marked yet is taken to stand pat */
        add_outcomes(rule, dice.n, read_dice(keep && *keep == '[' ? keep : item(all, number(s))), 1, &rivals[count++]);
    }
    double best_chance = -1;
    for (int mask = (1 << dice.n) - 1; mask >= 0; mask--) { /* every choice of dice, all of them first */
        struct dice keep = {0};
        for (int i = 0; i < dice.n; i++)
            if (mask >> i & 1) keep.faces[keep.n++] = dice.faces[i];
        struct outcomes mine = {0};
        add_outcomes(rule, dice.n, keep, 1, &mine);
        double chance = 0;
        for (int rank = 0; rank < RANKS; rank++)
            if (mine.chance[rank] > 0) chance += mine.chance[rank] * worth(rank, rivals, count, loser);
        if (chance > best_chance + 1e-9) {
            best = keep;
            best_chance = chance;
        }
    }
    return best;
}

static void decide_high_dice(const char *message, const char *state) {
    const char *id = find(message, "id");
    if (!id) return;
    struct dice keep = best_mark(state, number(find(message, "seat")));
    printf("{\"type\":\"decision\",\"id\":%.*s,\"keep\":[", length(id), id);
    for (int i = 0; i < keep.n; i++) printf(i ? ",%d" : "%d", keep.faces[i]);
    puts("]}");
}

/* ---- the wire ---- */

int main(void) {
    char *line = NULL;
    size_t size = 0;
    long long five = 0; /* points of a single 5 in the game at hand */
    while (getline(&line, &size, stdin) > 0) {
        const char *message = blanks(line), *type = find(message, "type"), *state = find(message, "state");
        if (is(type, "\"hello\""))
            puts("{\"type\":\"ready\",\"protocol\":1,\"name\":\"sample-c\",\"version\":\"1.0\"}");
        else if (is(type, "\"game\""))
            five = number(find(find(find(find(message, "rules"), "score"), "single"), "5"));
        else if (is(type, "\"decide\"") && find(message, "options"))
            decide_push_luck(message, state, five);
        else if (is(type, "\"decide\""))
            decide_high_dice(message, state);
        else if (is(type, "\"error\"")) /* what was wrong with our last answer; stdout is the wire, so we talk on stderr */
            fputs(line, stderr);
        else if (is(type, "\"bye\""))
            break;
        fflush(stdout);
    }
    free(line);
    return 0;
}
