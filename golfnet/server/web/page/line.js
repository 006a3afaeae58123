// The connection to the server: numbered commands, their answers, and a check that it is still alive.

import { hooks } from "./elements.js";

const TICK_MS = 400;
const QUIET_MS = 1800; // after this long without a message, ping the server
const DEAD_MS = 2200; // after this long without an answer, the connection counts as lost, whatever the browser thinks
const GONE_MS = 6000; // only after this long is the connection closed, since the server may just be stalled
const SOON_MS = 2000, ATTEMPTS = 3; // resending a command sent too fast: longest delay, and attempts
const WAIT_MS = [500, 8000]; // between attempts to connect: the first wait and the longest

let socket = null, next = 0, wait = WAIT_MS[0], retry = 0, ticked = 0;
let isDead = false, heard = 0, asked = 0; // when something last arrived, and since when an answer has been due
const answers = new Map(); // the unanswered commands, by number

export const isOpen = () => Boolean(socket && socket.readyState === 1 && !isDead);

export function connect() {
  if (socket || !hooks.isWanted()) return;
  const mine = (socket = new WebSocket(`${location.protocol.replace("http", "ws")}//${location.host}/lines`));
  asked = Date.now() + DEAD_MS; // connecting may take twice as long
  socket.onopen = () => {
    socket.send("hello 1 client=web/3 caps=text,view");
    hooks.opened();
  };
  socket.onmessage = ({ data }) => {
    heard = Date.now();
    asked = 0;
    if (isDead) { isDead = false; hooks.found(); }
    if (data.startsWith("{")) receive(JSON.parse(data));
  };
  socket.onclose = () => { if (socket === mine) lose(); };
}

export function closeLine() {
  socket?.close();
  socket = null;
  isDead = false;
  answers.clear();
}

function lose() {
  if (!socket) return;
  const isKnown = isDead;
  closeLine();
  retry = Date.now() + wait;
  wait = Math.min(wait * 2, WAIT_MS[1]);
  if (!isKnown) hooks.lost();
}

function check() {
  const now = Date.now(), slept = now - ticked > 5 * TICK_MS;
  ticked = now;
  if (document.hidden) return;
  if (!socket) return now >= retry ? connect() : undefined;
  if (slept) asked = 0; // the answer may have arrived, but has not been read yet
  if (asked && now - asked > (socket.readyState === 1 ? GONE_MS : DEAD_MS)) return lose();
  if (isOpen() && asked && now - asked > DEAD_MS) { isDead = true; hooks.lost(); }
  if (!asked && isOpen() && (slept || now - heard > QUIET_MS)) {
    asked = now;
    send("ping");
  }
}

// Send a command; `then` gets its rows and its answer. If the server says that it came too fast, it is sent again.
export function send(line, then, attempts = 1) {
  if (!isOpen()) return;
  const id = ++next;
  answers.set(id, { line, then, attempts });
  socket.send(`${id} ${line}`);
}

export const isUnanswered = (line) => [...answers.values()].some((one) => one.line === line);

// Send a command that is answered by a list; `then` gets all rows of the list.
export function list(line, then) {
  const rows = [];
  send(line, (it) => { if (it.rows) rows.push(...it.rows); else then(rows); });
}

function receive(it) {
  if (it.type === "ping") return socket.send(`pong ${it.key}`);
  const { line, then, attempts } = answers.get(it.id) || {};
  if (it.type === "ok" || it.type === "error") answers.delete(it.id);
  if (it.type === "ok" && it.name) wait = WAIT_MS[0]; // logged in
  if (line && it.code === "RATE_LIMITED" && it.wait_ms <= SOON_MS && attempts < ATTEMPTS) {
    const mine = socket;
    setTimeout(() => { if (socket === mine) send(line, then, attempts + 1); }, it.wait_ms);
  } else if (then) then(it); else hooks[it.type]?.(it);
}

addEventListener("online", connect);
addEventListener("offline", lose);
document.addEventListener("visibilitychange", check);
setInterval(check, TICK_MS);
