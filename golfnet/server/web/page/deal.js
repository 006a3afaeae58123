// The fair deal (PROTOCOL.md): the page seals a secret for each hole, reveals it in time, and checks the deal after it.

import { recall, remember } from "./elements.js";
import { game, mySeat } from "./game.js";
import { isUnanswered, send } from "./line.js";

const SCHEME = "golfnet-deal-v2";
let deal = recall("deal"); // {match, hole, commitment, text, seal} for the next hole or the current one

// Fractional parts of the roots of primes, as SHA-256 needs them (FIPS 180-4).
const primes = [];
for (let n = 2; primes.length < 64; n += 1) if (primes.every((prime) => n % prime)) primes.push(n);
const fraction = (root) => Math.floor((root % 1) * 2 ** 32);
const ROUND = primes.map((n) => fraction(Math.cbrt(n)));

// Return the digest of texts and bytes with LF between them, as hex. Browsers offer SHA-256 only to pages with TLS.
function sha256(...parts) {
  const encoded = (part) => (Array.isArray(part) ? part : new TextEncoder().encode(part));
  const bytes = parts.flatMap((part) => [10, ...encoded(part)]).slice(1);
  const turn = (word, by) => (word >>> by) | (word << (32 - by));
  const hash = primes.slice(0, 8).map((n) => fraction(Math.sqrt(n)));
  const blocks = new DataView(new ArrayBuffer((bytes.length + 72) & -64));
  [...bytes, 128].forEach((byte, n) => blocks.setUint8(n, byte));
  blocks.setUint32(blocks.byteLength - 4, bytes.length * 8);
  for (let at = 0; at < blocks.byteLength; at += 64) {
    const words = Array.from({ length: 16 }, (_, n) => blocks.getInt32(at + 4 * n));
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

// Seal a secret for the next hole, and reveal it once sealing is closed.
export function witness() {
  const { match, hole, commitment, state, sealing_ms: closesIn, deal: scheme } = game.view, me = mySeat();
  if (!me || scheme !== SCHEME || !commitment || state === "finished") return;
  const next = state === "playing" ? hole : hole + 1;
  if (deal?.match !== match || deal.hole !== next) {
    const text = crypto.getRandomValues(new Uint32Array(4)).join("-");
    const seal = sha256(`${SCHEME} seal`, match, `${next}`, me.name, text);
    deal = { match, hole: next, commitment, text, seal };
    remember("deal", deal);
  }
  const isSealed = me.seal === deal.seal, isClosed = closesIn !== null;
  const line = isClosed ? `cut ${deal.text}` : `seal ${deal.seal}`;
  const isDue = state !== "playing" && (isClosed ? isSealed && !me.told : !isSealed);
  if (isDue && !isUnanswered(line)) send(line, () => {});
}

// Return what to tell the player about the deal of a hole that has ended.
export function verdict({ seed, seals, cuts }) {
  const { match, hole, seats } = game.view, me = seats.indexOf(mySeat());
  if (me < 0 || deal?.match !== match || deal.hole !== hole) return "";
  const secret = seed.match(/../g).map((pair) => parseInt(pair, 16));
  const promise = sha256(`${SCHEME} commit`, match, `${hole}`, secret);
  if (promise !== deal.commitment) return "! This deal was not the one that was promised.";
  if (!seals || seals[me] !== deal.seal || !cuts[me]) return "This hole was dealt without your secret.";
  return cuts[me] === deal.text ? "✓ deal checked" : "! Your secret was changed.";
}
