// The current table and the taps on it. This knows no rules: the lines of the last prompt are what can be tapped. A tap
// shows at once; if it is refused, the answer takes it back.

import { hooks } from "./elements.js";
import { GLIMPSE_MS, fold, game, glimpses } from "./fold.js";
import { isOpen, list, send } from "./line.js";
import { label } from "./words.js";

const LOOK_MS = 300; // between looks; the server accepts ten commands a second
const ALONE = ["ready", "start", "rematch"]; // commands that nothing happening meanwhile can invalidate
let lookDue = 0, looked = 0, missed = 0;

// --- what is told

export function take(view) {
  const old = game.view, isOther = !old || view.table !== old.table;
  if (!isOther && view.seq < old.seq) return;
  game.view = view;
  if (isOther || view.seq !== old.seq) {
    glimpses.clear(); // the cards may have moved meanwhile
    game.last = [];
  }
  if (isOther) {
    Object.assign(game, { mode: null, picked: [], big: null, rules: [] });
    list("rules short", (rows) => { game.rules = rows; hooks.changed(); });
  }
  if (view.you) game.inLine = "";
  startIn(view.starts_ms);
  if (view.seq >= missed) { clearTimeout(lookDue); lookDue = 0; }
  startClock();
  hooks.changed();
}

export function forget() {
  Object.assign(game, { view: null, mode: null, picked: [], last: [], inLine: "", startsAt: 0, clock: null });
  game.tapped.clear();
  hooks.changed();
}

export function startIn(ms) { game.startsAt = ms ? Date.now() + ms : 0; }

export function happened(event) {
  const { view } = game;
  if (!view || event.table !== view.table) return;
  if (event.event === "closed" || (event.event === "left" && event.seat && event.seat === view.you)) return forget();
  const { clock, slam } = view, ways = fold(event);
  if (!ways) look(event.seq);
  if (view.clock !== clock || view.slam !== slam) startClock();
  if (ways.length) game.last = ways.map(([, to]) => to);
  if (event.cards || event.event === "slammed") setTimeout(hooks.changed, GLIMPSE_MS + 50);
  hooks.changed(ways || []);
}

export function offered({ table, seq, actions, targets, phase, ms }) {
  const { view } = game;
  if (!view || table !== view.table) return;
  const before = chosen(); // stays chosen if that is still possible
  if (seq > view.seq) look(seq);
  Object.assign(view, { actions, targets, phase });
  if (view.state === "playing" && ms && !view.slam) {
    view.clock = { seat: view.you, ms };
    startClock();
  }
  const now = choices();
  game.mode = game.mode || game.picked.length || before !== "slam" ? before : null;
  if (!now.has(game.mode)) Object.assign(game, { mode: null, picked: [] });
  else game.picked = game.picked.filter((at) => now.get(game.mode).at.has(at));
  hooks.changed();
}

// Ask for a full view, which has to include everything up to an event number.
function look(seq) {
  missed = seq;
  if (lookDue || !game.view) return;
  lookDue = setTimeout(() => {
    lookDue = 0;
    looked = Date.now();
    if (game.view) send(`look ${game.view.table}`, () => {});
  }, Math.max(0, looked + LOOK_MS - Date.now()));
}

function startClock() {
  const { slam, clock, you } = game.view;
  const counted = slam && !slam.won ? slam : clock && clock.seat === you ? clock : null;
  game.clock = counted && counted.ms ? { until: Date.now() + counted.ms, whole: counted.ms } : null;
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

export function chosen(asked = choices()) {
  return asked.has(game.mode) ? game.mode : asked.size === 1 ? [...asked.keys()][0] : null;
}

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
  send(line + now, ({ code, message }) => {
    tapped.delete(line);
    hooks.alarm(code === "STALE" ? "Something has just changed. Look, and tap again." : message || "");
    hooks.changed();
  });
  choose(null);
}

// Ask what a good bot would do, and why.
export const hint = () => send("hint", ({ message, note }) => hooks.alarm(message || note));

export function tap(at) {
  const asked = choices(), verb = chosen(asked), { view, picked } = game;
  if (!verb || !asked.get(verb).at.has(at)) return;
  if (asked.get(verb).needs === 1) return act(`${verb} ${at[0] === view.you ? at.slice(1) : at}`, at);
  const now = picked.includes(at) ? picked.filter((one) => one !== at) : [...picked, at];
  if (now.length === 2) act(`${verb} ${now.join(" ")}`, now.join(" ")); else choose(verb, now);
}

// Unanswered taps will not be answered any more: say which.
export function drop() {
  const lost = [...game.tapped.keys()].map(label);
  game.tapped.clear();
  return lost.length ? ` Your last tap (${lost.join(", ")}) was not answered.` : "";
}
