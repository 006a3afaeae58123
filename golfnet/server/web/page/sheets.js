// What covers the page for a while: rules, scores, lists, an invitation, a new table, settings, and questions.

import { recall, remember } from "./deal.js";
import { send } from "./line.js";
import { forget, game } from "./play.js";
import { qrCode } from "./qr.js";
import { $, cancelled, drawFace, drawScores, el } from "./table.js";
import { rulesInShort } from "./words.js";

const SAMPLE = ["KD", "3C", "5H", "9D", "QC", "2S", "JH", "4D"];
export const settings = { cards: "large", motion: "on", sound: "off", clock: "on", ...recall("settings") };
export const invited = { word: "" }; // the password of the table that this phone opened

export function sheet(title, ...content) {
  $("sheet-title").textContent = title;
  $("sheet-body").replaceChildren(...content);
  if (!$("sheet").open) $("sheet").showModal();
}

export const closeSheet = () => $("sheet").close();
export const button = (words, press, className = "") => el("button", { type: "button", className, onclick: press }, words);
// A question with two answers, the second of which does nothing.
export function choice(title, words, yes, press, no) {
  sheet(title, words, el("div", { className: "row" }, button(yes, () => { closeSheet(); press(); }, "main"), button(no, closeSheet)));
}

const paragraphs = (words) => words.map((line) => el("p", {}, line));

export function rulesSheet(rule) {
  const { options } = rule, size = options.rows * options.columns, equal = ["8S", "8H", "8D", "8C"];
  const isEqual = (n) => ({ column: n % options.columns === 0, anywhere: n === 0 || n === size - 1, all: n < 2 || n === size - 1 })[options.cancel];
  const slots = Array.from({ length: size }, (_, n) => (isEqual(n) ? equal.shift() || "8S" : SAMPLE[n % 8])), pairs = cancelled(slots, options);
  const cards = el("div", { className: "cards sample" }, ...slots.map((card, n) => {
    const shown = el("span");
    drawFace(shown, card, "", pairs.has(n) && "pair");
    return shown;
  }));
  cards.style.setProperty("--columns", options.columns);
  const whole = el("div", { className: "whole" });
  const ask = button("All the rules", () => {
    ask.remove();
    send(`rules ${rule.name} full`, (it) => {
      for (const row of it.rows || []) {
        if (row[0] === " " && whole.lastChild) whole.lastChild.append(`${row.trim()} `); // a paragraph comes in several lines
        else if (row) whole.append(el("h3", {}, row), el("p"));
      }
    });
  });
  const caption = pairs.size ? [el("p", {}, "These cancel and count 0:"), cards] : [];
  sheet(rule.title, ...paragraphs(rulesInShort(options)), ...caption, ask, whole);
}

export function scoreSheet() {
  const table = el("table", { className: "scores" });
  drawScores(table);
  sheet("Scores", game.view.scores.length ? el("div", { className: "sheet-of-scores" }, table) : "No hole has been finished yet.");
}

// A list from the server as a table; `columns` are its headings and functions from a row to its cells.
export function listSheet(title, command, columns, empty) {
  const table = el("table", { className: "scores" }, el("tr", {}, ...columns.map(([name]) => el("th", {}, name))));
  send(command, (it) => {
    if (it.type !== "rows") return it.type === "error" && sheet(title, it.message);
    for (const row of it.rows.filter((one) => !one.honour && one.pool !== "bot")) {
      table.append(el("tr", {}, ...columns.map(([, of]) => el("td", {}, String(of(row))))));
    }
    sheet(title, table.rows.length > 1 ? table : empty);
  });
}

export const ladderSheet = () => listSheet("Ladder", "top", [["", (row) => row.place], ["name", (row) => row.name], ["rules", (row) => row.variant],
  ["rating", (row) => row.rating], ["won", (row) => `${row.wins} of ${row.matches}`]], "Nobody is on the ladder yet.");
export const eveningSheet = () => listSheet("This evening", "evening", [["", (row) => row.place], ["name", (row) => row.name],
  ["won", (row) => `${row.wins} of ${row.matches}`]], "No match has been finished in the last 12 hours.");

export function leaveSheet() {
  const { view } = game, isPlaying = view.you && ["playing", "between"].includes(view.state);
  const leave = () => send(view.you || game.inLine ? "leave" : "unwatch", (answer) => { if (answer.type === "ok") forget(); });
  const price = isPlaying ? "A bot plays on for you, and your seat is lost for this match." : "";
  choice("Leave the table?", price, "Leave", leave, "Stay");
}

export function inviteSheet() {
  const { view } = game, link = `${location.origin}/#${view.table}${invited.word && `:${encodeURIComponent(invited.word)}`}`;
  const field = el("input", { readOnly: true, value: link, ariaLabel: "Link", onfocus: () => field.select() });
  const copy = button("Copy", () => { field.select(); copy.textContent = document.execCommand("copy") ? "Copied" : "Press and hold"; });
  const svg = (tag) => document.createElementNS("http://www.w3.org/2000/svg", tag);
  const rows = qrCode(link), code = svg("svg"), dark = svg("path");
  if (rows) {
    code.setAttribute("viewBox", `-4 -4 ${rows.length + 8} ${rows.length + 8}`);
    code.setAttribute("class", "qr");
    dark.setAttribute("d", rows.flatMap((row, y) => row.map((is, x) => (is ? `M${x} ${y}h1v1h-1z` : ""))).join(""));
    code.append(dark);
  }
  const isHere = /^(localhost|127\.|\[::1)/.test(location.hostname);
  const how = isHere ? "This address works only on this computer." : "Friends open this link, or point a camera at the code.";
  sheet("Invite", el("p", {}, how), el("div", { className: "row" }, field, copy), rows ? code : "");
}

const CHOICES = {
  cards: ["Cards", { large: "large", corner: "rank in the corner", four: "four colours" }],
  motion: ["Motion", { on: "on", off: "off" }], sound: ["Sound at your turn", { off: "off", on: "on" }],
  clock: ["Clock of new tables", { on: "a minute for each choice", off: "as long as you like" }],
};

export function applySettings() { for (const [key, value] of Object.entries(settings)) document.body.dataset[key] = value; }

export function settingsSheet(forgetMe) {
  const fields = Object.entries(CHOICES).map(([key, [title, values]]) => {
    const select = el("select", { onchange: () => { settings[key] = select.value; remember("settings", settings); applySettings(); } },
      ...Object.entries(values).map(([value, words]) => el("option", { value, selected: settings[key] === value }, words)));
    return el("label", {}, title, select);
  });
  const sure = button("Forget me on this phone", () => { sure.textContent = "Tap again to forget this name"; sure.onclick = forgetMe; }, "quiet");
  sheet("Settings", ...fields, game.view ? "" : sure);
}

// A new table: fields left empty are as in the rules.
export function tableSheet(rule, open) {
  const field = (key, words, properties) => el("label", {}, words, el("input", { name: key, ...properties }));
  const [least, most] = rule.options.seats.split("-");
  const form = el("form", { className: "fields" },
    field("seats", `Seats (${rule.options.seats}; empty: you start)`, { type: "number", min: least, max: most || least }),
    field("holes", "Holes", { type: "number", min: 1, max: 99, placeholder: rule.options.holes || "until a total" }),
    field("password", "Password (empty: open to all)", { maxLength: 40, autocomplete: "off" }),
    field("name", "Name of the table", { maxLength: 40 }), el("button", { className: "main" }, "Open"));
  form.onsubmit = (event) => {
    event.preventDefault();
    const values = [...new FormData(form)].map(([key, value]) => [key, value.trim().replaceAll('"', "")]).filter(([, value]) => value);
    open(values.map(([key, value]) => ` ${key}="${value}"`).join(""), form.elements.password.value.trim().replaceAll('"', ""));
    closeSheet();
  };
  sheet(`Open a table: ${rule.title}`, form);
}

export function passwordSheet(join) {
  const word = el("input", { required: true, autocomplete: "off", ariaLabel: "Password" });
  const form = el("form", { className: "row" }, word, el("button", { className: "main" }, "Join"));
  form.onsubmit = (event) => { event.preventDefault(); closeSheet(); join(word.value.trim()); };
  sheet("This table needs a password", form);
}

