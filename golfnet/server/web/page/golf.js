// The phone page, a GNP/1 client, starts here. Nothing from the server is ever turned into markup.

import { verdict, witness } from "./deal.js";
import { $, hooks, recall, remember, show } from "./elements.js";
import { forget, game, happened, lines, offered, take } from "./game.js";
import { closeLine, connect, isOpen, list, send } from "./line.js";
import { join, refreshLobby, titleOf } from "./lobby.js";
import { ask, eveningSheet, inviteSheet, ladderSheet, rulesSheet, scoreSheet, settingsSheet } from "./sheets.js";
import { draw } from "./table.js";

const LOG_LINES = 60, CHAT_LINES = 40;
const UNSAID = ["opened", "cut", "sealed", "seals_closed", "committed"]; // events about what the page does by itself
let token = recall("token"), wanted = "", player = "", ended = null, unread = 0, wasMine = false, audio = null;

// --- logging in

// After one of these goodbyes, the page reconnects only if the player asks for it.
const isOut = () => ["TAKEN_OVER", "KICKED", "FLOOD"].includes(ended?.code);
const opened = () => send(token ? `resume ${token}` : `name ${wanted}`, entered);

function entered(answer) {
  if (answer.type === "error") {
    const isOld = token && answer.code === "BAD_TOKEN";
    if (isOld) remember("token", (token = null));
    wanted = isOld ? wanted || player : "";
    if (wanted) return opened(); // log in anew with the same name
    leave();
    return alarm(answer.message);
  }
  player = answer.name;
  ended = null;
  alarm("");
  if (answer.token) remember("token", (token = answer.token));
  if (!answer.table) { forget(); arrive(); }
  else if (!$("log").children.length) list(`moves ${answer.table}`, (rows) => rows.forEach(logged));
  refreshLobby();
  changed();
}

function leave() {
  wanted = player = "";
  closeLine();
  forget();
}

function leaveTable() {
  send(game.view.you || game.inLine ? "leave" : "unwatch", (it) => { if (it.type === "ok") forget(); });
}

function forgetMe() {
  remember("token", (token = null));
  send("quit");
  leave();
}

// Join the table of an invitation, if the address has one.
function arrive() {
  const [, table, word] = /^#(t\d{1,9})(?::(.*))?$/.exec(location.hash) || [];
  if (!table) return;
  history.replaceState(null, "", "/");
  join(table, false, word && decodeURIComponent(word));
}

// Report a lost connection, and the taps that will now never be answered.
function lost() {
  const taps = [...game.tapped.keys()].join(", ");
  const dropped = taps && ` Your last tap (${taps}) was not answered.`;
  game.tapped.clear();
  alarm(isOut() ? `${ended.message} Tap here to come back.` : `Connection lost – trying again.${dropped}`);
  changed();
}

// --- messages from the server

function told(it) {
  happened(it);
  if (it.text && !UNSAID.includes(it.event)) said(it.text);
  const found = it.event === "hole_ended" && it.table === game.view?.table ? verdict(it) : "";
  if (!found) return;
  show($("deal"), /^[✓!]/.test(found) && found);
  if (found[0] !== "✓") said(found);
  if (found[0] === "!") alarm(found);
}

function noticed({ code, text, table, from, place }) {
  if (code === "IN_LINE") game.inLine = place ? text : "";
  if (code === "INVITED" && !game.view) ask("invited-sheet", () => join(table), `${from} invites you`);
  logged(text);
  changed();
}

function add(id, sentence, most) {
  $(id).prepend(Object.assign(document.createElement("li"), { textContent: sentence }));
  while ($(id).children.length > most) $(id).lastChild.remove();
}

const logged = (sentence) => add("log", sentence, LOG_LINES);

let recent = [], due = 0;
function said(sentence) {
  logged(sentence);
  recent.push(sentence);
  due ||= setTimeout(() => { show($("last"), recent.slice(-3).join(" ")); recent = []; due = 0; }, 100);
}

function talked({ from, to, text }) {
  add("chat", `${from}${to === "lobby" ? " (to all)" : to === player ? " (to you)" : ""}: ${text}`, CHAT_LINES);
  if ($("talk").offsetParent === null) unread += 1;
  changed();
}

let fades = 0;
function alarm(sentence) {
  show($("alarm"), sentence);
  clearTimeout(fades);
  if (sentence && isOpen()) fades = setTimeout(() => show($("alarm")), 6000);
}

// --- drawing

function chime() {
  audio ||= new AudioContext();
  const tone = new OscillatorNode(audio, { frequency: 660 }), volume = new GainNode(audio, { gain: 0.08 });
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.4);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.4);
}

function changed(ways) {
  const { view } = game, { hole, holes, variant, state, slam } = view || {}, of = holes ? ` of ${holes}` : "";
  const isMine = state === "playing" && lines().length > 0;
  const place = view ? "table" : player ? "lobby" : token ? "way" : "door";
  Object.assign(document.body.dataset, { place, slam: Boolean(slam && !slam.won), lost: player && !isOpen() });
  if (view) draw(ways);
  show($("where"), view ? (hole ? `Hole ${hole}${of} · ` : "") + titleOf(variant) : player || "golfnet");
  if (!view) show($("deal"));
  show($("talk-button"), unread ? `Chat (${unread})` : "Chat");
  document.title = isMine ? "● Your turn – golfnet" : "golfnet";
  if (isMine && !wasMine && document.body.dataset.sound === "on") chime();
  wasMine = isMine;
}

// --- taps outside the table, and keys

const MENU = {
  rules: () => rulesSheet({ ...game.view, name: game.view.you ? "" : game.view.variant }, titleOf(game.view.variant)),
  scores: scoreSheet, invite: inviteSheet, ladder: ladderSheet, evening: eveningSheet,
  settings: () => settingsSheet(forgetMe), leave: () => ask("leave-sheet", leaveTable),
};

$("name-form").onsubmit = (event) => {
  event.preventDefault();
  wanted = $("name").value.trim();
  ended = null;
  connect();
};
// Send a typed line as chat, or as a command if it begins with a colon.
$("line-form").onsubmit = (event) => {
  event.preventDefault();
  const line = $("line").value.trim(), row = (one) => (typeof one === "string" ? one : Object.values(one).join(" · "));
  $("line").value = "";
  if (line) send(line[0] === ":" ? line.slice(1) : `${game.view ? "say" : "shout"} ${line}`, (it) => {
    if (it.rows) it.rows.forEach((one) => said(row(one))); else if (it.message || it.note) alarm(it.message || it.note);
  });
};
$("talk-button").onclick = () => { document.body.classList.toggle("talking"); unread = 0; changed(); };
$("menu").onclick = () => ask("menu-sheet", (place) => MENU[place]());
$("invite").onclick = inviteSheet;
$("alarm").onclick = () => { ended = null; connect(); };
document.addEventListener("click", ({ target }) => { if (target.localName === "dialog") target.close(); });
// Press the button, or the player's own card, whose shortcut is this key.
document.addEventListener("keydown", (event) => {
  const { altKey, ctrlKey, metaKey, target } = event, key = event.key === " " ? "Space" : event.key.toUpperCase();
  const isOther = altKey || ctrlKey || metaKey || target.matches("input, select, dialog *");
  const found = document.querySelector(`#mine [aria-keyshortcuts~="${CSS.escape(key)}"]:not([hidden])`);
  if (!game.view || !found || isOther || (key === "Space" && target.matches("button"))) return;
  event.preventDefault();
  found.click();
});
addEventListener("hashchange", arrive);
Object.assign(hooks, {
  changed, alarm, opened, lost, isWanted: () => Boolean(token || wanted) && !isOut(),
  found: () => { alarm(""); changed(); }, view: (it) => { take(it); witness(); }, event: told, prompt: offered,
  chat: talked, notice: noticed, error: (it) => alarm(it.message), bye: (it) => { ended = it; },
});
connect();
setInterval(() => {
  const { clock } = game, left = clock ? clock.until - Date.now() : 0;
  $("clock").style.width = left > 0 ? `${(100 * left) / clock.whole}%` : "0";
  if (left > 9500 && left <= 10000 && clock.whole > 20000) alarm("10 seconds left.");
}, 250);
changed();
