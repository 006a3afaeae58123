// The fair deal (PROTOCOL.md): seal a secret for each hole, reveal it once sealing is closed, check the deal at the end.

import { seatIn } from "./fold.js";
import { send } from "./line.js";
import { game } from "./play.js";

const SCHEME = "golfnet-deal-v2";
let deal = recall("deal"); // {match, hole, commitment, text, seal} for the next hole or the current one

export function recall(key) { try { return JSON.parse(localStorage.getItem(key)); } catch { return null; } }
export function remember(key, value) { try { localStorage.setItem(key, JSON.stringify(value)); } catch {} }

// Fractional parts of the roots of primes, as SHA-256 needs them (FIPS 180-4).
const primes = [];
for (let n = 2; primes.length < 64; n += 1) if (primes.every((prime) => n % prime)) primes.push(n);
const fraction = (root) => Math.floor((root % 1) * 2 ** 32);
const ROUND = primes.map((n) => fraction(Math.cbrt(n)));

// Return the digest of texts and bytes joined by LF, as hex. The browser's own digest is missing without TLS.
export function sha256(...parts) {
  const encoder = new TextEncoder(), bytes = [];
  parts.forEach((part, n) => bytes.push(...(n ? [10] : []), ...(typeof part === "string" ? encoder.encode(part) : part)));
  const bits = bytes.length * 8;
  bytes.push(128);
  while (bytes.length % 64 !== 60) bytes.push(0);
  bytes.push(bits >>> 24, (bits >>> 16) & 255, (bits >>> 8) & 255, bits & 255);
  const hash = primes.slice(0, 8).map((n) => fraction(Math.sqrt(n)));
  const turn = (word, by) => (word >>> by) | (word << (32 - by));
  for (let at = 0; at < bytes.length; at += 64) {
    const words = Array.from({ length: 16 }, (_, n) => [0, 1, 2, 3].reduce((word, m) => (word << 8) | bytes[at + 4 * n + m], 0));
    let [a, b, c, d, e, f, g, h] = hash;
    for (let n = 0; n < 64; n += 1) {
      if (n > 15) {
        const [x, y] = [words[n - 15], words[n - 2]];
        const mixed = (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10));
        words[n] = (words[n - 16] + words[n - 7] + mixed) | 0;
      }
      const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUND[n] + words[n]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((word, n) => { hash[n] = (hash[n] + word) | 0; });
  }
  return hash.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

const fromHex = (hex) => hex.match(/../g).map((pair) => parseInt(pair, 16));
const toHex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// Handle a view or event that has been folded; return what to say about a deal that has been checked.
export function witness(it) {
  const { view } = game, me = view && seatIn(view, view.you);
  if (!me || view.deal !== SCHEME) return "";
  const next = view.hole + (view.state === "playing" ? 0 : 1);
  if (it.type === "view" && view.state !== "finished" && view.commitment) promised(view.match, next, view.commitment, me);
  if (it.event === "committed") promised(it.match, it.hole, it.commitment, me);
  if (!deal || deal.match !== view.match) return "";
  const isAwaited = it.type === "view" && view.sealing_ms !== null && me.seal === deal.seal && !me.told;
  if (it.event === "seals_closed" || isAwaited) send(`cut ${deal.text}`, () => {});
  return it.event === "hole_ended" && deal.hole === view.hole ? verdict(it, view.seats.indexOf(me)) : "";
}

function promised(match, hole, commitment, me) {
  const isSame = deal && deal.match === match && deal.hole === hole;
  const maySeal = game.view.state !== "playing" && game.view.sealing_ms === null;
  if (isSame && (me.seal === deal.seal || !maySeal)) return;
  const text = isSame ? deal.text : toHex(crypto.getRandomValues(new Uint8Array(16)));
  const seal = sha256(`${SCHEME} seal`, match, `${hole}`, me.name, text);
  deal = { match, hole, commitment: isSame ? deal.commitment : commitment, text, seal };
  remember("deal", deal);
  if (maySeal) send(`seal ${deal.seal}`, () => {});
}

function verdict({ seed, seals, cuts }, me) {
  const promise = sha256(`${SCHEME} commit`, deal.match, `${deal.hole}`, fromHex(seed));
  if (promise !== deal.commitment) return "! This deal was not the one that was promised.";
  if (!seals || seals[me] !== deal.seal || !cuts[me]) return "This hole was dealt without your secret.";
  return cuts[me] === deal.text ? "✓ deal checked" : "! Your secret was changed.";
}
