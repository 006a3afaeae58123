// The line to the server: commands with numbers, their answers, and a watch on whether it still lives.

const TICK_MS = 400;
const QUIET_MS = 1800; // after so long without a word the server is asked for one
const DEAD_MS = 2200; // after so long without an answer the line is called dead, whatever the browser thinks
const GONE_MS = 6000; // after so long it is given up: a server that only stood still counts no lost connection
const SOON_MS = 2000, ATTEMPTS = 3; // how long and how often a command is held back that was sent too fast
const WAIT_MS = [500, 8000]; // between two attempts: the first wait, and the longest

let socket = null, next = 0, wait = WAIT_MS[0], retry = 0, ticked = 0, hooks = null;
let isDead = false, heard = 0, asked = 0; // when something last came, and since when an answer is waited for
const answers = new Map(); // the commands that are not answered, by their numbers

// `opened`, `received(object)`, `lost` and, where it was not lost after all, `found` are called; `isWanted` says whether there should be a line.
export function beginLine(handlers) {
  hooks = handlers;
  addEventListener("online", connect);
  addEventListener("offline", lose);
  document.addEventListener("visibilitychange", check);
  setInterval(check, TICK_MS);
  connect();
}

export const isOpen = () => Boolean(socket && socket.readyState === 1 && !isDead);
export const isUp = () => { wait = WAIT_MS[0]; };

export function connect() {
  if (socket || !hooks.isWanted()) return;
  const mine = (socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/lines`));
  asked = Date.now() + DEAD_MS; // to connect may take twice as long
  socket.onopen = () => {
    socket.send("hello 1 client=web/2");
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
  const old = socket;
  socket = null;
  isDead = false;
  answers.clear();
  if (old) old.close();
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
  if (document.visibilityState !== "visible") return;
  if (!socket) return now >= retry ? connect() : undefined;
  if (slept) asked = 0; // what came meanwhile has not been read yet
  if (asked && now - asked > (socket.readyState === 1 ? GONE_MS : DEAD_MS)) return lose();
  if (isOpen() && asked && now - asked > DEAD_MS) { isDead = true; hooks.lost(); }
  if (!asked && isOpen() && (slept || now - heard > QUIET_MS)) {
    asked = now;
    send("ping");
  }
}

// Send a command; `then` gets its rows and its answer. What comes too fast for the server is sent again.
export function send(line, then, attempts = 1) {
  if (!isOpen()) return;
  const id = ++next;
  answers.set(id, { line, then, attempts });
  socket.send(`${id} ${line}`);
}

export function receive(it) {
  if (it.type === "ping") return socket.send(`pong ${it.key}`);
  const { line, then, attempts } = answers.get(it.id) || {};
  if (it.type === "ok" || it.type === "error") answers.delete(it.id);
  if (line && it.code === "RATE_LIMITED" && it.wait_ms <= SOON_MS && attempts < ATTEMPTS) {
    const mine = socket;
    setTimeout(() => { if (socket === mine) send(line, then, attempts + 1); }, it.wait_ms);
  } else if (then) then(it); else hooks.received(it);
}
