// What covers the page for a while: rules, scores, lists, an invitation, a new table, settings, and questions.

import { $, h, recall, remember, show } from "./elements.js";
import { game } from "./fold.js";
import { list, send } from "./line.js";
import { forget } from "./play.js";
import { cancelled, faced, scoreTable } from "./table.js";

export const settings = { cards: "large", motion: "on", sound: "off", clock: "on", ...recall("settings") };
export const invited = { word: "" }; // the password of the table that this phone opened

export function sheet(title, ...content) {
  show($("sheet-title"), title);
  show($("sheet-body")); // no field keeps what was typed into another
  show($("sheet-body"), ...content);
  if (!$("sheet").open) $("sheet").showModal();
}

export const closeSheet = () => $("sheet").close();
export const button = (words, onclick, className = "") => h("button", { className, onclick }, words);

// A question with two answers, the second of which does nothing.
export function choice(title, words, yes, press, no) {
  const answers = [button(yes, () => { closeSheet(); press(); }, "main"), button(no, closeSheet)];
  sheet(title, words, h("div", { className: "row" }, answers));
}

// The rules of a rule set, or where it has no name those of one's table: in short, with a picture, and all of them.
export function rulesSheet({ name, title, options }) {
  const { rows, columns, cancel } = options, last = rows * columns - 1;
  const isEqual = (n) => (cancel === "column" ? n % columns === 0 : [0, last, cancel === "all" && 1].includes(n));
  const eight = (n) => `8${"SHDC"[Math.floor(n / columns) % 4]}`;
  const slots = Array.from({ length: last + 1 }, (_, n) => (isEqual(n) ? eight(n) : "?"));
  const pairs = cancelled(slots, options);
  const cards = slots.map((slot, n) => faced(pairs.has(n) ? slot : null, { className: pairs.has(n) && "pair" }));
  const picture = h("div", { className: "cards sample", style: `--columns: ${columns}` }, cards);
  const shown = pairs.size > 0 && [h("p", {}, "These cancel and count 0:"), picture];
  const whole = (lines) => sheet(title, lines.join("\n").split("\n\n").slice(1).map((section) => {
    const [head, ...body] = section.split("\n");
    return [h("h3", {}, head), h("p", {}, body.join(" "))];
  }).flat());
  const all = button("All the rules", () => list(`rules ${name} full`, whole));
  list(`rules ${name} short`, (lines) => sheet(title, lines.map((line) => h("p", {}, line)), shown, all));
}

export const scoreSheet = () =>
  sheet("Scores", game.view.scores.length ? scoreTable() : "No hole has been finished yet.");

// A list of the server as a table.
function listSheet(title, command, heads, cells, empty) {
  const line = (tag, words) => h("tr", {}, words.map((one) => h(tag, {}, `${one}`)));
  list(command, (all) => {
    const rows = all.filter((row) => !row.honour && row.pool !== "bot").map((row) => line("td", cells(row)));
    sheet(title, rows.length ? h("table", {}, h("tbody", {}, line("th", heads), rows)) : empty);
  });
}

const won = (row) => `${row.wins} of ${row.matches}`;
export const ladderSheet = () => listSheet("Ladder", "top", ["", "name", "rules", "rating", "won"],
  (row) => [row.place, row.name, row.variant, row.rating, won(row)], "Nobody is on the ladder yet.");
export const eveningSheet = () => listSheet("This evening", "evening", ["", "name", "won"],
  (row) => [row.place, row.name, won(row)], "No match has been finished in the last 12 hours.");

export function leaveSheet() {
  const { you, state } = game.view, isPlaying = you && ["playing", "between"].includes(state);
  const leave = () => send(you || game.inLine ? "leave" : "unwatch", (it) => { if (it.type === "ok") forget(); });
  const price = isPlaying ? "A bot plays on for you, and your seat is lost for this match." : "";
  choice("Leave the table?", price, "Leave", leave, "Stay");
}

export function inviteSheet() {
  const path = game.view.table + (invited.word && `:${encodeURIComponent(invited.word)}`);
  const link = { key: "link", readOnly: true, value: `${location.origin}/#${path}`, ariaLabel: "Link" };
  const copy = ({ target }) => {
    target.previousSibling.select();
    show(target, document.execCommand("copy") ? "Copied" : "Press and hold");
  };
  const isHere = /^(localhost|127\.|\[::1)/.test(location.hostname);
  const how = isHere ? "works only on this computer" : "or a camera pointed at the code brings friends here";
  const row = h("div", { className: "row" }, h("input", link), button("Copy", copy));
  sheet("Invite", h("p", {}, `This link ${how}.`), row,
    h("img", { className: "qr", alt: "", src: `/qr?${path}`, onerror: ({ target }) => target.remove() }));
}

const CHOICES = {
  cards: ["Cards", { large: "large", corner: "rank in the corner", four: "four colours" }],
  motion: ["Motion", { on: "on", off: "off" }], sound: ["Sound at your turn", { off: "off", on: "on" }],
  clock: ["Clock of new tables", { on: "a minute for each choice", off: "as long as you like" }],
};

export const applySettings = () => Object.assign(document.body.dataset, settings);

export function settingsSheet(forgetMe) {
  const fields = Object.entries(CHOICES).map(([key, [title, values]]) => {
    const option = ([value, words]) => h("option", { value, selected: settings[key] === value }, words);
    const onchange = ({ target }) => {
      settings[key] = target.value;
      remember("settings", settings);
      applySettings();
    };
    return h("label", {}, title, h("select", { onchange }, Object.entries(values).map(option)));
  });
  const sure = () => choice("Forget this name?", "This phone cannot come back under it.", "Forget", forgetMe, "Keep");
  sheet("Settings", ...fields, !game.view && button("Forget me on this phone", sure, "quiet"));
}

const field = (words, properties) => h("label", {}, words, h("input", properties));
const unquoted = ([key, value]) => [key, value.trim().replaceAll('"', "")];

// A form, whose values without quotes are given to `then`.
function formSheet(title, yes, then, ...fields) {
  const onsubmit = (event) => {
    event.preventDefault();
    closeSheet();
    then(Object.fromEntries([...new FormData(event.target)].map(unquoted)));
  };
  sheet(title, h("form", { className: "fields", onsubmit }, ...fields, h("button", { className: "main" }, yes)));
}

// A new table: fields left empty are as in the rules.
export function tableSheet({ title, options }, open) {
  const [min, max = min] = options.seats.split("-"), place = options.holes ? `${options.holes}` : "until a total";
  const option = ([key, value]) => value && ` ${key}="${value}"`;
  const then = (values) => open(Object.entries(values).map(option).join(""), values.password);
  formSheet(`Open a table: ${title}`, "Open", then,
    field(`Seats (${options.seats}; empty: you start)`, { name: "seats", type: "number", min, max }),
    field("Holes", { name: "holes", type: "number", min: 1, max: 99, placeholder: place }),
    field("Password (empty: open to all)", { name: "password", maxLength: 40, autocomplete: "off" }),
    field("Name of the table", { name: "name", maxLength: 40 }));
}

export const passwordSheet = (join) => formSheet("This table needs a password", "Join", ({ word }) => join(word),
  field("Password", { name: "word", required: true, autocomplete: "off" }));
