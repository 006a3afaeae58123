// The current table: the last view, what has moved since the view before it, and the player's taps. This module knows
// no rules: the player can do what the last view or prompt lists. A tap is shown until the server answers it.

import { hooks } from "./elements.js";
import { isOpen, list, send } from "./line.js";

export const game = {
  view: null,
  mode: null, // the verb for which cards are being chosen, if several verbs need cards
  picked: [], // the positions chosen so far
  tapped: new Map(), // unanswered taps, by the lines that were sent
  last: [], // where the last move ended
  rules: [], // the table's rules, in short
  inLine: "", // what the server said about the place in line; empty if the player is not in line
  clock: null, // {until, whole}: the end and the length of the time that is counted down
};
const GLIMPSE_MS = 8000; // how long a face-down card that has been shown stays visible
export const glimpses = new Map(); // such cards by position, each with the time at which it disappears
const ALONE = ["ready", "start", "rematch", "bot", "hint"]; // commands that stay valid whatever else happens
let known = 0; // the number of the last event
let ways = []; // how cards have moved since the last view

export const seatIn = (letter) => game.view.seats.find((seat) => seat.seat === letter);
export const mySeat = () => seatIn(game.view.you);

// --- events and views

// Pairs of places (positions or piles) between which an event moves cards. A card that stays in place was turned over.
const WAYS = {
  peeked: (e) => e.at.map((at) => [at, at]),
  flipped: (e, at) => [[at, at]],
  drew: () => [["stock", "drawn"]],
  took: () => [["discard", "drawn"]],
  swapped: (e, at) => [["drawn", at], [at, "discard"]],
  discarded: () => [["drawn", "discard"]],
  switched: (e) => [e.at, [...e.at].reverse()],
  slammed: (e) => [[e.at, e.result === "hit" ? "discard" : e.at]],
  penalty: (e, at) => [[e.from || "stock", at]],
  gave: (e, at) => [[at, e.to]],
};

function forgetCards() {
  glimpses.clear();
  ways = game.last = [];
}

function glimpse(at, card) {
  glimpses.set(at, { card, until: Date.now() + GLIMPSE_MS });
  setTimeout(hooks.changed, GLIMPSE_MS + 50);
}

// Note how an event moves cards; the view that follows shows everything else.
export function happened(event) {
  const { view } = game, { event: name, seat, at, cards } = event;
  if (event.table !== view?.table) return;
  if (name === "closed" || (name === "left" && seat && seat === view.you)) return forget();
  if (event.seq !== known + 1 || name === "dealt" || name === "hole_ended") forgetCards();
  known = event.seq;
  const moved = WAYS[name]?.(event, seat + event.slot) || [];
  moved.flat().forEach((place) => glimpses.delete(place));
  ways = [...ways, ...moved];
  if (name === "peeked" && seat === view.you && cards) cards.forEach((card, n) => glimpse(at[n], card));
  if (name === "slammed" && event.result !== "hit") glimpse(at, event.card);
  if (name === "slam_opened") { know({ slam: event, discard: event.card }); hooks.changed(); } // at once
}

export function take(view) {
  const isOther = view.table !== game.view?.table;
  if (isOther || view.seq !== known) forgetCards(); // an event may have been missed
  if (isOther) {
    Object.assign(game, { mode: null, picked: [], rules: [] });
    list("rules short", (rows) => { game.rules = rows; hooks.changed(); });
  }
  known = view.seq;
  if (view.you) game.inLine = "";
  know(view);
  startClock();
  const moved = ways.splice(0);
  if (moved.length) game.last = moved.map(([, to]) => to);
  hooks.changed(moved);
}

// Handle a prompt, since what the player may do can change without an event. After an event, a view follows.
export function offered({ table, seq, actions, targets, phase }) {
  if (table !== game.view?.table || seq !== game.view.seq) return;
  know({ actions, targets, phase });
  hooks.changed();
}

// Update the view, and keep the player's unfinished choice if it is still possible.
function know(changes) {
  const before = chosen();
  game.view = { ...game.view, ...changes };
  const now = choices();
  game.mode = game.mode || game.picked.length || before !== "slam" ? before : null;
  if (!now.has(game.mode)) Object.assign(game, { mode: null, picked: [] });
  else game.picked = game.picked.filter((at) => now.get(game.mode).at.has(at));
}

export function forget() {
  Object.assign(game, { view: null, mode: null, picked: [], last: [], inLine: "", clock: null });
  game.tapped.clear();
  hooks.changed();
}

// Count down a slam window, the player's clock, or the time until a hole. If the end is unchanged, so is the length.
function startClock() {
  const { slam, clock, you, starts_ms: start, pause_ms: pause } = game.view, old = game.clock;
  const ms = slam && !slam.won ? slam.ms : clock?.seat === you ? clock.ms : start || pause, until = Date.now() + ms;
  const whole = Math.abs(until - old?.until) < 500 ? old.whole : ms;
  game.clock = ms ? { until, whole } : null;
}

// --- possible taps

// Return the lines that the player may send, without slams once one has succeeded or the player has passed.
export function lines() {
  const { actions = [], slam } = game.view || {};
  const isOver = slam?.won ? /^(slam|pass)$/ : actions.includes("pass") ? /^$/ : /^slam$/;
  return actions.filter((line) => !isOver.test(line));
}

// Return the verbs for which cards have to be chosen, with the possible positions, and how many are needed.
export function choices() {
  const found = new Map(), all = lines(), { view } = game;
  for (const line of all) {
    const [verb, at, more] = line.split(" ");
    if (verb === "slam" || verb === "switch") {
      found.set(verb, { at: new Set(view.targets), needs: verb === "slam" ? 1 : 2 });
    } else if (at && !more && !(verb === "take" && all.includes("take"))) {
      if (!found.has(verb)) found.set(verb, { at: new Set(), needs: 1 });
      found.get(verb).at.add(/^\d/.test(at) ? view.you + at : at);
    }
  }
  return found;
}

export const chosen = (asked = choices()) =>
  (asked.has(game.mode) ? game.mode : asked.size === 1 ? [...asked.keys()][0] : null);

export function choose(mode, picked = []) {
  Object.assign(game, { mode, picked });
  hooks.changed();
}

// Send a line; `touched` is the card or button that looks tapped until the answer arrives.
export function act(line, touched = line) {
  const { view, tapped } = game, verb = line.split(" ")[0];
  // At the start of a hole, other players' choices do not affect one's own, and several taps may follow quickly.
  const always = ALONE.includes(verb) || view.phase === "start";
  if (tapped.has(line)) return;
  if (tapped.size && !always) return hooks.alarm("Not yet: your last tap is on its way.");
  if (!isOpen()) return hooks.alarm("Not sent: there is no connection now.");
  tapped.set(line, touched);
  const now = verb === "slam" ? ` #${view.discard_no}` : always ? "" : ` at=${view.seq}`;
  send(line + now, ({ code, message, note }) => {
    tapped.delete(line);
    hooks.alarm(code === "STALE" ? "Something has just changed. Look, and tap again." : message || note || "");
    hooks.changed();
  });
  if (verb === "hint") hooks.changed(); else choose(null);
}

export function tap(at) {
  const asked = choices(), verb = chosen(asked), { view, picked } = game;
  if (!verb || !asked.get(verb).at.has(at)) return;
  if (asked.get(verb).needs === 1) return act(`${verb} ${at[0] === view.you ? at.slice(1) : at}`, at);
  const now = picked.includes(at) ? picked.filter((one) => one !== at) : [...picked, at];
  if (now.length === 2) act(`${verb} ${now.join(" ")}`, now.join(" ")); else choose(verb, now);
}
