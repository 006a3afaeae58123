// Draws the table. Elements are kept, so that focus stays where it is; their order is that in which they are requested.

import { glimpses, seatIn } from "./fold.js";
import { act, choices, choose, chosen, game, hint, lines, tap } from "./play.js";
import { send } from "./line.js";
import { label, question, rank, rulesInShort, standing, suit, word } from "./words.js";

export const $ = (id) => document.getElementById(id);
const FLIGHT_MS = 150;
const WIDE = 5; // cards per row in a layout with more than it was dealt, for which a small phone has room
const still = matchMedia("(prefers-reduced-motion: reduce)");

// --- elements

// Return a new element with the given properties and content.
export function el(tag, properties = {}, ...inside) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...inside);
  return element;
}

export function keep(parent, key, tag) {
  const name = tag.toUpperCase();
  let element = [...parent.children].find((child) => child.dataset.key === key && child.tagName === name);
  if (!element) {
    element = el(tag);
    element.dataset.key = key;
    parent.append(element);
  }
  const here = [...parent.children].find((child) => !("kept" in child.dataset));
  if (here && here !== element) parent.insertBefore(element, here);
  element.dataset.kept = "";
  return element;
}

export function sweep(parent) {
  for (const child of [...parent.children]) {
    if ("kept" in child.dataset) delete child.dataset.kept; else child.remove();
  }
}

export const text = (element, words) => { if (element.textContent !== words) element.textContent = words; };
const classes = (element, ...names) => { element.className = names.filter(Boolean).join(" "); };

// --- cards

// Return the positions of a layout's face-up cards that cancel each other.
export function cancelled(slots, { cancel, rows, columns }) {
  const groups = new Map(), size = rows * columns;
  slots.forEach((slot, n) => {
    if (slot === "-" || slot[0] === "?" || (cancel === "column" && n >= size)) return;
    const key = `${cancel === "column" ? n % columns : ""}${rank(slot)}`;
    groups.set(key, [...(groups.get(key) || []), n]);
  });
  const found = new Set();
  for (const group of groups.values()) {
    const whole = { column: rows > 1 && group.length === rows ? rows : 0, all: group.length > 1 ? group.length : 0, none: 0,
      anywhere: group.length - (group.length % 2) }[cancel];
    group.slice(0, whole).forEach((n) => found.add(n));
  }
  return found;
}

// Show a card on an element: its face, null for its back, undefined for an empty slot.
export function drawFace(card, face, back, ...names) {
  classes(card, "card", face === undefined ? "empty" : face === null ? "down" : `suit${"SHDC".indexOf(face.at(-1))}`, ...names);
  const shown = face ? `${rank(face)} ${suit(face)}` : face === null ? back : "";
  if (card.dataset.shown === shown) return;
  card.dataset.shown = shown;
  card.replaceChildren(...(face ? [el("b", {}, rank(face)), el("i", {}, suit(face))] : [shown]));
}

function drawCard(parent, key, slot, { tag = "button", back, name, lit, press, marks = [] }) {
  const card = keep(parent, key, tag), glimpse = glimpses.get(key);
  const seen = glimpse && glimpse.until > Date.now() ? glimpse.card : slot.length > 1 && slot[0] === "?" ? slot.slice(1) : null;
  const face = slot === "-" ? undefined : seen || (slot === "?" ? null : slot);
  const isTapped = [...game.tapped.values()].some((touched) => touched.split(" ").includes(key));
  drawFace(card, face, back, seen && "seen", lit && "lit", game.picked.includes(key) && "chosen", isTapped && "tapped",
    game.last.includes(key) && "last", ...marks);
  card.setAttribute("aria-label", `${name}: ${face ? word(face) : face === null ? "face down" : "empty"}`);
  if (tag !== "button") card.setAttribute("role", "img");
  else {
    Object.assign(card, { type: "button", tabIndex: lit ? 0 : -1, onclick: press });
    card.setAttribute("aria-disabled", String(!lit));
  }
  return card;
}

function drawSeat(parent, seat, asked, isSmall) {
  const { view } = game, isMine = seat.seat === view.you, { rows, columns } = view.options;
  const isPlaying = view.state === "playing", isOn = isPlaying && view.turn === seat.seat;
  const score = isPlaying ? null : view.scores.at(-1)?.[view.seats.indexOf(seat)] ?? null;
  const box = keep(parent, seat.seat, "section");
  const verb = chosen(asked), isLit = (at) => Boolean(verb) && asked.get(verb).at.has(at);
  const isReached = isSmall && seat.slots.some((_, n) => isLit(`${seat.seat}${n + 1}`));
  classes(box, "seat", isOn && "turn", isSmall && "small", game.big === seat.seat && "big", isReached && "reached");
  box.setAttribute("aria-label", isMine ? "Your cards" : `${seat.name}’s cards`);
  const head = keep(box, "caption", "h3");
  const isHere = seat.present || seat.kind === "bot";
  const caption = keep(head, "name", isMine || !parent.classList.contains("many") ? "span" : "button");
  text(caption, `${isOn ? "▸ " : ""}${isMine ? "You" : seat.name}${isHere ? "" : " (away)"}`);
  caption.onclick = () => { game.big = game.big === seat.seat ? null : seat.seat; draw(); box.scrollIntoView({ block: "nearest" }); };
  if (caption.tagName === "BUTTON") caption.setAttribute("aria-expanded", String(game.big === seat.seat));
  const points = view.state === "open" ? (seat.ready ? "ready" : seat.host ? "host" : "") : `${seat.total}`;
  text(keep(head, "total", "span"), points);
  if (score !== null) text(keep(head, "plus", "em"), score < 0 ? `${score}` : `+${score}`);
  sweep(head);
  const cards = keep(box, "cards", "div"), pairs = cancelled(seat.slots, view.options);
  cards.className = "cards";
  const extra = Math.max(0, seat.slots.length - rows * columns), high = Math.max(rows, Math.ceil(seat.slots.length / WIDE));
  cards.style.setProperty("--columns", columns + Math.ceil(extra / high));
  cards.style.setProperty("--rows", high);
  seat.slots.forEach((slot, n) => {
    const at = `${seat.seat}${n + 1}`, over = n - rows * columns;
    const name = isMine ? `Your card ${n + 1}` : `${seat.name}, card ${n + 1}`;
    const card = drawCard(cards, at, slot, { tag: isSmall ? "span" : "button", back: String(n + 1), name, lit: isLit(at),
      press: () => tap(at), marks: [pairs.has(n) && "pair"] });
    const row = over < 0 ? Math.floor(n / columns) : over % high;
    const column = over < 0 ? n % columns : columns + Math.floor(over / high);
    card.style.gridArea = `${row + 1} / ${column + 1}`;
  });
  sweep(cards);
  sweep(box);
}

function drawPile(key, caption, slot, name, line) {
  const figure = keep($("piles"), key, "figure"), lit = lines().includes(line);
  classes(figure, slot === null && "none");
  drawCard(figure, key, slot === null ? "-" : slot, { back: "", name, lit, press: () => { if (lines().includes(line)) act(line, key); },
    marks: [key === "stock" && "pile"] });
  text(keep(figure, "caption", "figcaption"), caption);
  sweep(figure);
}

function drawPiles() {
  const { view } = game;
  if (view.state === "playing") {
    const isMine = view.holding === view.you;
    const holder = view.holding && (isMine ? "you hold" : `${seatIn(view, view.holding).name} holds`);
    drawPile("stock", `${view.stock} left`, view.stock ? "?" : "-", "Stock, draw a card", "draw");
    const held = isMine ? "The card you hold, discard it" : "The card in hand";
    drawPile("drawn", holder || "", view.holding ? view.drawn || "?" : null, held, isMine ? "discard" : null);
    drawPile("discard", "discard", view.discard || "-", "Discard pile, take its card", "take");
  }
  sweep($("piles"));
}

// --- choices

// Return the open questions, each with its lines; cards are chosen for the verbs in `asked`.
function questions(asked) {
  const all = lines(), verbs = [...new Set([...all.map((line) => line.split(" ")[0])])];
  const lone = (verb) => all.includes(verb) && !asked.has(verb);
  const groups = [];
  if (asked.has("slam")) groups.push({ title: "Slam?", modes: ["slam"], lines: ["pass"].filter(lone) });
  if (lone("decline")) groups.push({ title: "Your power", modes: ["peek", "switch"].filter((verb) => asked.has(verb)), lines: ["decline"] });
  const known = new Set(groups.flatMap((group) => [...group.modes, ...group.lines]));
  const rest = verbs.filter((verb) => !known.has(verb));
  if (rest.length) groups.push({ title: "", modes: rest.filter((verb) => asked.has(verb)), lines: rest.filter(lone) });
  return groups;
}

const MAIN = ["draw", "start", "rematch", "ready"];

function drawBar(asked, groups) {
  const bar = $("bar"), current = chosen(asked), { view } = game;
  const add = (parent, key, words, press, main) => {
    const button = keep(parent, key, "button");
    button.type = "button";
    text(button, words);
    classes(button, main && "main", game.tapped.has(key) && "tapped");
    button.onclick = press;
    return button;
  };
  for (const group of groups) {
    const box = keep(bar, `group ${group.title}`, "div");
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", group.title || "Your choices");
    if (group.title && asked.size > 1) text(keep(box, "title", "span"), group.title);
    const main = MAIN.find((verb) => group.lines.includes(verb) && (verb !== "ready" || !group.lines.includes("start")));
    if (asked.size > 1) for (const verb of group.modes) {
      add(box, `mode ${verb}`, label(view, verb), () => choose(verb)).setAttribute("aria-pressed", String(verb === current));
    }
    const first = group.lines.filter((line) => line === main), rest = group.lines.filter((line) => line !== main);
    for (const line of [...first, ...rest]) add(box, line, label(view, line), () => act(line), line === main);
    if (view.state === "open" && seatIn(view, view.you)?.host) add(box, "bot", "Add a bot", () => send("bot"));
    sweep(box);
    if (!box.children.length) box.remove();
  }
  if (view.state === "playing" && groups.length) add(bar, "hint", "Hint", hint);
  sweep(bar);
}

// --- scores

export function drawScores(table) {
  const { view } = game, body = table.tBodies[0] || table.createTBody();
  const add = (key, name, scores, sum, isFirst) => {
    const row = keep(body, key, "tr");
    classes(row, isFirst && "first");
    text(keep(row, "name", "th"), name);
    scores.forEach((score, hole) => {
      const cell = keep(row, `h${hole}`, "td");
      text(cell, score);
      classes(cell, key !== "holes" && view.scores[hole].every((other) => other === null || Number(score) <= other) && "best");
    });
    text(keep(row, "sum", "td"), sum);
    sweep(row);
  };
  if (view && view.scores.length) {
    const best = Math.min(...view.seats.map((seat) => seat.total));
    add("holes", "Hole", view.scores.map((_, hole) => String(hole + 1)), "total");
    view.seats.forEach((seat, n) => {
      add(seat.seat, seat.name, view.scores.map((scores) => String(scores[n] ?? "–")), `= ${seat.total}`, seat.total === best);
    });
  }
  sweep(body);
}

// --- the whole table

const spot = (key) => document.querySelector(`.card[data-key="${key}"]`);

// Draw the table, and let a move's cards fly from where they were.
export function draw(ways = []) {
  const { view } = game;
  if (!view) { for (const id of ["bar", "others", "piles", "own"]) $(id).replaceChildren(); return; }
  const from = ways.map(([key]) => spot(key)?.getBoundingClientRect());
  const asked = choices(), groups = questions(asked), own = seatIn(view, view.you);
  const here = view.seats.indexOf(own), others = [...view.seats.slice(here + 1), ...view.seats.slice(0, Math.max(here, 0))]; // clockwise
  classes($("others"), others.length > 2 && "many", [...asked.values()].some((one) => [...one.at].some((at) => at[0] !== view.you)) && "reach");
  $("others").dataset.count = others.length;
  if (own) drawSeat($("own"), own, asked, false);
  sweep($("own"));
  drawPiles();
  others.forEach((seat) => drawSeat($("others"), seat, asked, others.length > 2 && game.big !== seat.seat));
  sweep($("others"));
  const verbs = new Set(lines().map((line) => line.split(" ")[0]));
  text($("headline"), question(view, { verb: chosen(asked), picked: game.picked.length, verbs, groups: groups.length })
    || standing(view, { startsIn: Math.max(0, game.startsAt - Date.now()), mayStart: verbs.has("start"), inLine: own ? "" : game.inLine }));
  $("invite").hidden = view.state !== "open" || !own;
  text($("brief"), view.state === "open" ? rulesInShort(view.options).join(" ") : "");
  $("headline").classList.toggle("asks", lines().length > 0);
  $("scores").hidden = view.state === "playing" || !view.scores.length;
  drawScores($("scores"));
  drawBar(asked, groups);
  if (still.matches || document.body.dataset.motion === "off" || document.hidden) return;
  ways.forEach(([key, to], n) => {
    const card = spot(to), there = card?.getBoundingClientRect(), here = from[n];
    if (!here?.width || !there?.width) return;
    const start = key === to ? "scaleX(.2)" : `translate(${here.x - there.x}px, ${here.y - there.y}px) scale(${here.width / there.width})`;
    card.animate([{ transform: start, zIndex: 9 }, { transform: "none", zIndex: 9 }], { duration: FLIGHT_MS, easing: "ease-out" });
  });
}

