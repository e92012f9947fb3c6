"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const words = data.words;

  // Words: gettext's places for names and numbers. A name keeps to itself, and dice and numbers read from left to right.
  const fill = (message, said = {}) =>
    message.replace(/%\((\w+)\)s|%s|%%/g, (place, key) => (place === "%%" ? "%" : String(said[key ?? "s"])));
  const isolate = (text) => `\u2068${text}\u2069`;
  const ltr = (text) => `\u2066${text}\u2069`;
  const shown = (dice) => ltr([...dice].join(" "));

  // Tables that a heading sorts. What is not known stays below.
  function sort(table, heads, column) {
    const before = heads[column].getAttribute("aria-sort");
    const best = heads[column].classList.contains("n") ? "descending" : "ascending";
    const order = before === null ? best : before === "ascending" ? "descending" : "ascending";
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[column].setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const key = (row) => row.cells[column].dataset.by ?? row.cells[column].textContent.trim();
    const compare = (a, b) => {
      if (a === "" || b === "") return (a === "") - (b === "");
      return sign * (isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b);
    };
    const body = table.tBodies[0];
    body.append(...[...body.rows].sort((a, b) => compare(key(a), key(b))));
  }
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) =>
      head.querySelector("button").addEventListener("click", () => sort(table, heads, column)));
  }

  // The commands that play a game again
  for (const button of document.querySelectorAll("button.copy")) {
    button.addEventListener("click", async () => {
      const code = button.previousElementSibling.querySelector("code");
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = words.copied;
      } catch {
        getSelection().selectAllChildren(code);
      }
    });
  }

  // A game, step by step: what everyone can see after each, and what is said of it
  async function unpacked(packed) {
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Response(stream).text();
  }

  class Game {
    constructor(names) {
      this.names = names.map(isolate);
      this.seats = names.map(() => ({ score: 0, turns: 0, sum: 0, dice: "", kept: [] }));
      this.acting = -1;
      this.steps = [];
    }

    read(lines) {
      for (const line of lines) {
        const [head, ...rest] = line.split(" ");
        const seat = head.length > 1 ? Number(head.slice(1)) : -1;
        const said = this[head[0]]?.(seat, rest, line);
        if (said) this.steps.push({ said, acting: this.acting, seats: structuredClone(this.seats) });
      }
      return this.steps;
    }

    say(message, seat, said) { return fill(message, { name: this.names[seat], s: this.names[seat], ...said }); }
    all(seats) { return seats.map((seat) => this.names[seat]).join(words.comma); }

    t(seat) {
      this.acting = seat;
      this.seats.forEach((one) => Object.assign(one, { sum: 0, dice: "", kept: [] }));
      this.seats[seat].turns += 1;
      return this.say(words.turn, seat, { turn: ltr(this.seats[seat].turns) });
    }
    r(seat, [dice]) {
      Object.assign(this.seats[seat], { dice, kept: [] });
      this.acting = seat;
      return this.say(words.roll, seat, { dice: shown(dice) });
    }
    keepers(seat, faces) { // of equal faces the leftmost dice stay
      const left = [...faces];
      this.seats[seat].kept = [...this.seats[seat].dice].map((face) => {
        const at = left.indexOf(face);
        return at >= 0 && left.splice(at, 1).length > 0;
      });
    }
    k(seat, [faces, points]) {
      this.keepers(seat, faces);
      this.seats[seat].sum += Number(points);
      return this.say(words.keep, seat, { dice: shown(faces), points: ltr(points), turn_points: ltr(this.seats[seat].sum) });
    }
    b(seat) {
      const one = this.seats[seat], points = one.sum;
      one.score += points;
      one.sum = 0;
      return this.say(words.bank, seat, { points: ltr(points), score: ltr(one.score) });
    }
    x(seat) {
      const lost = this.seats[seat].sum;
      this.seats[seat].sum = 0;
      return lost ? `${words.bust} ${this.say(words.lost, seat, { lost: ltr(lost) })}` : words.bust;
    }
    h() { return words.hot; }
    a() { return words.all; }
    f(seat, [score]) { return `${words.final} ${this.say(words.final_score, seat, { score: ltr(score) })}`; }
    p(seat, [points, cause, score]) {
      this.seats[seat].score = Number(score);
      return this.say(words.penalty[cause] ?? "", seat, { points: ltr(points), score: ltr(score) });
    }
    m(seat, [keep]) {
      const faces = keep === "-" ? "" : keep, rerolled = this.seats[seat].dice.length - faces.length;
      this.keepers(seat, faces);
      this.acting = seat;
      if (!rerolled) return this.say(words.pat, seat, { keep: shown(faces) });
      if (!faces) return this.say(words.reroll_all, seat);
      return this.say(words.mark[rerolled] ?? words.mark.at(-1), seat, { keep: shown(faces), n: ltr(rerolled) });
    }
    v(_seat, hands) {
      this.acting = -1;
      const told = hands.map((dice, seat) => {
        Object.assign(this.seats[seat], { dice: dice === "-" ? "" : dice, kept: [] });
        return dice === "-" ? "" : this.say(words.dice, seat, { dice: shown(dice) });
      });
      return [words.reveal, told.filter(Boolean).join(words.comma)].join(" ");
    }
    l(_seat, seats) { return fill(words.level, { s: this.all(seats) }); }
    o(_seat, [winner, loser, wins, losses]) {
      const counted = (/[1-9]/.test(losses) ? losses : wins).split(",");
      this.seats.forEach((one, seat) => { one.score = Number(counted[seat]); });
      this.acting = -1;
      return loser === "-" ? this.say(words.wins_round, winner) : this.say(words.loses_round, loser);
    }
    c(seat, [code]) { return this.say(words.fault, seat, { code: ltr(code) }); }
    u(seat) { return this.say(words.out, seat); }
    y(seat, _rest, line) { return this.say(words.says, seat, { why: isolate(line.slice(line.indexOf(" ") + 1)) }); }
    e(_seat, [scores, won, reason]) {
      this.acting = -1;
      scores.split(",").forEach((score, seat) => { this.seats[seat].score = Number(score); });
      return result(this.names, scores.split(","), won === "-" ? [] : won.split(",").map(Number), reason);
    }
  }

  function result(names, scores, winners, reason) {
    const stand = scores.map((score, seat) => fill(words.score, { name: names[seat], score: ltr(score) }));
    const lost = names.filter((_name, seat) => !winners.includes(seat)).join(words.comma);
    const won = winners.map((seat) => names[seat]).join(words.comma);
    const end = winners.length === 0 ? words.nobody
      : winners.length === 1 ? fill(words.wins, { s: won })
      : data.high && lost ? fill(words.loses, { s: lost }) : fill(words.share, { s: won });
    return `${words.over} ${end} ${stand.join(words.comma)} (${words.reasons[reason] ?? reason})`;
  }

  // Drawing
  const PIPS = { 1: "11", 2: "0022", 3: "001122", 4: "00200222", 5: "0020110222", 6: "000102202122" };
  const drawn = (tag, attributes) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    return node;
  };
  function die(face, kept) {
    const svg = drawn("svg", { viewBox: "0 0 40 40", class: kept ? "die kept" : "die" });
    svg.append(drawn("rect", { x: 2, y: 2, width: 36, height: 36, rx: 7 }));
    for (const [x, y] of (PIPS[face] ?? "").match(/../g) ?? [])
      svg.append(drawn("circle", { cx: 11 + 9 * x, cy: 11 + 9 * y, r: 3.6 }));
    return svg;
  }
  function element(tag, kind, text) {
    const node = document.createElement(tag);
    if (kind) node.className = kind;
    if (text !== undefined) node.textContent = text;
    return node;
  }
  function seatOf(name, seat, acting) {
    const box = element("div", acting ? "seat acting" : "seat");
    const head = element("p"), hand = element("div", "dice");
    head.append(element("bdi", "", name), element("span", "", ltr(seat.score)));
    hand.append(...[...seat.dice].map((face, place) => die(face, seat.kept[place])));
    if (seat.dice) {
      hand.setAttribute("role", "img");
      hand.setAttribute("aria-label", shown(seat.dice));
    }
    box.append(head, hand);
    if (!data.high) box.append(element("p", "sum", seat.sum ? ltr(`+${seat.sum}`) : ""));
    return box;
  }

  // The player
  if (!byId("player")) return;
  byId("player").hidden = false;
  byId("no-script").hidden = true;
  const one = byId("one"), other = byId("other"), choice = byId("game"), place = byId("place"), play = byId("play");
  let names = [], steps = [], timer = 0, wanted = null;

  function show(step) {
    const now = steps[step];
    place.value = step;
    place.setAttribute("aria-valuetext", fill(words.step, { step: step + 1, steps: steps.length }));
    byId("now").textContent = now.said;
    byId("table").replaceChildren(...now.seats.map((seat, at) => seatOf(names[at], seat, at === now.acting)));
    const told = byId("told");
    told.replaceChildren(...steps.slice(0, step + 1).map((before) => element("li", "", before.said)));
    told.scrollTop = told.scrollHeight;
  }
  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = words.play;
  }
  function go(step) {
    if (steps.length) show(Math.min(Math.max(step, 0), steps.length - 1));
  }
  function start() {
    if (Number(place.value) >= steps.length - 1) go(0);
    play.textContent = words.pause;
    timer = setInterval(() => {
      go(Number(place.value) + 1);
      if (Number(place.value) >= steps.length - 1) stop();
    }, 1100);
  }
  async function choose(id) {
    stop();
    const game = data.games.find((known) => known[0] === id);
    wanted = id;
    steps = [];
    if (game) {
      const [, entrants, scores, shares, reason] = game;
      names = entrants.map((number) => data.names[number]);
      const lines = await read(id);
      if (wanted !== id) return;
      if (lines) steps = new Game(names).read(lines);
      else {
        const winners = [...shares.keys()].filter((seat) => shares[seat] > 0);
        const end = result(names.map(isolate), scores, winners, reason);
        const seats = scores.map((score) => ({ score, sum: 0, dice: "", kept: [] }));
        steps = [{ said: `${unread(id)} ${end}`, acting: -1, seats }];
      }
    }
    place.max = Math.max(steps.length - 1, 0);
    for (const button of document.querySelectorAll("#replay button")) button.disabled = steps.length < 2;
    place.disabled = steps.length < 2;
    byId("replay").dataset.game = id;
    if (steps.length) go(0);
    else {
      byId("now").textContent = words.none;
      byId("table").replaceChildren();
      byId("told").replaceChildren();
    }
  }
  const unread = (id) => (data.records[id] ? words.unreadable : words.unrecorded);
  async function read(id) {
    if (!data.records[id]) return null;
    try {
      return (await unpacked(data.records[id])).split("\n");
    } catch {
      return null;
    }
  }
  function list(id) {
    const picked = [one.value, other.value].filter(Boolean).map(Number);
    const fits = data.games.filter((game) => picked.every((number) => game[1].includes(number)));
    choice.replaceChildren(...fits.map(([name, entrants, scores]) => {
      const ends = entrants.map((number, seat) => `${isolate(data.names[number])} ${ltr(scores[seat])}`);
      return new Option(`${ltr(name)}: ${ends.join(words.comma)}`, name);
    }));
    if (id !== undefined) choice.value = id;
    choose(choice.value);
  }

  const playing = new Set(data.games.flatMap((game) => game[1]));
  for (const select of [one, other])
    for (const number of [...playing].sort((a, b) => a - b)) select.append(new Option(isolate(data.names[number]), number));
  const actions = {
    first: () => go(0), back: () => go(Number(place.value) - 1), on: () => go(Number(place.value) + 1),
    last: () => go(steps.length - 1), play: () => (timer ? stop() : start()),
  };
  for (const button of document.querySelectorAll("#replay [data-do]"))
    button.addEventListener("click", () => {
      if (button !== play) stop();
      actions[button.dataset.do]();
    });
  place.addEventListener("input", () => { stop(); go(Number(place.value)); });
  const keys = { ArrowRight: "on", ArrowLeft: "back", Home: "first", End: "last" };
  byId("replay").addEventListener("keydown", (event) => {
    if (event.target === place || !(event.key in keys) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    stop();
    actions[keys[event.key]]();
  });
  [one, other].forEach((select) => select.addEventListener("change", () => list()));
  choice.addEventListener("change", () => choose(choice.value));
  for (const button of document.querySelectorAll("button.see"))
    button.addEventListener("click", () => {
      one.value = other.value = "";
      list(button.dataset.game);
      byId("games").scrollIntoView();
      byId("play").focus({ preventScroll: true });
    });
  list();
})();
