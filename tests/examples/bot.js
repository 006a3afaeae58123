// A bot: it plays one match on a golfnet server, sends only what it is allowed to, and reconnects if cut off.
// node bot.js [HOST [PORT [NAME [RULES]]]]   (Node.js and nothing else)
const net = require("node:net");
const readline = require("node:readline");

const [host = "127.0.0.1", port = "7777", name = "javascript-bot", rules = "four-turn"] = process.argv.slice(2);
let token, prompt, server;
const send = (line) => server.write(line + "\n");

function end(status, told) {
  (status ? console.error : console.log)(told);
  process.exit(status);
}

function play() {
  if (prompt.actions.includes("ready")) return send("ready");
  if (["open", "between"].includes(prompt.phase) || !prompt.actions.length) return;
  const action = prompt.actions[Math.floor(Math.random() * prompt.actions.length)];
  const count = { switch: 2, slam: 1 }[action] ?? 0; // arguments of these two: positions
  const targets = count ? [...prompt.targets].sort(() => Math.random() - 0.5).slice(0, count) : [];
  send(["3", action, ...targets].join(" "));
}

function answer(message) {
  const { type, id } = message;
  if (type === "welcome") {
    send(token ? `1 resume ${token}` : `1 name ${name}`);
  } else if (type === "ok" && id === 1) {
    token = message.token ?? token;
    // The server's own bots take free seats after five seconds; if we resumed, there is a table already.
    if (!message.table) send(`2 seek ${rules} seats=2 fill=5`);
  } else if (message.event === "match_ended" || message.phase === "finished") {
    end(0, `totals ${(message.totals ?? ["?"]).join(" ")}`); // "?" if it ended while we were away
  } else if (type === "prompt") {
    prompt = message;
    play();
  } else if (type === "error" && id === 3) {
    setTimeout(play, 100); // too fast or too late; the last prompt is still valid
  } else if ((type === "error" && id < 3) || ["TAKEN_OVER", "FLOOD", "KICKED"].includes(message.code)) {
    end(1, `${name}: ${message.message}`);
  } else if (type === "ping") {
    send(`pong ${message.key}`);
  }
}

function connect() {
  server = net.connect(Number(port), host);
  server.on("error", (problem) => token ?? end(1, `${name}: ${problem.message}`));
  server.on("close", () => setTimeout(connect, 1000)); // disconnected; the server keeps our seat for two minutes
  readline.createInterface({ input: server }).on("line", (line) => {
    if (line.startsWith("{")) answer(JSON.parse(line)); // other lines are text
  }).on("error", () => {});
  send("hello 1 client=javascript-bot");
}
connect();
