// A client of GNP/1 for phones. It knows no rule: what can be tapped, and what the buttons do, are the lines of the
// last prompt, and what lies on the table is what fold.js makes of the events. Nothing that comes from the server is ever
// made into markup.
"use strict";

const $ = (id) => document.getElementById(id);
const SUITS = { S: ["♠", "spades"], H: ["♥", "hearts"], D: ["♦", "diamonds"], C: ["♣", "clubs"] };
const RANKS = {
  0: "zero", 1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine",
  10: "ten", A: "ace", J: "jack", Q: "queen", K: "king", "*": "joker",
};
const LOOK_MS = 300; // between two looks; the server takes ten commands a second
const LOG_LINES = 60;
const FORGET = "Forget me on this phone";
const GIVE_UP = ["TAKEN_OVER", "KICKED", "FLOOD"]; // who is sent off with these does not come back by itself

let socket = null, token = null, wanted = "", player = "", wait = 500;
let view = null, next = 0, lookDue = 0, looked = 0, missed = 0, ended = "";
let mode = null, picked = [], until = 0, whole = 0;
const answers = new Map(); // what to do with the answer to a command, by its id
let rules = [], spoken = [], speakDue = 0;

// --- words

const sign = (card) => (card === "*" ? "★" : card.slice(0, -1) + SUITS[card.at(-1)][0]);
const word = (card) => (card === "*" ? "joker" : `${RANKS[card.slice(0, -1)]} of ${SUITS[card.at(-1)][1]}`);
const seatOf = (letter) => view && seatIn(view, letter);
const who = (letter) => (view && letter === view.you ? "You" : (seatOf(letter) || { name: letter }).name);
const whose = (letter) => (view && letter === view.you ? "your" : `${who(letter)}’s`);
const place = (at) => `${whose(at[0])} card ${at.slice(1)}`;
const did = (letter, own, other) => (view && letter === view.you ? `You ${own}` : `${who(letter)} ${other}`);

const EVENTS = {
  seated: (e) => `${e.name} sits down.`,
  left: (e) => `${e.name} leaves.`,
  dropped: (e) => `${e.name} has lost the connection; the seat is kept.`,
  returned: (e) => `${e.name} is back.`,
  house_plays: (e) => `A bot plays for ${e.name} now.`,
  watching: (e) => `${e.name} is watching.`,
  host: (e) => `${e.name} is the host now.`,
  ready: (e) => `${e.name} is ready.`,
  filling: (e) => (e.ms ? `Bots take the free seats in ${Math.ceil(e.ms / 1000)} seconds.` : ""),
  clock: (e) => `${did(e.seat, "have", "has")} ${Math.ceil(e.ms / 1000)} seconds left.`,
  timed_out: (e) => `${did(e.seat, "ran", "ran")} out of time.`,
  paused: () => "The game is paused.",
  resumed: () => "The game continues.",
  closed: (e) => `The table is closed: ${e.reason}.`,
  match_started: () => "The match begins.",
  hole_started: (e) => `Hole ${e.hole}.`,
  dealt: () => "The cards are dealt.",
  peeked: (e) => (e.cards ? e.cards.map((card, n) => `${place(e.at[n])} is the ${word(card)}.`).join(" ")
    : `${did(e.seat, "look", "looks")} at ${e.at.map(place).join(" and ")}.`),
  flipped: (e) => `${did(e.seat, "turn", "turns")} up card ${e.slot}: ${word(e.card)}.`,
  turn: (e) => (view && e.seat === view.you ? "Your turn." : ""),
  drew: (e) => (e.card ? `You drew the ${word(e.card)}.` : `${who(e.seat)} draws.`),
  took: (e) => `${did(e.seat, "take", "takes")} the ${word(e.card)}.`,
  swapped: (e) => `${did(e.seat, "put", "puts")} ${e.card ? `the ${word(e.card)}` : "it"} in place ${e.slot} and ` +
    `${view && e.seat === view.you ? "discard" : "discards"} the ${word(e.discard)}.`,
  discarded: (e) => `${did(e.seat, "discard", "discards")} the ${word(e.card)}.`,
  passed: () => "",
  declined: (e) => `${did(e.seat, "do not use", "does not use")} the power.`,
  knocked: (e) => `${did(e.seat, "knock", "knocks")}. Everybody else has one more turn.`,
  switched: (e) => `${did(e.seat, "switch", "switches")} ${e.at.map(place).join(" with ")}.`,
  slam_opened: (e) => `Slam? The ${word(e.card)} was discarded.`,
  slam_closed: () => "",
  slammed: (e) => ({
    hit: `${did(e.by, "slam", "slams")} ${place(e.at)}: the ${word(e.card)}. Right!`,
    late: `${did(e.by, "were", "was")} too late with the ${word(e.card)}.`,
    wrong: `${did(e.by, "slam", "slams")} ${place(e.at)}: the ${word(e.card)}. Wrong.`,
  })[e.result],
  penalty: (e) => `${did(e.seat, "get", "gets")} a penalty card.`,
  gave: (e) => `${did(e.seat, "give", "gives")} a card away.`,
  reshuffled: () => "The discard pile is shuffled and becomes the stock.",
  hole_ended: (e) => (e.scores ? `The hole is over: ${e.scores.map((score, n) => `${view.seats[n].name} ${score}`).join(", ")}.`
    : "The hole was broken off."),
  match_ended: (e) => `The match is over: ${e.totals.map((total, n) =>
    `${view.seats[n].name} ${total}, place ${e.places[n]}`).join("; ")}.`,
  opened: () => "", cut: () => "", sealed: () => "", seals_closed: () => "", committed: () => "",
};

const LABELS = {
  draw: () => "Draw", take: () => `Take ${view.discard ? sign(view.discard) : ""}`,
  discard: () => `Discard ${view.drawn ? sign(view.drawn) : ""}`, pass: () => "Pass", knock: () => "Knock",
  decline: () => "Do nothing", ready: () => "Ready", start: () => "Start", rematch: () => "Play again",
  peek: () => "Look at a card", flip: () => "Turn up a card", swap: () => "Put it here", give: () => "Give a card",
  switch: () => "Switch two cards", slam: () => "Slam a card",
};
const ASKS = {
  draw: () => "Your turn.", swap: () => `You hold ${view.drawn ? sign(view.drawn) : "a card"}: tap a card to swap.`,
  peek: () => "Tap a card to look at it.", flip: () => "Tap a card to turn it up.", give: () => "Tap a card to give away.",
  switch: () => (picked.length ? "Tap the other card." : "Tap two cards to switch."),
  slam: () => `Same as ${view.discard ? sign(view.discard) : "it"}? Tap it, or pass.`, take: () => "Tap where the card goes.",
  ready: () => (view.state === "between" ? "The hole is over." : "Waiting for players."),
  start: () => "Start when everybody is here.", rematch: () => "The match is over.",
};

// --- the connection

const remember = (key, value) => { try { value ? localStorage.setItem(key, value) : localStorage.removeItem(key); } catch {} };
const recall = (key) => { try { return localStorage.getItem(key); } catch { return null; } };

function connect() {
  if (socket || !(token || wanted)) return;
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/lines`);
  socket.onopen = () => {
    answers.clear();
    socket.send("hello 1 client=web/1");
    if (token) send(`resume ${token}`, enter); else send(`name ${wanted}`, enter);
  };
  socket.onmessage = ({ data }) => { if (data.startsWith("{")) receive(JSON.parse(data)); };
  socket.onclose = () => {
    socket = null;
    if (!GIVE_UP.includes(ended) && (token || wanted)) {
      alarm("The connection is lost. Trying again…");
      setTimeout(comeBack, (wait = Math.min(wait * 2, 8000)));
    }
    draw();
  };
}

function comeBack() { if (document.visibilityState === "visible") connect(); }

function send(line, then) {
  if (!socket || socket.readyState !== 1) return;
  const id = ++next;
  if (then) answers.set(id, then);
  socket.send(`${id} ${line}`);
}

function enter(answer) {
  if (answer.type === "error") {
    const stale = answer.code === "BAD_TOKEN";
    if (stale && token) { token = null; remember("token", null); }
    if (stale && wanted) return send(`name ${wanted}`, enter);
    wanted = "";
    alarm(answer.message);
    socket.close();
    return draw();
  }
  player = answer.name;
  wait = 500;
  ended = "";
  alarm("");
  if (answer.token) { token = answer.token; remember("token", token); }
  if (!answer.table) { view = null; refreshLobby(); }
  draw();
}

function receive(it) {
  const then = answers.get(it.id);
  if (it.type === "ok" || it.type === "error") answers.delete(it.id);
  if (it.type === "rows" && then) return then(it);
  if (it.type === "ok") { if (then) then(it); return; }
  if (it.type === "error") {
    (then || oops)(it);
  } else if (it.type === "view") {
    if (!view || it.table !== view.table || it.seq >= view.seq) take(it);
  } else if (it.type === "event") {
    happened(it);
  } else if (it.type === "prompt") {
    if (view && it.table === view.table) offered(it);
  } else if (it.type === "chat") {
    note(`${it.from}: ${it.text}`);
  } else if (it.type === "ping") {
    socket.send(`pong ${it.key}`);
  } else if (it.type === "notice" && it.code !== "GREETING") {
    note(it.text);
  } else if (it.type === "bye") {
    ended = it.code;
    alarm(it.message);
  }
}

// Ask for a whole view, which has to tell what has happened up to a number.
function look(seq, after = 0) {
  missed = seq;
  if (lookDue || !view) return;
  lookDue = setTimeout(() => {
    lookDue = 0;
    looked = Date.now();
    send(`look ${view ? view.table : ""}`, (it) => { if (it.code === "RATE_LIMITED") look(missed, it.wait_ms); });
  }, Math.max(after, looked + LOOK_MS - Date.now()));
}

function take(it) {
  if (!view || it.table !== view.table || it.seq !== view.seq) glimpses.clear(); // the cards may have moved meanwhile
  view = it;
  if (view.seq >= missed) { clearTimeout(lookDue); lookDue = 0; }
  startClock();
  draw();
}

function happened(event) {
  if (!view || event.table !== view.table) return;
  note((EVENTS[event.event] || (() => ""))(event));
  if (event.event === "closed" || (event.event === "left" && event.seat && event.seat === view.you)) {
    view = null;
    refreshLobby();
  } else {
    const { clock, slam } = view;
    if (!fold(view, event)) look(event.seq);
    if (view.clock !== clock || view.slam !== slam) startClock();
    if (event.cards || event.event === "slammed") setTimeout(draw, GLIMPSE_MS + 50);
  }
  draw();
}

function offered(prompt) {
  if (prompt.seq > view.seq) look(prompt.seq);
  Object.assign(view, { actions: prompt.actions, targets: prompt.targets, phase: prompt.phase });
  if (view.state === "playing" && prompt.ms && !view.slam) {
    view.clock = { seat: view.you, ms: prompt.ms };
    startClock();
  }
  if (!choices().has(mode)) mode = null;
  picked = picked.filter((at) => view.targets.includes(at));
  draw();
}

// --- what can be tapped

// After a slam has succeeded a further one can only be late: nobody is asked for it.
const isLate = (line) => view.slam && view.slam.won && /^(slam|pass)$/.test(line);
const lines = () => (view ? view.actions.filter((line) => !isLate(line)) : []);
const position = (text) => (/^\d/.test(text) ? view.you + text : text);

// What asks for cards: by verb the positions that it takes, and how many of them.
function choices() {
  const found = new Map();
  const all = lines();
  for (const line of all) {
    const [verb, at, more] = line.split(" ");
    if (verb === "slam" || verb === "switch") found.set(verb, { at: new Set(view.targets), needs: verb === "slam" ? 1 : 2 });
    else if (at && !more && !(verb === "take" && all.includes("take"))) {
      if (!found.has(verb)) found.set(verb, { at: new Set(), needs: 1 });
      found.get(verb).at.add(position(at));
    }
  }
  return found;
}

function chosen(asked) { return mode && asked.has(mode) ? mode : asked.size === 1 ? [...asked.keys()][0] : null; }

function act(line) {
  const verb = line.split(" ")[0];
  // What others choose at the start changes nothing about one's own choices, which may follow quickly.
  const always = ["ready", "start", "rematch"].includes(verb) || view.phase === "start";
  send(verb === "slam" ? `${line} #${view.discard_no}` : always ? line : `${line} at=${view.seq}`, refused);
  mode = null;
  picked = [];
  alarm("");
}

function refused(answer) {
  if (answer.code === "STALE") alarm("Something has just changed. Look, and tap again.");
  else oops(answer);
}

function tap(at) {
  const asked = choices(), verb = chosen(asked);
  if (!verb || !asked.get(verb).at.has(at)) return;
  const own = at[0] === view.you ? at.slice(1) : at;
  if (asked.get(verb).needs === 1) return act(`${verb} ${own}`);
  picked = picked.includes(at) ? picked.filter((one) => one !== at) : [...picked, at];
  if (picked.length === 2) act(`${verb} ${picked.join(" ")}`);
  draw();
}

// --- drawing: elements are kept, so that focus stays where it is, in the order in which they are asked for

function keep(parent, key, tag) {
  let element = [...parent.children].find((child) => child.dataset.key === key);
  if (!element) {
    element = document.createElement(tag);
    element.dataset.key = key;
    parent.append(element);
  }
  const here = [...parent.children].find((child) => !("kept" in child.dataset));
  if (here && here !== element) parent.insertBefore(element, here);
  element.dataset.kept = "";
  return element;
}

function sweep(parent) {
  for (const child of [...parent.children]) {
    if ("kept" in child.dataset) delete child.dataset.kept; else child.remove();
  }
}

const text = (element, words) => { if (element.textContent !== words) element.textContent = words; };

function drawCard(parent, key, slot, options) {
  const card = keep(parent, key, "button");
  card.type = "button";
  const glimpse = glimpses.get(key);
  const seen = glimpse && glimpse.until > Date.now() ? glimpse.card : slot.length > 1 && slot[0] === "?" ? slot.slice(1) : null;
  const face = seen || (slot !== "?" && slot !== "-" ? slot : null);
  card.className = ["card", slot === "-" && "empty", !face && slot !== "-" && "down", seen && "seen",
    face && /[HD]$/.test(face) && "red", options.lit && "lit", picked.includes(key) && "chosen"].filter(Boolean).join(" ");
  text(card, face ? sign(face) : slot === "-" ? "–" : options.back);
  card.setAttribute("aria-label", `${options.name}: ${face ? word(face) : slot === "-" ? "empty" : "face down"}`);
  card.setAttribute("aria-disabled", String(!options.lit));
  card.onclick = options.tap;
}

function drawSeat(parent, seat, asked) {
  const box = keep(parent, seat.seat, "section");
  box.className = view.turn === seat.seat && view.state === "playing" ? "seat turn" : "seat";
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", seat.seat === view.you ? "Your cards" : `${seat.name}’s cards`);
  const caption = keep(box, "caption", "h3");
  const away = seat.present ? "" : " (away)";
  text(caption, `${view.turn === seat.seat ? "▸ " : ""}${seat.seat === view.you ? "You" : seat.name}${away} · ${seat.total}`);
  const cards = keep(box, "cards", "div");
  cards.className = "cards";
  if (!parent.classList.contains("many")) cards.style.gridTemplateColumns = `repeat(${view.options.columns}, max-content)`;
  const verb = chosen(asked);
  seat.slots.forEach((slot, n) => {
    const at = `${seat.seat}${n + 1}`;
    const name = seat.seat === view.you ? `Your card ${n + 1}` : `${seat.name}, card ${n + 1}`;
    const lit = Boolean(verb) && asked.get(verb).at.has(at);
    drawCard(cards, at, slot, { back: String(n + 1), name, lit, tap: () => tap(at) });
  });
  sweep(cards);
  sweep(box);
}

function drawPile(key, caption, slot, name, line) {
  const figure = keep($("piles"), key, "figure");
  drawCard(figure, key, slot, { back: "▒", name, lit: line !== null && lines().includes(line), tap: () => {
    if (line !== null && lines().includes(line)) act(line);
  } });
  text(keep(figure, "caption", "figcaption"), caption);
  sweep(figure);
}

function drawTable() {
  const asked = choices();
  const others = view.seats.filter((seat) => seat.seat !== view.you);
  const reach = [...asked.values()].some((one) => [...one.at].some((at) => at[0] !== view.you));
  $("others").className = others.length > 2 ? (reach ? "many reach" : "many") : "";
  others.forEach((seat) => drawSeat($("others"), seat, asked));
  sweep($("others"));
  if (view.hole !== null && view.state !== "open") {
    drawPile("stock", `stock ${view.stock}`, view.stock ? "?" : "-", "Stock, draw a card", "draw");
    drawPile("discard", "discard", view.discard || "-", "Discard pile, take its card", "take");
    if (view.drawn && view.holding === view.you) drawPile("drawn", "you hold", view.drawn, "The card you hold, discard it", "discard");
    else if (view.holding) drawPile("drawn", `${who(view.holding)} holds`, view.drawn || "?", "The card in hand", null);
  }
  sweep($("piles"));
  const own = seatOf(view.you);
  if (own) drawSeat($("own"), own, asked);
  sweep($("own"));
  const verb = chosen(asked) || (asked.size ? null : (lines()[0] || "").split(" ")[0]);
  const waits = view.state === "open" ? `Waiting for players. Others join with: join ${view.table}` : "";
  const mine = verb && ASKS[verb] ? ASKS[verb]() : asked.size ? "Choose what to do." : "";
  text($("headline"), mine || waits || (view.state === "playing" && view.turn && view.turn !== view.you ? `${who(view.turn)} is playing.` : ""));
  drawScores();
  drawBar(asked);
}

function drawBar(asked) {
  const bar = $("bar"), current = chosen(asked);
  const add = (key, label, press, main) => {
    const button = keep(bar, key, "button");
    text(button, label);
    button.className = main ? "main" : "";
    button.onclick = press;
  };
  for (const line of lines()) {
    const [verb, at] = line.split(" ");
    if (!at && !asked.has(verb)) add(line, LABELS[verb] ? LABELS[verb]() : line, () => act(line), ["draw", "ready", "start", "rematch"].includes(verb));
  }
  if (asked.size > 1) for (const verb of asked.keys()) {
    if (verb !== current) add(`mode ${verb}`, LABELS[verb](), () => { mode = verb; picked = []; draw(); });
  }
  if (view.state === "open" && view.seats.some((seat) => seat.seat === view.you && seat.host)) add("bot", "Add a bot", () => send("bot"));
  if (view.state !== "playing") add("leave", view.you ? "Leave" : "Stop watching", () => {
    send(view.you ? "leave" : "unwatch", (answer) => { if (answer.type === "ok") { view = null; refreshLobby(); draw(); } });
  });
  sweep(bar);
}

function drawScores() {
  const body = $("scores").tBodies[0];
  const add = (key, name, scores, sum) => {
    const row = keep(body, key, "tr");
    text(keep(row, "name", "th"), name);
    scores.forEach((score, hole) => text(keep(row, `h${hole}`, "td"), score));
    text(keep(row, "sum", "td"), sum);
    sweep(row);
  };
  if (view.scores.length) {
    add("holes", "Hole", view.scores.map((_, hole) => String(hole + 1)), "total");
    view.seats.forEach((seat, n) => add(seat.seat, seat.name, view.scores.map((scores) => String(scores[n] ?? "–")), `= ${seat.total}`));
  }
  sweep(body);
}

function draw() {
  const inside = Boolean(player) && Boolean(socket);
  $("enter").hidden = Boolean(token || wanted) && (inside || Boolean(token));
  $("lobby").hidden = !inside || Boolean(view);
  $("table").hidden = !view;
  $("news").hidden = !player;
  $("forget").hidden = Boolean(view); // nothing that moves at a table may end it
  if (view) drawTable(); else { $("bar").replaceChildren(); }
  const hole = view && view.hole ? ` · hole ${view.hole}${view.holes ? ` of ${view.holes}` : ""}` : "";
  text($("where"), view ? `${view.variant}${hole}` : player);
}

function note(sentence) {
  if (!sentence) return;
  sentence = sentence[0].toUpperCase() + sentence.slice(1);
  const item = document.createElement("li");
  item.textContent = sentence;
  $("log").prepend(item);
  while ($("log").children.length > LOG_LINES) $("log").lastChild.remove();
  spoken.push(sentence);
  speakDue ||= setTimeout(() => { text($("spoken"), spoken.join(" ")); spoken = []; speakDue = 0; }, 250);
}

let alarmDue = 0;
function alarm(sentence) {
  text($("alarm"), sentence);
  clearTimeout(alarmDue);
  if (sentence && socket) alarmDue = setTimeout(() => text($("alarm"), ""), 6000);
}

function startClock() {
  const slam = view.slam && !view.slam.won ? view.slam : null;
  const clock = slam || (view.clock && view.clock.seat === view.you ? view.clock : null);
  whole = clock && clock.ms ? clock.ms : 0;
  until = Date.now() + whole;
}

setInterval(() => {
  const left = whole ? until - Date.now() : 0;
  $("clock").style.width = left > 0 ? `${(100 * left) / whole}%` : "0";
  if (left > 9000 && left <= 10000 && view && view.turn === view.you) alarm("10 seconds left.");
}, 1000);

// --- the lobby

function refreshLobby() {
  send("variants", (it) => { if (it.type === "rows") { rules = it.rows; drawVariants(); } });
  send("tables", (it) => { if (it.type === "rows") drawTables(it.rows); });
}

function drawVariants() {
  for (const rule of rules) text(keep($("variant"), rule.name, "option"), rule.name);
  sweep($("variant"));
  describe();
}

function describe() {
  const rule = rules.find((one) => one.name === $("variant").value);
  text($("about"), rule ? rule.title || "" : "");
}

function drawTables(rows) {
  const list = $("tables");
  for (const row of rows.filter((one) => !one.private)) {
    const item = keep(list, row.table, "li");
    text(keep(item, "what", "span"), `${row.table} · ${row.variant} · ${row.state}`);
    const verb = row.state === "open" ? "join" : "watch";
    const button = keep(item, "go", "button");
    text(button, verb === "join" ? "Join" : "Watch");
    button.onclick = () => send(`${verb} ${row.table}`, oops);
    sweep(item);
  }
  if (!list.children.length || !rows.length) text(keep(list, "none", "li"), "No tables yet. Open one, or play against a bot.");
  sweep(list);
}

const oops = (answer) => { if (answer.type === "error") alarm(answer.message); };
const pace = () => ($("no-clock").checked ? " clock=0" : "");

$("variant").onchange = describe;
$("with-bot").onclick = () => send(`create ${$("variant").value} seats=2${pace()}`, (answer) => {
  if (answer.type === "ok") send("bot", oops); else oops(answer);
});
$("seek").onclick = () => send(`seek ${$("variant").value}${pace()}`, oops);
$("open").onclick = () => send(`create ${$("variant").value}${pace()}`, oops);
setInterval(() => { if (!$("lobby").hidden && document.visibilityState === "visible") refreshLobby(); }, 10000);

$("name-form").onsubmit = (event) => {
  event.preventDefault();
  wanted = $("name").value.trim();
  ended = "";
  connect();
  draw();
};
$("line-form").onsubmit = (event) => {
  event.preventDefault();
  const line = $("line").value.trim();
  const answered = (it) => { if (it.type === "rows") it.rows.forEach((row) => note(typeof row === "string" ? row : JSON.stringify(row)));
    else if (it.note) note(it.note); else oops(it); };
  if (line.startsWith(":")) send(line.slice(1), answered);
  else if (line) send(`${view ? "say" : "shout"} ${line}`, answered);
  $("line").value = "";
};
$("forget").onclick = () => {
  if ($("forget").textContent === FORGET) return text($("forget"), "Tap again to forget this name");
  text($("forget"), FORGET);
  remember("token", null);
  token = null;
  wanted = player = "";
  ended = "TAKEN_OVER";
  if (socket) { send("quit"); socket.close(); }
  view = null;
  draw();
};
document.addEventListener("visibilitychange", comeBack);
document.addEventListener("keydown", (event) => {
  if (!view || event.target.tagName === "INPUT" || event.ctrlKey || event.altKey || event.metaKey) return;
  if (/^[1-9]$/.test(event.key) && view.you) tap(view.you + event.key);
  else if (event.key === " " && lines().includes("pass") && event.target.tagName !== "BUTTON") { event.preventDefault(); act("pass"); }
});

token = recall("token");
connect();
draw();
