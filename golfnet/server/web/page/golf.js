// The phone page, a GNP/1 client, starts here. Nothing from the server is ever turned into markup.

import { witness } from "./deal.js";
import { $, hooks, recall, remember, show } from "./elements.js";
import { game } from "./fold.js";
import { beginLine, closeLine, connect, isOpen, isUp, list, send } from "./line.js";
import { beginLobby, join, refreshLobby, titleOf } from "./lobby.js";
import { act, drop, forget, happened, hint, lines, offered, startIn, take, tap } from "./play.js";
import { applySettings, button, choice, closeSheet, settings, settingsSheet, sheet } from "./sheets.js";
import { eveningSheet, inviteSheet, ladderSheet, leaveSheet, rulesSheet, scoreSheet } from "./sheets.js";
import { draw } from "./table.js";

const LOG_LINES = 60, CHAT_LINES = 40;
const UNSAID = ["opened", "cut", "sealed", "seals_closed", "committed"]; // what the page does by itself
const KEYS = { d: "draw", t: "take", x: "discard", k: "knock", p: "pass", " ": "pass" };
let token = recall("token"), wanted = "", player = "", ended = null, unread = 0, wasMine = false, audio = null;

// --- logging in

// Do not reconnect unasked after one of these goodbyes.
const isOut = () => Boolean(ended && ["TAKEN_OVER", "KICKED", "FLOOD"].includes(ended.code));
const opened = () => send(token ? `resume ${token}` : `name ${wanted}`, entered);

function entered(answer) {
  if (answer.type === "error") {
    const isOld = token && answer.code === "BAD_TOKEN";
    if (isOld) remember("token", (token = null));
    wanted = isOld ? wanted || player : "";
    if (wanted) return opened(); // under the same name
    leave();
    return alarm(answer.message);
  }
  player = answer.name;
  ended = null;
  isUp();
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

function forgetMe() {
  remember("token", (token = null));
  send("quit");
  leave();
}

// Someone who followed an invitation sits down there.
function arrive() {
  const [, table, word] = /^#(t\d{1,9})(?::(.*))?$/.exec(location.hash) || [];
  if (!table) return;
  history.replaceState(null, "", "/");
  join(table, false, word && decodeURIComponent(word));
}

function lost() {
  const dropped = drop();
  alarm(isOut() ? `${ended.message} Tap here to come back.` : `Connection lost – trying again.${dropped}`);
  changed();
}

// --- messages from the server

const RECEIVED = {
  view: (it) => { take(it); checkDeal(it); },
  event: (it) => {
    happened(it);
    if (!UNSAID.includes(it.event)) said(it.text);
    checkDeal(it);
  },
  prompt: offered, chat: talked, notice: noticed, error: (it) => alarm(it.message), bye: (it) => { ended = it; },
};

function noticed({ code, text, ms, table, from }) {
  if (code === "GREETING") return;
  if (code === "STARTING") startIn(ms);
  if (code === "IN_LINE") game.inLine = text;
  if (code === "INVITED" && !game.view) choice(`${from} invites you`, "", "Join", () => join(table), "No");
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
  if (!sentence) return;
  logged(sentence);
  recent.push(sentence);
  due ||= setTimeout(() => { show($("last"), recent.slice(-3).join(" ")); recent = []; due = 0; }, 100);
}

function talked({ from, to, text }) {
  add("chat", `${from}${to === "lobby" ? " (to all)" : to === player ? " (to you)" : ""}: ${text}`, CHAT_LINES);
  if ($("talk").offsetParent === null) unread += 1;
  changed();
}

function checkDeal(it) {
  const verdict = witness(it);
  if (!verdict) return;
  show($("deal"), /^[✓!]/.test(verdict) && verdict);
  if (verdict[0] !== "✓") said(verdict);
  if (verdict[0] === "!") alarm(verdict);
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
  const { view } = game, isIn = Boolean(player), place = view ? "table" : isIn ? "lobby" : "door";
  $("enter").hidden = isIn || Boolean(token);
  $("lobby").hidden = place !== "lobby";
  $("table").hidden = !view;
  for (const id of ["talk-button", "menu"]) $(id).hidden = !isIn;
  Object.assign(document.body.dataset, { place, slam: Boolean(view?.slam && !view.slam.won), lost: isIn && !isOpen() });
  draw(ways);
  const { hole, holes, variant } = view || {}, of = holes ? ` of ${holes}` : "";
  show($("where"), view ? (hole ? `Hole ${hole}${of} · ` : "") + titleOf(variant) : player || "golfnet");
  if (!view) show($("deal"));
  show($("talk-button"), unread ? `Chat (${unread})` : "Chat");
  const isMine = view?.state === "playing" && lines().length > 0;
  document.title = isMine ? "● Your turn – golfnet" : "golfnet";
  if (isMine && !wasMine && settings.sound === "on") chime();
  wasMine = isMine;
}

function tick() {
  const { clock, startsAt, view } = game, left = clock ? clock.until - Date.now() : 0;
  $("clock").style.width = left > 0 ? `${(100 * left) / clock.whole}%` : "0";
  if (left > 9500 && left <= 10000 && clock.whole > 20000) alarm("10 seconds left.");
  if (startsAt && view?.state === "open") changed();
}

// --- taps outside the table

function menu() {
  const { view } = game, { variant, options, you } = view || {};
  const rules = () => rulesSheet({ name: you ? "" : variant, title: titleOf(variant), options });
  const here = { Rules: rules, Scores: scoreSheet, Invite: inviteSheet };
  const places = { Ladder: ladderSheet, "This evening": eveningSheet, Settings: () => settingsSheet(forgetMe) };
  const all = view ? { ...here, ...places, "Leave the table": leaveSheet } : places;
  sheet("Menu", Object.entries(all).map(([words, press]) => button(words, press)));
}

function talk(event) {
  event.preventDefault();
  const line = $("line").value.trim(), row = (one) => (typeof one === "string" ? one : Object.values(one).join(" · "));
  $("line").value = "";
  if (line) send(line[0] === ":" ? line.slice(1) : `${game.view ? "say" : "shout"} ${line}`, (it) => {
    if (it.rows) it.rows.forEach((one) => said(row(one))); else if (it.message || it.note) alarm(it.message || it.note);
  });
}

function pressed(event) {
  const { view } = game, key = event.key.toLowerCase(), { tagName } = event.target;
  const isTyped = /INPUT|SELECT/.test(tagName) || event.ctrlKey || event.altKey || event.metaKey || $("sheet").open;
  if (!view || isTyped) return;
  if (/^[1-9]$/.test(key) && view.you) tap(view.you + key);
  else if (key === "h" && lines().length) hint();
  else if (lines().includes(KEYS[key]) && (key !== " " || tagName !== "BUTTON")) {
    event.preventDefault();
    act(KEYS[key]);
  }
}

$("name-form").onsubmit = (event) => {
  event.preventDefault();
  wanted = $("name").value.trim();
  ended = null;
  connect();
};
$("line-form").onsubmit = talk;
$("talk-button").onclick = () => { document.body.classList.toggle("talking"); unread = 0; changed(); };
$("menu").onclick = menu;
$("invite").onclick = inviteSheet;
$("sheet").onclick = (event) => { if (event.target === $("sheet")) closeSheet(); };
$("alarm").onclick = () => { ended = null; connect(); };
document.addEventListener("keydown", pressed);
addEventListener("hashchange", arrive);
Object.assign(hooks, {
  changed, alarm, opened, lost, received: (it) => RECEIVED[it.type]?.(it),
  found: () => { alarm(""); changed(); }, isWanted: () => Boolean(token || wanted) && !isOut(),
});
applySettings();
beginLobby();
beginLine();
setInterval(tick, 250);
changed();
