// What the page knows of its table, and how an event changes it. Nothing here draws, and nothing asks the server: where
// `fold` returns false, the whole view is needed.

export const game = {
  view: null,
  mode: null, // the verb for which cards are being chosen, if there are several
  picked: [], // the positions chosen so far
  tapped: new Map(), // unanswered taps, by the lines that were sent
  last: [], // where the last move ended
  big: null, // the other seat that is shown enlarged
  rules: [], // of the table, in short
  inLine: "", // what was said of the place in line, empty without one
  startsAt: 0, // when the match begins
  clock: null, // {until, whole} of the countdown
};
export const GLIMPSE_MS = 8000; // how long a face-down card that has been shown stays visible
export const glimpses = new Map(); // these cards, and until when, by position

// How many cards each seat looks at or turns up before play.
export const startChoices = () => Number(/\d*$/.exec(game.view.options.start)[0]);
export const seatIn = (letter) => game.view.seats.find((seat) => seat.seat === letter);
export const mySeat = () => seatIn(game.view.you);
const lying = (at) => seatIn(at[0]).slots[at.slice(1) - 1];

// --- what changes; each returns the ways of cards: from where to where, as positions and piles

function know(changes, ...ways) {
  Object.assign(game.view, changes);
  return ways;
}

// Whatever changes in a slot changes here, so that no glimpse outlives its card. A card that stays there was turned.
function put(at, card) {
  seatIn(at[0]).slots[at.slice(1) - 1] = card;
  glimpses.delete(at);
  return [[at, at]];
}

function exchange(one, other) {
  const card = lying(one);
  put(one, lying(other) || "-"); // a slot that was added is empty before
  put(other, card);
  return lying(one) === "-" ? [[one, other]] : [[one, other], [other, one]];
}

// A face-down card that this seat has lawfully seen.
const faceDown = (card) => (card && game.view.you && game.view.options.recall === "always" ? `?${card}` : "?");

function reveal(at, card) {
  const ways = put(at, faceDown(card));
  glimpses.set(at, { card, until: Date.now() + GLIMPSE_MS });
  return ways;
}

const lay = (card, number, ...ways) => know({ beneath: game.view.discard, discard: card, discard_no: number }, ...ways);

function letGo(card, number, ...ways) {
  know({ holding: null, drawn: null, clock: null });
  return lay(card, number, ...ways);
}

// Count down the start choices that a seat has left.
function chose(letter, count) {
  const { phase, owed, seats } = game.view;
  if (phase === "start" && owed) owed[seats.indexOf(seatIn(letter))] -= count;
}

const nothing = () => [];
const seated = (changes) => (e) => { Object.assign(seatIn(e.seat), changes); };

// What to do with an event, which may name a slot, `at`; false where it does not tell enough.
const FOLD = {
  dropped: seated({ present: false }),
  returned: seated({ present: true, kind: "human" }),
  house_plays: seated({ kind: "house" }),
  ready: seated({ ready: true }),
  left: (e) => {
    if (e.seat && !["playing", "between"].includes(game.view.state)) return false;
    if (e.seat) Object.assign(seatIn(e.seat), { present: false, host: false });
  },
  host: (e) => game.view.seats.forEach((seat) => { seat.host = seat.seat === e.seat; }),
  committed: (e) => e.match === game.view.match && [],
  hole_started: (e) => {
    know({ hole: e.hole });
    game.view.seats.forEach((seat) => { seat.ready = false; });
  },
  dealt: (e) => {
    const { seats, options } = game.view;
    glimpses.clear();
    game.last = [];
    seats.forEach((seat) => { seat.slots = Array(options.rows * options.columns).fill("?"); });
    know({ state: "playing", phase: "start", turn: null, clock: null, slam: null, holding: null, drawn: null,
      stock: e.stock, discard: e.discard || null, discard_no: e.discard_no, beneath: null,
      owed: seats.map(startChoices) });
  },
  turn: (e) => know({ turn: e.seat, phase: "turn", clock: e.ms ? { seat: e.seat, ms: e.ms } : null }),
  peeked: (e) => {
    chose(e.seat, e.at.length);
    if (e.cards && e.seat === game.view.you) e.at.forEach((at, n) => reveal(at, e.cards[n]));
    return e.at.map((at) => [at, at]);
  },
  flipped: (e, at) => {
    chose(e.seat, 1);
    return put(at, e.card);
  },
  drew: (e) => know({ stock: e.stock, holding: e.seat, drawn: e.card || null }, ["stock", "drawn"]),
  took: ({ seat: holding, card: drawn }) =>
    know({ discard: game.view.beneath, beneath: null, holding, drawn }, ["discard", "drawn"]),
  swapped: (e, at) => {
    put(at, game.view.options.placed === "up" && e.card ? e.card : faceDown(e.card));
    return letGo(e.discard, e.discard_no, ["drawn", at], [at, "discard"]);
  },
  discarded: (e) => letGo(e.card, e.discard_no, ["drawn", "discard"]),
  switched: (e) => exchange(...e.at),
  slam_opened: (e) => know({ slam: { discard_no: e.discard_no, card: e.card, ms: e.ms, won: false } }),
  slam_closed: () => know({ slam: null }),
  slammed: (e) => {
    if (e.result !== "hit") return reveal(e.at, e.card);
    put(e.at, "-");
    if (game.view.slam) know({ slam: { ...game.view.slam, won: true } });
    return lay(e.card, e.discard_no, [e.at, "discard"]);
  },
  penalty: (e, at) => {
    if (e.from) return exchange(e.from, at);
    put(at, "?");
    return know({ stock: game.view.stock - 1 }, ["stock", at]);
  },
  gave: (e, at) => exchange(at, e.to),
  reshuffled: (e) => know({ stock: e.stock, discard: e.discard, beneath: null }),
  hole_ended: (e) => {
    const { seats, scores } = game.view, isScored = e.scores && e.reason !== "abandoned";
    glimpses.clear();
    seats.forEach((seat, n) => Object.assign(seat, { slots: e.layouts[n] }, isScored && { total: e.totals[n] }));
    if (isScored) scores.push(e.scores);
    know({ state: "between", phase: "over", clock: null, slam: null });
  },
  match_ended: () => know({ state: "finished" }),
  opened: nothing, watching: nothing, cut: nothing, sealed: nothing, seals_closed: nothing, filling: nothing,
  clock: nothing, timed_out: nothing, paused: nothing, resumed: nothing, passed: nothing, declined: nothing,
  knocked: nothing,
};

// Change the view by an event; return the ways of its cards, or false where the whole view is needed.
export function fold(event) {
  const { view } = game;
  if (event.seq <= view.seq) return [];
  try {
    const ways = event.seq === view.seq + 1 && FOLD[event.event](event, event.seat + event.slot);
    if (ways !== false) view.seq = event.seq;
    return ways ?? [];
  } catch {
    return false; // it is not known, or does not fit what was seen
  }
}
