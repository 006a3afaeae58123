// Draws the table.

import { $, classes, h, show } from "./elements.js";
import { act, choices, choose, chosen, game, glimpses, lines, mySeat, seatIn, tap } from "./game.js";

const FLIGHT_MS = 150;
const WIDE = 5; // how many cards fit in a row on a small phone, when penalty cards widen a layout
const still = matchMedia("(prefers-reduced-motion: reduce)");

const SUITS = { S: ["♠", "spades"], H: ["♥", "hearts"], D: ["♦", "diamonds"], C: ["♣", "clubs"] };
const RANKS = {
  0: "zero", 1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine",
  10: "ten", A: "ace", J: "jack", Q: "queen", K: "king", "*": "joker",
};

const rank = (card) => (card === "*" ? "★" : card.slice(0, -1));
const suit = (card) => (card === "*" ? "" : SUITS[card.at(-1)][0]);
const word = (card) => (card === "*" ? "joker" : `${RANKS[rank(card)]} of ${SUITS[card.at(-1)][1]}`);
const sign = (card) => (card ? rank(card) + suit(card) : "");
export const listed = (names, type = "conjunction") => new Intl.ListFormat("en-GB", { type }).format(names);

// Return the slots whose open cards cancel each other.
function cancelled(slots, { cancel, rows, columns }) {
  const groups = {};
  slots.forEach((slot, n) => {
    if (slot === "-" || slot[0] === "?" || (cancel === "column" && n >= rows * columns)) return;
    (groups[`${cancel === "column" ? n % columns : ""} ${rank(slot)}`] ||= []).push(n);
  });
  return new Set(Object.values(groups).flatMap((group) => {
    const size = { column: rows, anywhere: 2, all: group.length }[cancel];
    return size > 1 ? group.slice(0, group.length - (group.length % size)) : [];
  }));
}

// Describe a card; `face` is null for a card that is face down, and undefined for an empty place.
export function faced(face, { tag = "span", back = "", className, ...properties }) {
  const kind = face === undefined ? "empty" : face === null ? "down" : `suit${"SHDC".indexOf(face.at(-1))}`;
  return h(tag, { ...properties, className: classes("card", kind, className) },
    face ? [h("b", {}, rank(face)), h("i", {}, suit(face))] : face === null && back);
}

function placed(at, slot, name, { lit, press, mark, ...properties }) {
  const { card, until } = glimpses.get(at) || {};
  const seen = until > Date.now() ? card : slot[0] === "?" ? slot.slice(1) : "";
  const face = slot === "-" ? undefined : seen || (slot === "?" ? null : slot);
  const isTapped = [...game.tapped.values()].join(" ").split(" ").includes(at);
  return faced(face, {
    tag: "button", key: at, onclick: press, tabIndex: lit ? 0 : -1, ariaDisabled: `${!lit}`,
    className: classes(seen && "seen", lit && "lit", game.picked.includes(at) && "chosen", isTapped && "tapped",
      game.last.includes(at) && "last", mark),
    ariaLabel: `${name}: ${face ? word(face) : face === null ? "face down" : "empty"}`, ...properties,
  });
}

function seatBox(seat, asked) {
  const { state, turn, scores, seats, you, options } = game.view, { rows, columns } = options;
  const key = seat.seat, isMine = key === you, isPlaying = state === "playing", isOn = isPlaying && turn === key;
  const isSmall = !isMine && seats.length > (you ? 3 : 2); // until it is tapped
  const lit = asked.get(chosen(asked))?.at || new Set(), size = rows * columns, count = seat.slots.length;
  const high = Math.max(rows, Math.ceil(count / WIDE)), wide = columns + Math.ceil(Math.max(0, count - size) / high);
  const pairs = cancelled(seat.slots, options);
  const cards = seat.slots.map((slot, n) => {
    const at = `${key}${n + 1}`, more = n - size;
    const [row, column] = more < 0 ? [n / columns, n % columns] : [more % high, columns + more / high];
    return placed(at, slot, isMine ? `Your card ${n + 1}` : `${seat.name}, card ${n + 1}`, {
      back: `${n + 1}`, lit: lit.has(at), press: () => tap(at), ariaKeyShortcuts: isMine ? `${n + 1}` : null,
      style: `grid-area: ${Math.floor(row) + 1} / ${Math.floor(column) + 1}`, mark: pairs.has(n) && "pair",
    });
  });
  const isAway = !seat.present && seat.kind !== "bot";
  const name = `${isOn ? "▸ " : ""}${isMine ? "You" : seat.name}${isAway ? " (away)" : ""}`;
  const enlarged = ({ target }) => target.closest("section").scrollIntoView({ block: "nearest" });
  const score = isPlaying ? null : scores.at(-1)?.[seats.indexOf(seat)] ?? null;
  return h("section", {
    key, className: classes("seat", isOn && "turn", isSmall && "small"),
    ariaLabel: isMine ? "Your cards" : `${seat.name}’s cards`,
  }, h("h3", {},
    h("label", {}, isSmall && h("input", { type: "checkbox", onchange: enlarged }), name),
    h("span", { key: "total" }, state !== "open" ? `${seat.total}` : seat.ready ? "ready" : seat.host ? "host" : ""),
    score !== null && h("em", {}, score < 0 ? `${score}` : `+${score}`)),
  h("div", { className: "cards", style: `--columns: ${wide}; --rows: ${high}` }, cards));
}

function piles() {
  const { state, holding, stock, drawn, discard, you } = game.view;
  const [holder, held] = you && holding === you ? ["you hold", "The card you hold, discard it"]
    : [holding && `${seatIn(holding).name} holds`, "The card in hand"];
  const pile = (key, caption, slot, name, line) => {
    const lit = lines().includes(line), press = () => lit && act(line, key);
    return h("figure", { key, className: holding || key !== "drawn" ? "" : "none" },
      placed(key, slot, name, { lit, press, mark: key === "stock" && "pile" }), h("figcaption", {}, caption));
  };
  return state === "playing" && [
    pile("stock", `${stock} left`, stock ? "?" : "-", "Stock, draw a card", "draw"),
    pile("drawn", holder, holding ? drawn || "?" : "-", held, "discard"),
    pile("discard", "discard", discard || "-", "Discard pile, take its card", "take"),
  ];
}

// Return what to ask the player, who can choose cards for `verb` (null if there are only buttons).
function question(verb, verbs) {
  const { drawn, discard, slam, phase, owed, seats, options } = game.view;
  const all = phase === "start" ? Number(/\d*$/.exec(options.start)[0]) : 1; // cards to look at or turn up, per seat
  const count = all > 1 ? `: ${all + 1 - (owed?.[seats.indexOf(mySeat())] || 1)} of ${all}.` : ".";
  const ask = {
    swap: `You hold ${sign(drawn) || "a card"}. Tap the card to replace.`, take: "Tap where the card goes.",
    peek: `Tap a card to look at${count}`, flip: `Tap a card to turn up${count}`, give: "Tap a card to give away.",
    switch: `Tap two cards to switch: ${game.picked.length + 1} of 2.`,
    slam: `Slam? Tap a card like ${sign(slam?.card) || "it"}, or pass.`,
  }[verb];
  if (ask && verb !== "flip" && verb !== "take") return ask;
  if (verbs.has("decline")) return verbs.has("slam") ? "Slam? Or use your power." : "What do you do with your power?";
  if (!verbs.has("draw") && !verbs.has("knock")) return ask || "";
  const ways = [verbs.has("draw") && "draw", verbs.has("take") && discard && `take ${sign(discard)}`,
    verb === "flip" && "turn up a card", verbs.has("knock") && "knock"].filter(Boolean);
  return `Your turn: ${listed(ways, "disjunction")}.`;
}

// Show the buttons for what the player can do. Verbs that need cards have buttons only if there are several such verbs.
function showBar(asked, verbs) {
  const { state, phase, discard, drawn } = game.view, current = chosen(asked), isSeveral = asked.size > 1;
  const more = { bot: state === "open" && mySeat()?.host, hint: state === "playing" && verbs.size > 0 };
  const pass = phase === "flip" ? "Turn up none" : "Pass";
  const words = { take: `Take ${sign(discard)}`, discard: `Discard ${sign(drawn)}`, pass };
  $("bar").className = classes(isSeveral && "several");
  for (const button of $("bar").querySelectorAll("button")) {
    const verb = button.value, isMode = asked.has(verb);
    button.hidden = !(more[verb] ?? (verbs.has(verb) && (!isMode || isSeveral)));
    button.ariaPressed = isMode ? `${verb === current}` : null;
    button.classList.toggle("tapped", game.tapped.has(verb));
    if (words[verb]) show(button, words[verb]);
  }
}

$("bar").onclick = ({ target: { value } }) => {
  if (choices().has(value)) choose(value); else if (value) act(value);
};

export function scoreTable() {
  const { seats, scores } = game.view, best = Math.min(...seats.map((seat) => seat.total));
  const cell = (words, mark) => h("td", { className: classes(mark) }, `${words ?? "–"}`);
  const row = (key, name, points, sum, mark) =>
    h("tr", { key, className: classes(mark) }, h("th", {}, name), points, h("td", { key: "sum" }, sum));
  const isBest = (points, n) => points.every((other) => other === null || (points[n] !== null && points[n] <= other));
  return h("table", {}, h("tbody", {}, row("holes", "Hole", scores.map((_, hole) => cell(hole + 1)), "total"),
    seats.map(({ seat, name, total }, n) => row(seat, name,
      scores.map((points) => cell(points[n], isBest(points, n) && "best")), `= ${total}`, total === best && "first"))));
}

const spot = (key) => document.querySelector(`.card[data-key="${key}"]`);

// Draw the table, and animate the cards that have moved.
export function draw(ways = []) {
  const { view } = game, from = ways.map(([key]) => spot(key)?.getBoundingClientRect());
  const { seats, state, scores } = view, own = mySeat(), here = seats.indexOf(own);
  const asked = choices(), verbs = new Set(lines().map((line) => line.split(" ")[0]));
  const others = [...seats.slice(here + 1), ...seats.slice(0, Math.max(here, 0))]; // clockwise
  show($("own"), own && seatBox(own, asked));
  show($("piles"), piles());
  show($("others"), others.map((seat) => seatBox(seat, asked)));
  show($("headline"), question(chosen(asked), verbs) || h("small", {}, game.inLine || view.text));
  showBar(asked, verbs);
  show($("scores"), state !== "playing" && scores.length && scoreTable());
  show($("brief"), state === "open" && game.rules.map((line) => h("p", {}, line)));
  $("invite").hidden = state !== "open" || !own;
  if (still.matches || document.body.dataset.motion === "off" || document.hidden) return;
  ways.forEach(([key, to], n) => {
    const card = spot(to), there = card?.getBoundingClientRect(), before = from[n];
    if (!before?.width || !there?.width) return;
    const way = `translate(${before.x - there.x}px, ${before.y - there.y}px) scale(${before.width / there.width})`;
    const frames = [{ transform: key === to ? "scaleX(.2)" : way, zIndex: 9 }, { transform: "none", zIndex: 9 }];
    card.animate(frames, { duration: FLIGHT_MS, easing: "ease-out" });
  });
}
