// The fair deal (PROTOCOL.md): a secret is sealed for each hole, told once sealing is closed, and checked at its end.

import { recall, remember } from "./elements.js";
import { game, mySeat } from "./fold.js";
import { send } from "./line.js";

const SCHEME = "golfnet-deal-v2";
let deal = recall("deal"); // {match, hole, commitment, text, seal} for the next hole or the current one

// Fractional parts of the roots of primes, as SHA-256 needs them (FIPS 180-4).
const primes = [];
for (let n = 2; primes.length < 64; n += 1) if (primes.every((prime) => n % prime)) primes.push(n);
const fraction = (root) => Math.floor((root % 1) * 2 ** 32);
const ROUND = primes.map((n) => fraction(Math.cbrt(n)));

// Return the digest of texts and bytes with LF between them, as hex: of less than 8 KiB, which is more than a line has.
// The browser's own function is not there without TLS.
export function sha256(...parts) {
  const encoder = new TextEncoder();
  const bytes = parts.flatMap((part) => [10, ...(typeof part === "string" ? encoder.encode(part) : part)]).slice(1);
  const bits = bytes.length * 8;
  bytes.push(128);
  while (bytes.length % 64 !== 56) bytes.push(0);
  bytes.push(0, 0, 0, 0, 0, 0, bits >> 8, bits & 255);
  const hash = primes.slice(0, 8).map((n) => fraction(Math.sqrt(n)));
  const turn = (word, by) => (word >>> by) | (word << (32 - by));
  for (let at = 0; at < bytes.length; at += 64) {
    const words = Array(16).fill(0);
    bytes.slice(at, at + 64).forEach((byte, n) => { words[n >> 2] = (words[n >> 2] << 8) | byte; });
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

// Handle a view or event that has been folded; return what to say about a deal that has been checked.
export function witness(it) {
  const { view } = game, me = view && mySeat();
  if (!me || view.deal !== SCHEME) return "";
  const { match, hole, commitment, state } = view, next = hole + (state === "playing" ? 0 : 1);
  if (it.type === "view" && state !== "finished" && commitment) promised(match, next, commitment, me);
  if (it.event === "committed") promised(it.match, it.hole, it.commitment, me);
  if (!deal || deal.match !== match) return "";
  const isAwaited = it.type === "view" && view.sealing_ms !== null && me.seal === deal.seal && !me.told;
  if (it.event === "seals_closed" || isAwaited) send(`cut ${deal.text}`, () => {});
  return it.event === "hole_ended" && deal.hole === hole ? verdict(it, view.seats.indexOf(me)) : "";
}

function promised(match, hole, commitment, me) {
  const isSame = deal && deal.match === match && deal.hole === hole;
  const maySeal = game.view.state !== "playing" && game.view.sealing_ms === null;
  if (isSame && (me.seal === deal.seal || !maySeal)) return;
  const text = isSame ? deal.text : crypto.getRandomValues(new Uint32Array(4)).join("-");
  const seal = sha256(`${SCHEME} seal`, match, `${hole}`, me.name, text);
  deal = { match, hole, commitment: isSame ? deal.commitment : commitment, text, seal };
  remember("deal", deal);
  if (maySeal) send(`seal ${deal.seal}`, () => {});
}

function verdict({ seed, seals, cuts }, me) {
  const secret = seed.match(/../g).map((pair) => parseInt(pair, 16));
  const promise = sha256(`${SCHEME} commit`, deal.match, `${deal.hole}`, secret);
  if (promise !== deal.commitment) return "! This deal was not the one that was promised.";
  if (!seals || seals[me] !== deal.seal || !cuts[me]) return "This hole was dealt without your secret.";
  return cuts[me] === deal.text ? "✓ deal checked" : "! Your secret was changed.";
}
