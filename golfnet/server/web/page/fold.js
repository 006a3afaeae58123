// Updates what the page knows about its table, event by event. Nothing here draws or asks the server: if `fold`
// returns false, a full view is needed.

export const GLIMPSE_MS = 8000; // how long a face-down card that has been shown stays visible
export const glimpses = new Map(); // these cards, and until when, by position

export const seatIn = (view, letter) => view.seats.find((seat) => seat.seat === letter);
const lying = (view, at) => seatIn(view, at[0]).slots[at.slice(1) - 1];

// A face-down card that this seat has lawfully seen.
const faceDown = (view, card) => (card && view.you && view.options.recall === "always" ? `?${card}` : "?");

// All changes to a slot are made here, so that no glimpse outlives its card.
function put(view, at, card) {
  seatIn(view, at[0]).slots[at.slice(1) - 1] = card;
  glimpses.delete(at);
}

function move(view, from, to) {
  const card = lying(view, from);
  put(view, from, "-");
  put(view, to, card);
}

function reveal(view, at, card) {
  put(view, at, faceDown(view, card));
  glimpses.set(at, { card, until: Date.now() + GLIMPSE_MS });
}

function lay(view, card, number) {
  Object.assign(view, { beneath: view.discard, discard: card, discard_no: number });
}

function letGo(view, card, number) {
  lay(view, card, number);
  Object.assign(view, { holding: null, drawn: null, clock: null });
}

// Count down the start choices that a seat has left.
function chose(view, letter, count) {
  const seat = view.seats.findIndex((one) => one.seat === letter);
  if (view.phase === "start" && view.owed) view.owed = view.owed.map((owed, n) => (n === seat ? owed - count : owed));
}

const nothing = () => {};
const seated = (changes) => (view, e) => { Object.assign(seatIn(view, e.seat), changes); };

const FOLD = {
  dropped: seated({ present: false }),
  returned: seated({ present: true, kind: "human" }),
  house_plays: seated({ kind: "house" }),
  ready: seated({ ready: true }),
  left: (view, e) => {
    if (e.seat && !["playing", "between"].includes(view.state)) return false;
    if (e.seat) Object.assign(seatIn(view, e.seat), { present: false, host: false });
  },
  host: (view, e) => view.seats.forEach((seat) => { seat.host = seat.seat === e.seat; }),
  committed: (view, e) => e.match === view.match,
  hole_started: (view, e) => {
    view.hole = e.hole;
    view.seats.forEach((seat) => { seat.ready = false; });
  },
  dealt: (view, e) => {
    glimpses.clear();
    Object.assign(view, { state: "playing", phase: "start", turn: null, clock: null, slam: null, holding: null, drawn: null,
      stock: e.stock, discard: e.discard || null, discard_no: e.discard_no, beneath: null });
    for (const seat of view.seats) seat.slots = Array(view.options.rows * view.options.columns).fill("?");
    view.owed = view.seats.map(() => Number(/\d*$/.exec(view.options.start)[0]));
  },
  turn: (view, e) => {
    Object.assign(view, { turn: e.seat, phase: "turn", clock: e.ms ? { seat: e.seat, ms: e.ms } : null });
  },
  peeked: (view, e) => {
    if (e.cards && e.seat === view.you) e.at.forEach((at, n) => reveal(view, at, e.cards[n]));
    chose(view, e.seat, e.at.length);
  },
  flipped: (view, e) => {
    put(view, e.seat + e.slot, e.card);
    chose(view, e.seat, 1);
  },
  drew: (view, e) => { Object.assign(view, { stock: e.stock, holding: e.seat, drawn: e.card || null }); },
  took: (view, e) => { Object.assign(view, { discard: view.beneath, beneath: null, holding: e.seat, drawn: e.card }); },
  swapped: (view, e) => {
    put(view, e.seat + e.slot, view.options.placed === "up" && e.card ? e.card : faceDown(view, e.card));
    letGo(view, e.discard, e.discard_no);
  },
  discarded: (view, e) => letGo(view, e.card, e.discard_no),
  switched: (view, { at: [one, other] }) => {
    const card = lying(view, one);
    put(view, one, lying(view, other));
    put(view, other, card);
  },
  slam_opened: (view, e) => { view.slam = { discard_no: e.discard_no, card: e.card, ms: e.ms, won: false }; },
  slam_closed: (view) => { view.slam = null; },
  slammed: (view, e) => {
    if (e.result !== "hit") return reveal(view, e.at, e.card);
    put(view, e.at, "-");
    lay(view, e.card, e.discard_no);
    if (view.slam) view.slam = { ...view.slam, won: true };
  },
  penalty: (view, e) => {
    if (e.from) return move(view, e.from, e.seat + e.slot);
    put(view, e.seat + e.slot, "?");
    view.stock -= 1;
  },
  gave: (view, e) => move(view, e.seat + e.slot, e.to),
  reshuffled: (view, e) => { Object.assign(view, { stock: e.stock, discard: e.discard, beneath: null }); },
  hole_ended: (view, e) => {
    glimpses.clear();
    Object.assign(view, { state: "between", phase: "over", clock: null, slam: null });
    view.seats.forEach((seat, n) => { seat.slots = e.layouts[n]; });
    if (!e.scores || e.reason === "abandoned") return;
    view.seats.forEach((seat, n) => { seat.total = e.totals[n]; });
    view.scores.push(e.scores);
  },
  match_ended: (view) => { view.state = "finished"; },
  opened: nothing, watching: nothing, cut: nothing, sealed: nothing, seals_closed: nothing, filling: nothing,
  clock: nothing, timed_out: nothing, paused: nothing, resumed: nothing, passed: nothing, declined: nothing, knocked: nothing,
};

// Where cards move from and to in an event, as positions and piles; a card that stays in place is turned over.
const MOVES = {
  drew: () => [["stock", "drawn"]], took: () => [["discard", "drawn"]], discarded: () => [["drawn", "discard"]],
  swapped: (e) => [["drawn", e.seat + e.slot], [e.seat + e.slot, "discard"]],
  flipped: (e) => [[e.seat + e.slot, e.seat + e.slot]], peeked: (e) => e.at.map((at) => [at, at]),
  switched: ({ at: [one, other] }) => [[one, other], [other, one]],
  slammed: (e) => [[e.at, e.result === "hit" ? "discard" : e.at]],
  penalty: (e) => [[e.from || "stock", e.seat + e.slot]], gave: (e) => [[e.seat + e.slot, e.to]],
};
export const moves = (event) => (event.event in MOVES ? MOVES[event.event](event) : []);

// Apply an event to the view; return whether the event was enough for that.
export function fold(view, event) {
  if (event.seq <= view.seq) return true;
  const step = event.seq === view.seq + 1 && FOLD[event.event];
  try {
    if (!step || step(view, event) === false) return false;
  } catch {
    return false; // it does not match what was seen
  }
  view.seq = event.seq;
  return true;
}
