// The phone page, a GNP/1 client, starts here. Nothing from the server is ever turned into markup.

import { recall, remember, witness } from "./deal.js";
import { beginLine, closeLine, connect, isOpen, isUp, send } from "./line.js";
import { beginLobby, join, refreshLobby, ruleOf } from "./lobby.js";
import { act, beginPlay, drop, forget, game, happened, hint, lines, offered, startIn, take, tap } from "./play.js";
import { applySettings, button, choice, closeSheet, settings, settingsSheet, sheet } from "./sheets.js";
import { eveningSheet, inviteSheet, ladderSheet, leaveSheet, rulesSheet, scoreSheet } from "./sheets.js";
import { $, draw, el, text } from "./table.js";

const LOG_LINES = 60, CHAT_LINES = 40;
const KEYS = { d: "draw", t: "take", x: "discard", k: "knock", p: "pass", " ": "pass" };
let token = recall("token"), wanted = "", player = "", ended = null, unread = 0, wasMine = false, audio = null;
// Do not reconnect unasked after one of these goodbyes.
const isOut = () => Boolean(ended && ["TAKEN_OVER", "KICKED", "FLOOD"].includes(ended.code));

// --- logging in

function opened() {
  if (token) send(`resume ${token}`, entered); else send(`name ${wanted}`, entered);
}

function entered(answer) {
  if (answer.type === "error") {
    const isOld = token && answer.code === "BAD_TOKEN";
    if (isOld) remember("token", (token = null));
    wanted = isOld ? wanted || player : "";
    if (wanted) return opened(); // under the same name
    player = "";
    closeLine();
    forget();
    return alarm(answer.message);
  }
  player = answer.name;
  ended = null;
  isUp();
  alarm("");
  if (answer.token) remember("token", (token = answer.token));
  if (!answer.table) { forget(); arrive(); }
  else if (!$("log").children.length) send(`moves ${answer.table}`, (it) => (it.rows || []).forEach((row) => add($("log"), row, LOG_LINES)));
  refreshLobby();
  changed();
}

// Someone who followed an invitation sits down there.
function arrive() {
  const [, table, word] = /^#(t\d{1,9})(?::(.*))?$/.exec(location.hash) || [];
  if (!table) return;
  history.replaceState(null, "", "/");
  join(table, false, word && decodeURIComponent(word));
}

function received(it) {
  if (it.type === "view") { take(it); checkDeal(it); }
  else if (it.type === "event") { happened(it); checkDeal(it); }
  else if (it.type === "prompt") offered(it);
  else if (it.type === "chat") talked(it);
  else if (it.type === "notice") noticed(it);
  else if (it.type === "error") alarm(it.message);
  else if (it.type === "bye") ended = it;
}

function noticed({ code, text: words, ms, table, from }) {
  if (code === "GREETING") return;
  if (code === "STARTING") startIn(ms);
  if (code === "IN_LINE") game.inLine = words;
  if (code === "INVITED" && !game.view) choice(`${from} invites you`, "", "Join", () => join(table), "No");
  add($("log"), words, LOG_LINES);
  changed();
}

function lost() {
  const dropped = drop();
  alarm(isOut() ? `${ended.message} Tap here to come back.` : `Connection lost – trying again.${dropped}`);
  changed();
}

// --- messages

function add(list, sentence, most) {
  list.prepend(el("li", {}, sentence));
  while (list.children.length > most) list.lastChild.remove();
}

let recent = [], due = 0;
function said(sentence) {
  if (!sentence) return;
  add($("log"), sentence, LOG_LINES);
  recent.push(sentence);
  due ||= setTimeout(() => { text($("last"), recent.slice(-3).join(" ")); recent = []; due = 0; }, 100);
}

function talked({ from, to, text: words }) {
  add($("chat"), `${from}${to === "lobby" ? " (to all)" : to === player ? " (to you)" : ""}: ${words}`, CHAT_LINES);
  if ($("talk").offsetParent === null) unread += 1;
  changed();
}

function checkDeal(it) {
  const verdict = witness(it);
  if (!verdict) return;
  text($("deal"), /^[✓!]/.test(verdict) ? verdict : "");
  if (verdict[0] !== "✓") said(verdict);
  if (verdict[0] === "!") alarm(verdict);
}

let fades = 0;
export function alarm(sentence) {
  text($("alarm"), sentence);
  clearTimeout(fades);
  if (sentence && isOpen()) fades = setTimeout(() => text($("alarm"), ""), 6000);
}

// --- drawing

function chime() {
  audio ||= new AudioContext();
  const tone = audio.createOscillator(), volume = audio.createGain();
  tone.frequency.value = 660;
  volume.gain.setValueAtTime(0.08, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.4);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.4);
}

function changed(ways) {
  const { view } = game, isIn = Boolean(player);
  $("enter").hidden = isIn || Boolean(token);
  $("lobby").hidden = !isIn || Boolean(view);
  $("table").hidden = !view;
  for (const id of ["talk-button", "menu"]) $(id).hidden = !isIn;
  const slam = Boolean(view?.slam && !view.slam.won);
  Object.assign(document.body.dataset, { place: view ? "table" : isIn ? "lobby" : "door", slam, lost: isIn && !isOpen() });
  draw(ways);
  const hole = view?.hole ? `Hole ${view.hole}${view.holes ? ` of ${view.holes}` : ""} · ` : "";
  text($("where"), view ? `${hole}${ruleOf(view).title || view.variant}` : player || "golfnet");
  if (!view) text($("deal"), "");
  text($("talk-button"), unread ? `Chat (${unread})` : "Chat");
  const isMine = view?.state === "playing" && lines().length > 0;
  document.title = isMine ? "● Your turn – golfnet" : "golfnet";
  if (isMine && !wasMine && settings.sound === "on") chime();
  wasMine = isMine;
}

function tick() {
  const { clock, startsAt } = game, left = clock ? clock.until - Date.now() : 0;
  $("clock").style.width = left > 0 ? `${(100 * left) / clock.whole}%` : "0";
  if (left > 9500 && left <= 10000 && clock.whole > 20000) alarm("10 seconds left.");
  if (startsAt && game.view?.state === "open") changed();
}

// --- taps outside the table

function menu() {
  const { view } = game, places = { Ladder: ladderSheet, "This evening": eveningSheet, Settings: () => settingsSheet(forgetMe) };
  const here = { Rules: () => rulesSheet(ruleOf(view)), Scores: scoreSheet, Invite: inviteSheet };
  const all = view ? { ...here, ...places, "Leave the table": leaveSheet } : places;
  sheet("Menu", ...Object.entries(all).map(([words, press]) => button(words, () => { closeSheet(); press(); })));
}

function forgetMe() {
  remember("token", (token = null));
  wanted = player = "";
  send("quit");
  closeLine();
  closeSheet();
  forget();
}

function talk(event) {
  event.preventDefault();
  const line = $("line").value.trim();
  $("line").value = "";
  if (line) send(line[0] === ":" ? line.slice(1) : `${game.view ? "say" : "shout"} ${line}`, (it) => {
    if (it.type === "rows") it.rows.forEach((row) => said(typeof row === "string" ? row : Object.values(row).join(" · ")));
    else if (it.message || it.note) alarm(it.message || it.note);
  });
}

function pressed(event) {
  const { view } = game, key = event.key.toLowerCase();
  if (!view || /INPUT|SELECT/.test(event.target.tagName) || event.ctrlKey || event.altKey || event.metaKey || $("sheet").open) return;
  if (/^[1-9]$/.test(key) && view.you) tap(view.you + key);
  else if (key === "h" && lines().length) hint();
  else if (lines().includes(KEYS[key]) && (key !== " " || event.target.tagName !== "BUTTON")) { event.preventDefault(); act(KEYS[key]); }
}

$("name-form").onsubmit = (event) => { event.preventDefault(); wanted = $("name").value.trim(); ended = null; connect(); };
$("line-form").onsubmit = talk;
$("talk-button").onclick = () => { document.body.classList.toggle("talking"); unread = 0; changed(); };
$("menu").onclick = menu;
$("invite").onclick = inviteSheet;
$("sheet-close").onclick = closeSheet;
$("sheet").onclick = (event) => { if (event.target === $("sheet")) closeSheet(); };
$("alarm").onclick = () => { ended = null; connect(); };
document.addEventListener("keydown", pressed);
addEventListener("hashchange", arrive);
applySettings();
beginLobby({ complained: alarm, known: changed });
beginPlay({ changed, said, refused: alarm });
beginLine({ opened, received, lost, found: () => { alarm(""); changed(); }, isWanted: () => Boolean(token || wanted) && !isOut() });
setInterval(tick, 250);
changed();
