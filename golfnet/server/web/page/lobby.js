// The lobby: rules to choose, tables to join, and three ways to start a game.

import { $, h, hooks, show } from "./elements.js";
import { game } from "./game.js";
import { isOpen, list, send } from "./line.js";
import { ask, button, invited, rulesSheet, settings } from "./sheets.js";
import { listed } from "./table.js";

const FIRST = "six-card"; // the rules selected by default
const STATES = { open: "waiting for players", playing: "in play", between: "in play" };
let rules = [];

const rule = () => rules.find((one) => one.name === $("variant").value);
const oops = (answer) => { if (answer.type === "error") hooks.alarm(answer.message); };
export const titleOf = (variant) => rules.find((one) => one.name === variant)?.title || variant;

function begin(verb, options = "", word = "") {
  invited.word = word;
  send(`${verb} ${rule()?.name || FIRST}${settings.clock === "off" ? " clock=0" : ""}${options}`, oops);
}

// Show the form for a new table; for fields left empty, the rules decide.
function openTable({ title, options }) {
  const [min, max = min] = options.seats.split("-"), option = ([key, value]) => value && ` ${key}="${value}"`;
  const then = (_, values) => begin("create", Object.entries(values).map(option).join(""), values.password);
  ask("open-sheet", then, `Open a table: ${title}`);
  Object.assign($("seats"), { min, max, placeholder: `${options.seats}; empty: you start` });
  $("holes").placeholder = options.holes || "until a total";
}

export function refreshLobby() {
  if (!rules.length) list("variants", (rows) => {
    rules = rows;
    show($("variant"), rows.map(({ name, title }) => h("option", { value: name, selected: name === FIRST }, title)));
    describe();
    hooks.changed();
  });
  list("tables", (rows) => {
    const items = rows.filter((row) => STATES[row.state]).map(described);
    show($("tables"), items.length ? items : h("li", {}, "No tables yet. Open one, or play against a bot."));
  });
}

const describe = () => list(`rules ${$("variant").value} short`, ([aim]) => show($("about"), aim));

export function join(table, isPrivate, word = "") {
  if (isPrivate && !word) return ask("word-sheet", (_, typed) => join(table, true, typed.word));
  invited.word = word;
  const password = word && `password="${word.replaceAll('"', "")}"`;
  send(`join ${table} ${password} wait=on`, (answer) => {
    if (answer.code === "WRONG_PASSWORD" && !word) return join(table, true);
    oops(answer);
    if (answer.type === "ok" && !game.view?.you) game.inLine ||= "You are in line for a seat, and watch until then.";
  });
}

function described({ table, name, variant, state, taken, seats, players, private: isPrivate }) {
  const isFree = state === "open" && taken < seats, names = listed(players.map((seat) => seat.name));
  const what = [titleOf(variant), `${STATES[state]}, ${taken} of ${seats}`, names, isPrivate && "private"];
  return h("li", { key: table }, h("span", {}, `${name || table}: ${what.filter(Boolean).join(" · ")}`),
    button(isFree ? "Join" : "Wait in line", () => join(table, isPrivate)),
    !isFree && !isPrivate && button("Watch", () => send(`watch ${table}`, oops)));
}

$("variant").onchange = describe;
$("rules").onclick = () => { if (rule()) rulesSheet(rule(), rule().title); };
// With one tap, open a table, seat a bot, and be ready.
$("with-bot").onclick = () => { begin("create", " seats=2"); send("bot", () => {}); send("ready", () => {}); };
$("seek").onclick = () => begin("seek");
$("open").onclick = () => { if (rule()) openTable(rule()); };
setInterval(() => { if (isOpen() && !game.view && !document.hidden) refreshLobby(); }, 5000);
