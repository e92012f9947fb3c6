/* my-bot: a bot for dicegame that plays every game, simply. Make it yours: the functions that think are push_luck and high_dice.

   The referee writes one JSON object a line to our stdin, and we write our answers to stdout, a line each. Nothing else may go to
   stdout: print what you want to see to stderr. protocol.md describes every message and field. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* JSON without a library: a value is a pointer to where it begins in the line, NULL if it is not there. */
static const char *after(const char *s) { /* what follows a value */
    for (int depth = 0, text = 0; *s; s++) {
        if (text && *s == '\\' && s[1]) s++;
        else if (*s == '"') text = !text;
        else if (text) continue;
        else if (strchr(",:]} \t\r\n", *s) && !depth) break;
        else depth += (*s == '{' || *s == '[') - (*s == '}' || *s == ']');
    }
    return s;
}
static const char *step(const char *s) { /* the item that comes here; NULL at the end of its array or object */
    s += strspn(s, ",: \t\r\n");
    return *s && *s != ']' && *s != '}' ? s : NULL;
}
static const char *first(const char *s) { return s && (*s == '[' || *s == '{') ? step(s + 1) : NULL; }
static const char *get(const char *object, const char *key) { /* the value of a key */
    for (const char *k = first(object), *value; k && (value = step(after(k))); k = step(after(value)))
        if (!strncmp(k + 1, key, strlen(key)) && k[strlen(key) + 1] == '"') return value;
    return NULL;
}
static const char *item(const char *array, long place) { /* places count from 0 */
    const char *s = first(array);
    while (s && place--) s = step(after(s));
    return s;
}
static long number(const char *s) { return s ? atol(s) : 0; }
static int is(const char *s, const char *what) { return s && !strncmp(s, what, strlen(what)); }

/* Choose which dice to keep, and whether to bank or to roll the others (ten-thousand, thousand and their like). */
static void push_luck(const char *line, const char *state) {
    const char *option = first(get(line, "options")), *keep = get(option, "keep"); /* all legal keeps, the most points first */
    long points = number(get(state, "turn_points")) + number(get(option, "points")), target = number(get(state, "target"));
    long score = number(item(get(state, "scores"), number(get(line, "seat")))) + points; /* what we would have after banking */
    const char *final = get(state, "final_round"), *may_bank = get(option, "bank");
    int bank = score >= target || points >= target * 3 / 100; /* idea: "roll" of the option says how many dice are left */
    if (first(final)) bank = score > number(get(final, "score")); /* our last turn: only the lead is worth banking */
    printf("\"keep\":%.*s,\"bank\":%s}\n", (int)(after(keep) - keep), keep, bank && is(may_bank, "true") ? "true" : "false");
}

/* Choose which of our dice to hold on to; all others are rolled once more. */
static void high_dice(const char *line, const char *state) {
    const char *rule = get(state, "rule"), *comma = "";
    const char *dice = item(get(state, "dice"), number(get(line, "seat"))); /* idea: look at the others' dice, too */
    int count[7] = {0};
    for (const char *d = first(dice); d; d = step(after(d))) count[number(d)]++;
    printf("\"keep\":[");
    for (const char *d = first(dice); d; d = step(after(d))) {
        long face = number(d);
        if (is(rule, "\"triple-pair\"") ? count[face] > 1 : is(rule, "\"sum-low\"") ? face <= 3 : face >= 4)
            printf("%s%ld", comma, face), comma = ",";
    }
    printf("]}\n");
}

int main(void) {
    size_t size = 0;
    for (char *line = NULL; getline(&line, &size, stdin) > 0; fflush(stdout)) { /* unflushed, an answer would stay here */
        const char *type = get(line, "type"), *state = get(line, "state");
        if (is(type, "\"hello\"")) printf("{\"type\":\"ready\",\"protocol\":1,\"name\":\"my-bot\"}\n");
        if (is(type, "\"bye\"")) break;
        if (is(type, "\"error\"")) fputs(line, stderr); /* our last answer was wrong, and this says why */
        if (is(type, "\"decide\"")) { /* the id says which question we answer; all other messages we pass over */
            printf("{\"type\":\"decision\",\"id\":%ld,", number(get(line, "id")));
            get(line, "options") ? push_luck(line, state) : high_dice(line, state);
        }
    }
    return 0;
}
