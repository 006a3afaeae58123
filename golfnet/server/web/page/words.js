// What the page says: cards, events, questions and rules, each as a sentence for its viewer.

import { seatIn } from "./fold.js";

const SUITS = { S: ["♠", "spades"], H: ["♥", "hearts"], D: ["♦", "diamonds"], C: ["♣", "clubs"] };
const RANKS = {
  0: "zero", 1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine",
  10: "ten", A: "ace", J: "jack", Q: "queen", K: "king", "*": "joker",
};
const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

export const number = (n) => NUMBERS[n] || String(n);
export const counted = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
export const rank = (card) => (card === "*" ? "★" : card.slice(0, -1));
export const suit = (card) => (card === "*" ? "" : SUITS[card.at(-1)][0]);
export const sign = (card) => rank(card) + suit(card);
export const word = (card) => (card === "*" ? "joker" : `${RANKS[card.slice(0, -1)]} of ${SUITS[card.at(-1)][1]}`);
export const listed = (names, last = "and") =>
  (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${last} ${names.at(-1)}`);
const capital = (sentence) => sentence && sentence[0].toUpperCase() + sentence.slice(1);

// --- events, as told to the viewer of `view`

let view = null;
const isMe = (letter) => letter === view.you;
const who = (letter) => (isMe(letter) ? "You" : (seatIn(view, letter) || { name: letter }).name);
const place = (at, by) => `${isMe(at[0]) ? "your" : at[0] === by ? "their" : `${who(at[0])}’s`} card ${at.slice(1)}`;
const places = (at, by) => listed(at.map((one) => place(one, by)));
const soon = (ms) => counted(Math.ceil(ms / 1000), "second");
const named = (points) => points.map((point, n) => `${view.seats[n].name} ${point}`);
const none = () => "";

const EVENTS = {
  seated: (e) => `${e.name} sat down.`, left: (e) => `${e.name} left.`, returned: (e) => `${e.name} is back.`,
  dropped: (e) => `${e.name} lost the connection; the seat is kept.`, house_plays: (e) => `A bot is now playing for ${e.name}.`,
  watching: (e) => `${e.name} is watching.`, host: (e) => `${e.name} is now the host.`, ready: (e) => `${e.name} is ready.`,
  filling: (e) => (e.ms ? `Bots take the free seats in ${soon(e.ms)}.` : ""),
  clock: (e) => `${who(e.seat)}: ${soon(e.ms)} left.`, timed_out: (e) => `${who(e.seat)} ran out of time.`,
  paused: () => "The game is paused.", resumed: () => "The game continues.", closed: (e) => `The table is closed: ${e.reason}.`,
  match_started: () => "The match begins.", hole_started: (e) => `Hole ${e.hole}.`, dealt: () => "The cards are dealt.",
  peeked: (e) => (e.cards ? e.cards.map((card, n) => `${place(e.at[n])} is the ${word(card)}.`).join(" ")
    : `${who(e.seat)} looked at ${places(e.at, e.seat)}.`),
  flipped: (e) => `${who(e.seat)} turned up the ${word(e.card)}.`, turn: (e) => (isMe(e.seat) ? "Your turn." : ""),
  drew: (e) => `${who(e.seat)} drew ${e.card ? `the ${word(e.card)}` : "a card"}.`, took: (e) => `${who(e.seat)} took the ${word(e.card)}.`,
  swapped: (e) => `${who(e.seat)} put ${e.card ? `the ${word(e.card)}` : "it"} in slot ${e.slot} and discarded the ${word(e.discard)}.`,
  discarded: (e) => `${who(e.seat)} discarded the ${word(e.card)}.`, declined: (e) => `${who(e.seat)} did not use the power.`,
  knocked: (e) => `${who(e.seat)} knocked. Everybody else has one more turn.`, switched: (e) => `${who(e.seat)} switched ${places(e.at, e.seat)}.`,
  slam_opened: (e) => `Slam? The ${word(e.card)} was discarded.`,
  slammed: (e) => `${who(e.by)} slammed ${place(e.at, e.by)}, the ${word(e.card)}: ` +
    { hit: "right!", wrong: "wrong.", late: "too late." }[e.result],
  penalty: (e) => `${who(e.seat)} got a penalty card.`, gave: (e) => `${who(e.seat)} gave a card away.`,
  reshuffled: () => "The discard pile has been shuffled and is now the stock.",
  hole_ended: (e) => (e.scores ? `The hole is over: ${named(e.scores).join(", ")}.` : "The hole was abandoned."),
  match_ended: (e) => `The match is over: ${named(e.totals).map((one, n) => `${one}, place ${e.places[n]}`).join("; ")}.`,
  passed: none, slam_closed: none, opened: none, cut: none, sealed: none, seals_closed: none, committed: none,
};

export function sentence(of, event) {
  view = of;
  return event.event in EVENTS ? capital(EVENTS[event.event](event)) : "";
}

// --- questions

const LABELS = {
  draw: () => "Draw", take: () => `Take ${view.discard ? sign(view.discard) : ""}`,
  discard: () => `Discard ${view.drawn ? sign(view.drawn) : ""}`, knock: () => "Knock",
  pass: () => (view.phase === "flip" ? "Turn up none" : "Pass"),
  decline: () => "Do nothing", ready: () => "Ready", start: () => "Start", rematch: () => "Play again",
  peek: () => "Look at a card", flip: () => "Turn up a card", swap: () => "Put it here", give: () => "Give a card",
  switch: () => "Switch two", slam: () => "Slam a card",
};
const owedByMe = () => (view.owed || [])[view.seats.findIndex((seat) => isMe(seat.seat))] || 1;
const inAll = () => Number(/\d*$/.exec(view.options.start)[0]) || 1;
const atStart = (verb) => (view.phase !== "start" ? `Tap a card to ${verb}.` : inAll() === 1 ? `Tap a card to ${verb}.`
  : `Tap ${number(inAll())} cards to ${verb}: ${inAll() - owedByMe() + 1} of ${inAll()}.`);
const ASKS = {
  swap: () => `You hold ${view.drawn ? sign(view.drawn) : "a card"}. Tap the card to replace.`,
  peek: () => atStart("look at"), flip: () => atStart("turn up"), give: () => "Tap a card to give away.",
  switch: (picked) => `Tap two cards to switch: ${picked + 1} of 2.`,
  slam: () => `Slam? Tap a card like ${view.slam ? sign(view.slam.card) : "it"}, or pass.`,
  take: () => "Tap where the card goes.",
};

export function label(of, line) {
  view = of;
  const verb = line.split(" ")[0];
  return verb in LABELS ? LABELS[verb]() : line;
}

// Return the question for a viewer who may choose cards for `verb`, or who has only buttons.
export function question(of, { verb, picked, verbs, groups }) {
  view = of;
  if (verb && verb !== "flip" && verb !== "take" && ASKS[verb]) return ASKS[verb](picked);
  if (groups > 1) return "Slam? Or use your power.";
  if (verbs.has("decline")) return "Your power: what do you do with it?";
  if (verbs.has("draw") || verbs.has("knock")) {
    const ways = [verbs.has("draw") && "draw", verbs.has("take") && view.discard && `take ${sign(view.discard)}`,
      verb === "flip" && "turn up a card", verbs.has("knock") && "knock"].filter(Boolean);
    return `Your turn: ${listed(ways, "or")}.`;
  }
  if (verb) return ASKS[verb](picked);
  return "";
}

// --- what to say if there is no question

export function standing(of, { startsIn, mayStart, inLine }) {
  view = of;
  const playing = view.turn && seatIn(view, view.turn);
  const missing = view.seats.filter((seat) => seat.present && seat.kind === "human" && !seat.ready).map((seat) => seat.name);
  if (inLine) return inLine;
  if (view.state === "playing") {
    return playing && !isMe(view.turn) ? `${playing.name} is playing.` : view.phase === "start" ? "The others are choosing their cards." : "";
  }
  if (view.state === "finished") return `${winners(view)} with ${Math.min(...view.seats.map((seat) => seat.total))}!`;
  if (view.state === "between") return view.scores.length ? holeResult(view) : "The next hole will be dealt soon.";
  if (startsIn) return `The match begins in ${soon(startsIn)}.`;
  const [least] = String(view.options.seats).split("-");
  if (view.seats.length < Number(least)) return "Invite others, or add a bot.";
  if (mayStart) return "Start when everybody is here.";
  if (missing.includes(seatIn(view, view.you)?.name)) return "Say that you are ready.";
  return `Waiting for ${listed(missing.length ? missing : view.seats.filter((seat) => seat.host).map((seat) => seat.name))}.`;
}

function winners({ seats, you }) {
  const best = Math.min(...seats.map((seat) => seat.total));
  const first = seats.filter((seat) => seat.total === best).map((seat) => (seat.seat === you ? "You" : seat.name));
  return `${listed(first)} ${first.length > 1 ? "share first place" : first[0] === "You" ? "win" : "wins"}`;
}

function holeResult({ seats, scores, you }) {
  const last = scores.at(-1), best = Math.min(...last);
  const first = seats.filter((_, n) => last[n] === best).map((seat) => (seat.seat === you ? "you" : seat.name));
  return `Hole ${scores.length} goes to ${listed(first)} with ${best}.`;
}

// --- rules in short

const CANCELS = {
  column: "Equal cards in a column cancel: they count 0.", anywhere: "Two equal cards cancel: they count 0.",
  all: "Equal cards cancel: they count 0.", none: "",
};

export function rulesInShort({ rows, columns, holes, target, start, values, cancel, deck, jokers, knock, slam, power, turns, final_turn }) {
  const [, does, , cards] = /^(peek|flip)-(bottom|any)-(\d+)$/.exec(start) || [];
  const there = (name) => (name === "*" ? jokers > 0 : !(deck === "numbered" ? "AK" : "01").includes(name));
  const odd = Object.entries(values).filter(([name, points]) => there(name) && name !== String(points))
    .map(([name, points]) => `${name === "*" ? "joker" : name} = ${points}`);
  return [
    `${capital(number(rows * columns))} cards lie face down in front of you. The lowest total ` +
      (target ? `wins, once somebody has ${target}.` : `after ${holes === 1 ? "one hole" : `${holes} holes`} wins.`),
    does ? `First you ${does === "peek" ? "look at" : "turn up"} ${number(Number(cards))} of them.` : "",
    "On your turn, draw a card or take the face-up one, and swap it for one of yours.",
    slam === "off" ? "" : "When a card is discarded, be the first to slam one like it.",
    power === "off" ? "" : `Discard ${listed(power.match(/10|./g).filter(there), "or")} to look at a card or switch two.`,
    turns ? `The hole ends after ${turns} turns each.` : knock ? "Knock when you think you are lowest; the others have one more turn."
      : `The hole ends when all of somebody’s cards are face up${final_turn ? "; the others have one more turn" : ""}.`,
    `Points: ${odd.join(", ")}, others their number. ${CANCELS[cancel]}`,
  ].filter(Boolean);
}
