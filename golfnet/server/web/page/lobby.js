// The lobby: rules to choose, tables to join, and three ways to start a game.

import { isOpen, send } from "./line.js";
import { game } from "./play.js";
import { invited, passwordSheet, rulesSheet, settings, tableSheet } from "./sheets.js";
import { $, keep, sweep, text } from "./table.js";
import { listed, rulesInShort } from "./words.js";

const FIRST = "six-card"; // the rules selected by default
let rules = [], complain = null, learned = null;

const rule = () => rules.find((one) => one.name === $("variant").value);
const oops = (answer) => { if (answer.type === "error") complain(answer.message); };

// Calls `complained(sentence)` after a refusal, and `known` once the rule sets are known.
export function beginLobby({ complained, known }) {
  complain = complained;
  learned = known;
  $("variant").onchange = describe;
  $("rules").onclick = () => { if (rule()) rulesSheet(rule()); };
  // All in one go: a bot sits down, and the player is ready.
  $("with-bot").onclick = () => { begin("create", " seats=2"); send("bot", () => {}); send("ready", () => {}); };
  $("seek").onclick = () => begin("seek");
  $("open").onclick = () => { if (rule()) tableSheet(rule(), (options, word) => begin("create", options, word)); };
  setInterval(() => { if (isOpen() && !game.view && document.visibilityState === "visible") refreshLobby(); }, 5000);
}

function begin(verb, options = "", word = "") {
  invited.word = word;
  send(`${verb} ${rule()?.name || FIRST}${settings.clock === "off" ? " clock=0" : ""}${options}`, oops);
}

export function refreshLobby() {
  if (!rules.length) send("variants", (it) => {
    if (it.type !== "rows") return;
    rules = it.rows;
    for (const one of rules) Object.assign(keep($("variant"), one.name, "option"), { value: one.name, textContent: one.title });
    sweep($("variant"));
    $("variant").value = FIRST;
    describe();
    learned();
  });
  let rows = [];
  send("tables", (it) => { if (it.type === "rows") rows = rows.concat(it.rows); else if (it.type === "ok") drawTables(rows); });
}

function describe() { if (rule()) text($("about"), rulesInShort(rule().options)[0]); }

export const ruleOf = (view) => ({ ...rules.find((one) => one.name === view.variant), name: view.variant, options: view.options });

export function join(table, isPrivate, word) {
  if (isPrivate && !word) return passwordSheet((typed) => join(table, true, typed));
  invited.word = word || "";
  send(`join ${table}${word ? ` password="${word.replaceAll('"', "")}"` : ""} wait=on`, (answer) => {
    if (answer.code === "WRONG_PASSWORD" && !word) return join(table, true);
    oops(answer);
    if (answer.type === "ok" && game.view && !game.view.you) game.inLine ||= "You are in line for a seat; until then you are watching.";
  });
}

const STATES = { open: "waiting for players", playing: "in play", between: "in play" };

function drawTables(rows) {
  const list = $("tables");
  for (const row of rows.filter((one) => one.state in STATES)) {
    const item = keep(list, row.table, "li"), isFree = row.state === "open" && row.taken < row.seats;
    const names = listed(row.players.map((seat) => seat.name));
    text(keep(item, "what", "span"), `${row.name || row.table}: ${rules.find((one) => one.name === row.variant)?.title || row.variant}` +
      ` · ${STATES[row.state]}, ${row.taken} of ${row.seats}${names ? ` (${names})` : ""}${row.private ? " · private" : ""}`);
    const go = keep(item, "go", "button");
    text(go, isFree ? "Join" : "Wait in line");
    go.onclick = () => join(row.table, row.private);
    if (!isFree && !row.private) {
      const watch = keep(item, "watch", "button");
      text(watch, "Watch");
      watch.onclick = () => send(`watch ${row.table}`, oops);
    }
    sweep(item);
  }
  if (![...list.children].some((item) => "kept" in item.dataset)) text(keep(list, "none", "li"), "No tables yet. Open one, or play against a bot.");
  sweep(list);
}
