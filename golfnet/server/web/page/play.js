// The current table and the taps on it. This knows no rules: the lines of the last prompt are what can be tapped. A tap
// shows at once; if it is refused, the answer takes it back.

import { GLIMPSE_MS, fold, glimpses, moves } from "./fold.js";
import { isOpen, send } from "./line.js";
import { label, sentence } from "./words.js";

const LOOK_MS = 300; // between looks; the server accepts ten commands a second
const ALONE = ["ready", "start", "rematch"]; // commands that nothing happening meanwhile can invalidate

export const game = {
  view: null,
  mode: null, // the verb for which cards are being chosen, if there are several
  picked: [], // the positions chosen so far
  tapped: new Map(), // unanswered taps, by the lines that were sent
  last: [], // where the last move ended
  big: null, // the other seat that is shown enlarged
  inLine: "", // the last message about a place in line, empty without one
  startsAt: 0, // when the match begins
  clock: null, // {until, whole} of the countdown
};

let tell = null; // `changed(moves)`, `said(sentence)` and `refused(sentence)`
let lookDue = 0, looked = 0, missed = 0;
export const beginPlay = (handlers) => { tell = handlers; };

// --- messages from the server

export function take(view) {
  const old = game.view;
  if (old && view.table === old.table && view.seq < old.seq) return;
  if (!old || view.table !== old.table || view.seq !== old.seq) {
    glimpses.clear(); // the cards may have moved meanwhile
    game.last = [];
  }
  if (!old || view.table !== old.table) Object.assign(game, { mode: null, picked: [], big: null });
  if (view.you) game.inLine = "";
  game.view = view;
  startIn(view.starts_ms);
  if (view.seq >= missed) { clearTimeout(lookDue); lookDue = 0; }
  startClock();
  tell.changed([]);
}

export function forget() {
  Object.assign(game, { view: null, mode: null, picked: [], big: null, last: [], inLine: "", startsAt: 0, clock: null });
  game.tapped.clear();
  tell.changed([]);
}

export function startIn(ms) { game.startsAt = ms ? Date.now() + ms : 0; }

export function happened(event) {
  const { view } = game;
  if (!view || event.table !== view.table) return;
  const said = sentence(view, event);
  if (event.event === "closed" || (event.event === "left" && event.seat && event.seat === view.you)) {
    forget();
  } else {
    const { clock, slam } = view, way = moves(event);
    if (!fold(view, event)) look(event.seq);
    if (view.clock !== clock || view.slam !== slam) startClock();
    if (way.length) game.last = way.map(([, to]) => to);
    else if (event.event === "dealt") game.last = [];
    if (event.cards || event.event === "slammed") setTimeout(() => tell.changed([]), GLIMPSE_MS + 50);
    tell.changed(way);
  }
  tell.said(said, event);
}

export function offered(prompt) {
  const { view } = game;
  if (!view || prompt.table !== view.table) return;
  const before = chosen(); // stays chosen if that is still possible
  if (prompt.seq > view.seq) look(prompt.seq);
  Object.assign(view, { actions: prompt.actions, targets: prompt.targets, phase: prompt.phase });
  if (view.state === "playing" && prompt.ms && !view.slam) {
    view.clock = { seat: view.you, ms: prompt.ms };
    startClock();
  }
  const now = choices();
  game.mode = game.mode || game.picked.length ? before : before === "slam" ? null : before;
  if (!now.has(game.mode)) Object.assign(game, { mode: null, picked: [] });
  else game.picked = game.picked.filter((at) => now.get(game.mode).at.has(at));
  tell.changed([]);
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
  const { view } = game;
  const slam = view.slam && !view.slam.won ? view.slam : null;
  const clock = slam || (view.clock && view.clock.seat === view.you ? view.clock : null);
  game.clock = clock && clock.ms ? { until: Date.now() + clock.ms, whole: clock.ms } : null;
}

// --- possible taps

// After a successful slam another can only be late, and a player who has passed knows the window: ask nobody.
export function lines() {
  const { view } = game;
  if (!view) return [];
  const isOver = view.slam && view.slam.won ? /^(slam|pass)$/ : view.actions.includes("pass") ? /^$/ : /^slam$/;
  return view.actions.filter((line) => !isOver.test(line));
}

// The verbs that ask for cards: which positions each takes, and how many.
export function choices() {
  const found = new Map(), all = lines(), { view } = game;
  for (const line of all) {
    const [verb, at, more] = line.split(" ");
    if (verb === "slam" || verb === "switch") found.set(verb, { at: new Set(view.targets), needs: verb === "slam" ? 1 : 2 });
    else if (at && !more && !(verb === "take" && all.includes("take"))) {
      if (!found.has(verb)) found.set(verb, { at: new Set(), needs: 1 });
      found.get(verb).at.add(/^\d/.test(at) ? view.you + at : at);
    }
  }
  return found;
}

export function chosen(asked = choices()) {
  return asked.has(game.mode) ? game.mode : asked.size === 1 ? [...asked.keys()][0] : null;
}

export function choose(verb) {
  Object.assign(game, { mode: verb, picked: [] });
  tell.changed([]);
}

// Send what was tapped; `touched` is the card or button that shows it until the answer arrives.
export function act(line, touched = line) {
  const { view, tapped } = game, verb = line.split(" ")[0];
  // Others' start choices do not affect one's own, which may follow quickly.
  const always = ALONE.includes(verb) || view.phase === "start";
  if (tapped.has(line)) return;
  if (tapped.size && !always) return tell.refused("Not yet: your last tap is on its way.");
  if (!isOpen()) return tell.refused("Not sent: there is no connection now.");
  tapped.set(line, touched);
  send(verb === "slam" ? `${line} #${view.discard_no}` : always ? line : `${line} at=${view.seq}`, (answer) => {
    tapped.delete(line);
    if (answer.type === "error") tell.refused(answer.code === "STALE" ? "Something has just changed. Look, and tap again." : answer.message);
    else tell.refused("");
    tell.changed([]);
  });
  Object.assign(game, { mode: null, picked: [] });
  tell.changed([]);
}

// Ask what a good bot would do, and why.
export function hint() { send("hint", (answer) => tell.refused(answer.message || answer.note)); }

export function tap(at) {
  const asked = choices(), verb = chosen(asked);
  if (!verb || !asked.get(verb).at.has(at)) return;
  if (asked.get(verb).needs === 1) return act(`${verb} ${at[0] === game.view.you ? at.slice(1) : at}`, at);
  const picked = game.picked.includes(at) ? game.picked.filter((one) => one !== at) : [...game.picked, at];
  if (picked.length === 2) return act(`${verb} ${picked.join(" ")}`, picked.join(" "));
  Object.assign(game, { mode: verb, picked });
  tell.changed([]);
}

// Unanswered taps will not be answered any more: say which.
export function drop() {
  const lost = [...game.tapped.keys()].map((line) => (game.view ? label(game.view, line) : line));
  game.tapped.clear();
  return lost.length ? ` Your last tap (${lost.join(", ")}) was not answered.` : "";
}
