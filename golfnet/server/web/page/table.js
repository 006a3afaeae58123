// The table, drawn. Elements come in the order in which they are asked for.

import { $, classes, h, hooks, show } from "./elements.js";
import { game, glimpses, mySeat, seatIn } from "./fold.js";
import { send } from "./line.js";
import { act, choices, choose, chosen, hint, lines, tap } from "./play.js";
import { label, question, rank, standing, suit, word } from "./words.js";

const FLIGHT_MS = 150;
const WIDE = 5; // cards per row in a layout with more than it was dealt, for which a small phone has room
const MAIN = ["draw", "start", "rematch", "ready"];
const still = matchMedia("(prefers-reduced-motion: reduce)");

// --- cards

// Return the places of a layout whose cards cancel each other, as far as they lie open.
export function cancelled(slots, { cancel, rows, columns }) {
  const groups = {};
  slots.forEach((slot, n) => {
    if (slot === "-" || slot[0] === "?" || (cancel === "column" && n >= rows * columns)) return;
    (groups[`${cancel === "column" ? n % columns : ""} ${rank(slot)}`] ||= []).push(n);
  });
  return new Set(Object.values(groups).flatMap((group) => {
    if (cancel === "column") return rows > 1 && group.length === rows ? group : [];
    if (cancel === "anywhere") return group.slice(0, group.length - (group.length % 2));
    return cancel === "all" && group.length > 1 ? group : [];
  }));
}

// Describe a card: its face, null for its back, undefined for an empty place.
export function faced(face, { tag = "span", back = "", className, ...properties }) {
  const kind = face === undefined ? "empty" : face === null ? "down" : `suit${"SHDC".indexOf(face.at(-1))}`;
  return h(tag, { ...properties, className: classes("card", kind, className) },
    face ? [h("b", {}, rank(face)), h("i", {}, suit(face))] : face === null && back);
}

function placed(at, slot, name, { tag = "button", back, lit, press, style, mark }) {
  const glimpse = glimpses.get(at), now = Date.now();
  const seen = glimpse && glimpse.until > now ? glimpse.card : slot[0] === "?" ? slot.slice(1) : "";
  const face = slot === "-" ? undefined : seen || (slot === "?" ? null : slot);
  const isTapped = [...game.tapped.values()].join(" ").split(" ").includes(at);
  return faced(face, {
    tag, key: at, back, style,
    className: classes(seen && "seen", lit && "lit", game.picked.includes(at) && "chosen", isTapped && "tapped",
      game.last.includes(at) && "last", mark),
    ariaLabel: `${name}: ${face ? word(face) : face === null ? "face down" : "empty"}`,
    ...(tag === "button" ? { tabIndex: lit ? 0 : -1, ariaDisabled: `${!lit}`, onclick: press } : { role: "img" }),
  });
}

function seatBox(seat, asked, isSmall, isOneOfMany) {
  const { state, turn, scores, seats, you, options } = game.view, { rows, columns } = options;
  const key = seat.seat, isMine = key === you, isPlaying = state === "playing", isOn = isPlaying && turn === key;
  const isBig = game.big === key, verb = chosen(asked), isLit = (at) => Boolean(verb) && asked.get(verb).at.has(at);
  const size = rows * columns, count = seat.slots.length;
  const high = Math.max(rows, Math.ceil(count / WIDE)), wide = columns + Math.ceil(Math.max(0, count - size) / high);
  const pairs = cancelled(seat.slots, options);
  const cards = seat.slots.map((slot, n) => {
    const at = `${key}${n + 1}`, [row, column] = n < size ? [Math.floor(n / columns), n % columns]
      : [(n - size) % high, columns + Math.floor((n - size) / high)];
    return placed(at, slot, isMine ? `Your card ${n + 1}` : `${seat.name}, card ${n + 1}`, {
      tag: isSmall ? "span" : "button", back: `${n + 1}`, lit: isLit(at), press: () => tap(at),
      style: `grid-area: ${row + 1} / ${column + 1}`, mark: pairs.has(n) && "pair",
    });
  });
  const isAway = !seat.present && seat.kind !== "bot";
  const name = `${isOn ? "▸ " : ""}${isMine ? "You" : seat.name}${isAway ? " (away)" : ""}`;
  const enlarge = ({ target }) => {
    game.big = isBig ? null : key;
    draw();
    target.closest("section").scrollIntoView({ block: "nearest" });
  };
  const score = isPlaying ? null : scores.at(-1)?.[seats.indexOf(seat)] ?? null;
  const isReached = isSmall && seat.slots.some((_, n) => isLit(`${key}${n + 1}`));
  return h("section", {
    key, className: classes("seat", isOn && "turn", isSmall && "small", isBig && "big", isReached && "reached"),
    ariaLabel: isMine ? "Your cards" : `${seat.name}’s cards`,
  }, h("h3", {},
    isOneOfMany ? h("button", { onclick: enlarge, ariaExpanded: `${isBig}` }, name) : h("span", {}, name),
    h("span", { key: "total" }, state !== "open" ? `${seat.total}` : seat.ready ? "ready" : seat.host ? "host" : ""),
    score !== null && h("em", {}, score < 0 ? `${score}` : `+${score}`)),
  h("div", { className: "cards", style: `--columns: ${wide}; --rows: ${high}` }, cards));
}

function piles() {
  const { state, holding, stock, drawn, discard, you } = game.view, isMine = holding === you;
  const pile = (key, caption, slot, name, line) => {
    const press = () => { if (lines().includes(line)) act(line, key); };
    return h("figure", { key, className: holding || key !== "drawn" ? "" : "none" },
      placed(key, slot, name, { lit: lines().includes(line), press, mark: key === "stock" && "pile" }),
      h("figcaption", {}, caption));
  };
  const holder = holding && (isMine ? "you hold" : `${seatIn(holding).name} holds`);
  const held = isMine ? "The card you hold, discard it" : "The card in hand";
  return state !== "playing" ? [] : [
    pile("stock", `${stock} left`, stock ? "?" : "-", "Stock, draw a card", "draw"),
    pile("drawn", holder, holding ? drawn || "?" : "-", held, isMine && "discard"),
    pile("discard", "discard", discard || "-", "Discard pile, take its card", "take"),
  ];
}

// --- choices

// Return the questions that are open, each with the verbs that ask for cards, and its other lines.
function questions(asked) {
  const all = lines(), verbs = [...new Set(all.map((line) => line.split(" ")[0]))];
  const isSlam = (verb) => asked.has("slam") && /slam|pass/.test(verb);
  const isPower = (verb) => all.includes("decline") && /peek|switch|decline/.test(verb);
  const title = (verb) => (isSlam(verb) ? "Slam?" : isPower(verb) ? "Your power" : "");
  return ["Slam?", "Your power", ""].map((one) => {
    const own = verbs.filter((verb) => title(verb) === one);
    return { title: one, modes: own.filter((verb) => asked.has(verb)), others: own.filter((verb) => !asked.has(verb)) };
  }).filter(({ modes, others }) => modes.length || others.length);
}

function bar(asked, groups) {
  const { state } = game.view, current = chosen(asked), isChoice = asked.size > 1;
  const button = (key, words, onclick, more) => h("button", { key, onclick, ...more }, words);
  const mode = (verb) => {
    const ariaPressed = `${verb === current}`;
    return button(`mode ${verb}`, label(verb), () => choose(verb), { ariaPressed });
  };
  const boxes = groups.map(({ title, modes, others }) => {
    const main = MAIN.find((verb) => others.includes(verb) && (verb !== "ready" || !others.includes("start")));
    const line = (verb) => button(verb, label(verb), () => act(verb),
      { className: classes(verb === main && "main", game.tapped.has(verb) && "tapped") });
    return h("div", { key: title, role: "group", ariaLabel: title || "Your choices" },
      title && isChoice && h("span", {}, title), isChoice && modes.map(mode),
      [...others].sort((one, other) => (other === main) - (one === main)).map(line),
      state === "open" && mySeat()?.host && button("bot", "Add a bot", () => send("bot")));
  });
  return [...boxes, state === "playing" && groups.length > 0 && button("hint", "Hint", hint)];
}

// --- scores

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

// --- the whole table

const spot = (key) => document.querySelector(`.card[data-key="${key}"]`);

// Draw the table, and let a move's cards fly from where they were.
export function draw(ways = []) {
  const { view } = game, from = ways.map(([key]) => spot(key)?.getBoundingClientRect());
  if (!view) { for (const id of ["bar", "others", "piles", "own"]) show($(id)); return; }
  const { seats, state, scores, you } = view, own = mySeat(), here = own ? seats.indexOf(own) : -1;
  const asked = choices(), groups = questions(asked), verbs = new Set(lines().map((line) => line.split(" ")[0]));
  const others = [...seats.slice(here + 1), ...seats.slice(0, Math.max(here, 0))]; // clockwise
  const isMany = others.length > 2;
  const reaches = [...asked.values()].some((one) => [...one.at].some((at) => at[0] !== you));
  show($("own"), own && seatBox(own, asked));
  show($("piles"), piles());
  $("others").className = classes(isMany && "many", reaches && "reach");
  $("others").dataset.count = others.length;
  show($("others"), others.map((seat) => seatBox(seat, asked, isMany && game.big !== seat.seat, isMany)));
  show($("headline"), question(chosen(asked), verbs, groups.length) || standing(verbs.has("start")));
  $("headline").className = classes(verbs.size && "asks");
  show($("bar"), bar(asked, groups));
  show($("scores"), state !== "playing" && scores.length > 0 && scoreTable());
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
