// Dialogs: one for all lists and texts, and one for each form in golf.html.

import { $, h, recall, remember, show } from "./elements.js";
import { game } from "./game.js";
import { list } from "./line.js";
import { faced, scoreTable } from "./table.js";

export const settings = { cards: "large", motion: "on", sound: "off", clock: "on", ...recall("settings") };
export const invited = { word: "" }; // the password of the table that this phone opened
export const button = (words, onclick) => h("button", { type: "button", onclick }, words);

// Open a dialog with a form. If a button with a value closes it, `then` gets that value and the fields' values.
export function ask(id, then, title) {
  const sheet = $(id), form = sheet.firstElementChild;
  const unquoted = ([name, value]) => [name, value.trim().replaceAll('"', "")];
  if (title) show(form.firstElementChild, title);
  form.reset();
  sheet.returnValue = "";
  sheet.onclose = () => {
    if (sheet.returnValue) then(sheet.returnValue, Object.fromEntries([...new FormData(form)].map(unquoted)));
  };
  if (!sheet.open) sheet.showModal();
}

function sheet(title, ...content) {
  show($("sheet-body"), ...content);
  ask("sheet", null, title);
}

// Show the rules of a rule set or, without a name, of the player's table: a summary with a picture, and then the full
// text.
export function rulesSheet({ name, options }, title) {
  const { rows, columns, cancel } = options, last = rows * columns - 1;
  const places = Array.from({ length: last + 1 }, (_, n) => n);
  const column = rows > 1 ? places.filter((n) => n % columns === 0) : [];
  const pairs = { column, anywhere: [0, last], all: [0, 1, last] }[cancel] || [];
  const card = (n) => (pairs.includes(n) ? faced(`8${"SHDC"[n % 4]}`, { className: "pair" })
    : faced(null, {}));
  const picture = h("div", { className: "cards sample", style: `--columns: ${columns}` }, places.map(card));
  const section = (text) => {
    const [head, ...body] = text.split("\n");
    return [h("h3", {}, head), h("p", {}, body.join(" "))];
  };
  const whole = (lines) => sheet(title, lines.join("\n").split("\n\n").slice(1).flatMap(section));
  list(`rules ${name} short`, (lines) => sheet(title, lines.map((line) => h("p", {}, line)),
    pairs.length && [h("p", {}, "These cancel and count 0:"), picture],
    button("All the rules", () => list(`rules ${name} full`, whole))));
}

export const scoreSheet = () =>
  sheet("Scores", game.view.scores.length ? scoreTable() : "No hole has been finished yet.");

// Show a list that the server sends, as a table with these fields.
function listSheet(title, command, fields, empty) {
  const line = (tag, words) => h("tr", {}, words.map((one) => h(tag, {}, `${one}`)));
  list(command, (all) => {
    const people = all.filter((row) => !row.honour && row.pool !== "bot");
    const lines = people.map((row) => line("td", fields.map((field) => row[field])));
    sheet(title, lines.length ? h("table", {}, h("tbody", {}, line("th", fields), lines)) : empty);
  });
}

export const ladderSheet = () => listSheet("Ladder", "top",
  ["place", "name", "variant", "rating", "wins", "matches"], "Nobody is on the ladder yet.");
export const eveningSheet = () => listSheet("This evening", "evening",
  ["place", "name", "wins", "matches"], "No match has been finished in the last 12 hours.");

export function inviteSheet() {
  const path = game.view.table + (invited.word && `:${encodeURIComponent(invited.word)}`);
  const isHere = /^(localhost|127\.|\[::1)/.test(location.hostname);
  const how = isHere ? "works only on this computer" : "or a camera pointed at the code brings friends here";
  ask("invite-sheet");
  show($("link-note"), `This link ${how}.`);
  show($("copy"), "Copy");
  $("link").value = `${location.origin}/#${path}`;
  $("qr").src = `/qr?${path}`;
}

$("copy").onclick = ({ target }) => {
  $("link").select();
  show(target, document.execCommand("copy") ? "Copied" : "Press and hold");
};

export function settingsSheet(forgetMe) {
  ask("settings-sheet", () => ask("forget-sheet", forgetMe));
  for (const name in settings) $(`set-${name}`).value = settings[name];
}

$("settings-sheet").onchange = ({ target }) => {
  settings[target.name] = target.value;
  remember("settings", settings);
  Object.assign(document.body.dataset, settings);
};
Object.assign(document.body.dataset, settings);
