// The current table: the last view, what has moved since the one before, and the taps on it. This knows no rules: the
// lines of the last view or prompt can be tapped. A tap shows at once; if it is refused, the answer takes it back.

import { hooks } from "./elements.js";
import { isOpen, list, send } from "./line.js";

export const game = {
  view: null,
  mode: null, // the verb for which cards are being chosen, if there are several
  picked: [], // the positions chosen so far
  tapped: new Map(), // unanswered taps, by the lines that were sent
  last: [], // where the last move ended
  rules: [], // of the table, in short
  inLine: "", // what was said of the place in line, empty without one
  clock: null, // {until, whole} of what is counted down
};
const GLIMPSE_MS = 8000; // how long a face-down card that has been shown stays visible
export const glimpses = new Map(); // these cards, and until when, by position
const ALONE = ["ready", "start", "rematch", "bot", "hint"]; // commands that nothing happening meanwhile can invalidate
let known = 0; // the number of the last event
let ways = []; // of cards since the last view

export const seatIn = (letter) => game.view.seats.find((seat) => seat.seat === letter);
export const mySeat = () => seatIn(game.view.you);

// --- what is told

// From where to where an event moves cards: positions, the first of which may be its slot, `at`, and piles. A card that
// stays where it is was turned.
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

// Note where cards have moved; the view that follows shows everything else.
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
  if (name === "slam_opened") { know({ slam: event, discard: event.card }); hooks.changed(); } // every moment counts
}

export function take(view) {
  const isOther = view.table !== game.view?.table;
  if (isOther || view.seq !== known) forgetCards(); // something else may have happened meanwhile
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

// What may be done can change although nothing happens; otherwise a view follows.
export function offered({ table, seq, actions, targets, phase }) {
  if (table !== game.view?.table || seq !== game.view.seq) return;
  know({ actions, targets, phase });
  hooks.changed();
}

// Update the view; what was being chosen stays chosen if that is still possible.
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

// Count down a slam window, one's own clock or the time until a hole begins; it goes on if it ends when it did before.
function startClock() {
  const { slam, clock, you, starts_ms: start, pause_ms: pause } = game.view, old = game.clock;
  const ms = slam && !slam.won ? slam.ms : clock?.seat === you ? clock.ms : start || pause, until = Date.now() + ms;
  const whole = Math.abs(until - old?.until) < 500 ? old.whole : ms;
  game.clock = ms ? { until, whole } : null;
}

// --- possible taps

// After a successful slam another can only be late, and a player who has passed knows the window: ask nobody.
export function lines() {
  const { actions = [], slam } = game.view || {};
  const isOver = slam?.won ? /^(slam|pass)$/ : actions.includes("pass") ? /^$/ : /^slam$/;
  return actions.filter((line) => !isOver.test(line));
}

// The verbs that ask for cards: which positions each takes, and how many.
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

// Send what was tapped; `touched` is the card or button that shows it until the answer arrives.
export function act(line, touched = line) {
  const { view, tapped } = game, verb = line.split(" ")[0];
  // Others' start choices do not affect one's own, which may follow quickly.
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
