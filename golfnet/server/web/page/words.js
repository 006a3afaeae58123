// What the page itself says: cards, choices, and what a table waits for. What happens is told in the server's words.

import { game, mySeat, seatIn, startChoices } from "./fold.js";

const SUITS = { S: ["♠", "spades"], H: ["♥", "hearts"], D: ["♦", "diamonds"], C: ["♣", "clubs"] };
const RANKS = {
  0: "zero", 1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine",
  10: "ten", A: "ace", J: "jack", Q: "queen", K: "king", "*": "joker",
};

export const rank = (card) => (card === "*" ? "★" : card.slice(0, -1));
export const suit = (card) => (card === "*" ? "" : SUITS[card.at(-1)][0]);
export const word = (card) => (card === "*" ? "joker" : `${RANKS[rank(card)]} of ${SUITS[card.at(-1)][1]}`);
const sign = (card) => (card ? rank(card) + suit(card) : "");
export const listed = (names, type = "conjunction") => new Intl.ListFormat("en-GB", { type }).format(names);

// --- questions

const LABELS = {
  draw: () => "Draw", take: ({ discard }) => `Take ${sign(discard)}`, discard: ({ drawn }) => `Discard ${sign(drawn)}`,
  knock: () => "Knock", pass: ({ phase }) => (phase === "flip" ? "Turn up none" : "Pass"), decline: () => "Do nothing",
  ready: () => "Ready", start: () => "Start", rematch: () => "Play again", peek: () => "Look at a card",
  flip: () => "Turn up a card", swap: () => "Put it here", give: () => "Give a card", switch: () => "Switch two",
  slam: () => "Slam a card",
};

export function label(line) {
  const verb = line.split(" ")[0];
  return LABELS[verb] ? LABELS[verb](game.view) : line;
}

// Return the question for a viewer who may choose cards for `verb`, or who has only buttons.
export function question(verb, verbs, groups) {
  const { drawn, discard, slam, phase, owed, seats } = game.view;
  const all = phase === "start" ? startChoices() : 1;
  const count = all > 1 ? `: ${all + 1 - (owed?.[seats.indexOf(mySeat())] || 1)} of ${all}.` : ".";
  const ask = {
    swap: `You hold ${sign(drawn) || "a card"}. Tap the card to replace.`, take: "Tap where the card goes.",
    peek: `Tap a card to look at${count}`, flip: `Tap a card to turn up${count}`, give: "Tap a card to give away.",
    switch: `Tap two cards to switch: ${game.picked.length + 1} of 2.`,
    slam: `Slam? Tap a card like ${sign(slam?.card) || "it"}, or pass.`,
  }[verb];
  if (ask && verb !== "flip" && verb !== "take") return ask;
  if (groups > 1) return "Slam? Or use your power.";
  if (verbs.has("decline")) return "Your power: what do you do with it?";
  if (!verbs.has("draw") && !verbs.has("knock")) return ask || "";
  const ways = [verbs.has("draw") && "draw", verbs.has("take") && discard && `take ${sign(discard)}`,
    verb === "flip" && "turn up a card", verbs.has("knock") && "knock"].filter(Boolean);
  return `Your turn: ${listed(ways, "disjunction")}.`;
}

// --- what to say if there is no question

export function standing(mayStart) {
  const { state, turn, phase, seats, scores, options, you } = game.view, me = mySeat();
  const seconds = Math.ceil((game.startsAt - Date.now()) / 1000), names = (some) => some.map((seat) => seat.name);
  if (game.inLine && !me) return game.inLine;
  if (state === "playing") {
    if (turn && turn !== you) return `${seatIn(turn).name} is playing.`;
    return phase === "start" ? "The others are choosing their cards." : "";
  }
  if (state === "finished") return `The match goes to ${first(seats.map((seat) => seat.total))}!`;
  if (state === "between") {
    const count = scores.length;
    return count ? `Hole ${count} goes to ${first(scores[count - 1])}.` : "The next hole will be dealt soon.";
  }
  if (seconds > 0) return `The match begins in ${seconds} second${seconds === 1 ? "" : "s"}.`;
  if (seats.length < parseInt(options.seats, 10)) return "Invite others, or add a bot.";
  if (mayStart) return "Start when everybody is here.";
  const missing = seats.filter((seat) => seat.present && seat.kind === "human" && !seat.ready);
  if (missing.includes(me)) return "Say that you are ready.";
  return `Waiting for ${listed(names(missing.length ? missing : seats.filter((seat) => seat.host)))}.`;
}

// Return who has the fewest points, and how many.
function first(points) {
  const { seats, you } = game.view, best = Math.min(...points);
  const names = seats.filter((_, n) => points[n] === best).map((seat) => (seat.seat === you ? "you" : seat.name));
  return `${listed(names)} with ${best}`;
}
