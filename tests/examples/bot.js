// A bot: plays one match at a golfnet server, by nothing but what it is told it may send.
// node bot.js [HOST [PORT [NAME [RULES]]]]   (Node.js and nothing else)
const net = require("node:net");
const readline = require("node:readline");

const [host = "127.0.0.1", port = "7777", name = "javascript-bot", rules = "four-turn"] = process.argv.slice(2);
const server = net.connect(Number(port), host);
const send = (line) => server.write(line + "\n");
let prompt;

function play() {
  if (prompt.actions.includes("ready")) return send("ready");
  if (["open", "between", "finished"].includes(prompt.phase) || !prompt.actions.length) return;
  const action = prompt.actions[Math.floor(Math.random() * prompt.actions.length)];
  const count = { switch: 2, slam: 1 }[action] ?? 0; // these two want positions behind them
  const targets = count ? [...prompt.targets].sort(() => Math.random() - 0.5).slice(0, count) : [];
  send(["3", action, ...targets].join(" "));
}

readline.createInterface({ input: server }).on("line", (line) => {
  const message = line.startsWith("{") ? JSON.parse(line) : { type: "text" };
  if (message.type === "welcome") {
    send(`1 name ${name}`);
    send(`2 seek ${rules} seats=2 fill=5`); // the server's own bots take free seats after five seconds
  } else if (message.type === "prompt") {
    prompt = message;
    play();
  } else if (message.type === "error" && message.id === 3) {
    setTimeout(play, 100); // too fast, or too late; the last prompt still holds
  } else if (message.type === "error" && message.id !== undefined) {
    console.error(`${name}: ${message.message}`);
    process.exit(1);
  } else if (message.type === "ping") {
    send(`pong ${message.key}`);
  } else if (message.event === "match_ended") {
    console.log("totals", ...message.totals);
    server.end("quit\n");
  }
});
send("hello 1 client=javascript-bot");
