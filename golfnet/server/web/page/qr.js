// A QR code (ISO/IEC 18004): bytes, level L, versions 1 to 5, which have one block each, and always the first mask.

const DATA = [19, 34, 55, 80, 108], CHECK = [7, 10, 15, 20, 26]; // code words by version
const FORMAT = 0b111011111000100; // of level L and mask 0, with its own check

const exp = [1], log = [];
for (let n = 1; n < 256; n += 1) exp[n] = (exp[n - 1] << 1) ^ (exp[n - 1] > 127 ? 285 : 0);
exp.forEach((power, n) => { if (n < 255) log[power] = n; });
const times = (one, other) => (one && other ? exp[(log[one] + log[other]) % 255] : 0);

function checkWords(data, count) {
  const divisor = [...Array(count - 1).fill(0), 1], rest = Array(count).fill(0);
  for (let root = 0, power = 1; root < count; root += 1, power = times(power, 2)) {
    divisor.forEach((_, n) => { divisor[n] = times(divisor[n], power) ^ (divisor[n + 1] || 0); });
  }
  for (const word of data) {
    const factor = word ^ rest.shift();
    rest.push(0);
    divisor.forEach((part, n) => { rest[n] ^= times(part, factor); });
  }
  return rest;
}

// Return the rows of a text's code, true for dark; null if the text is too long.
export function qrCode(text) {
  const bytes = [...new TextEncoder().encode(text)], version = DATA.findIndex((words) => bytes.length + 2 <= words) + 1;
  if (!version) return null;
  const halves = [4, bytes.length >> 4, bytes.length & 15, ...bytes.flatMap((byte) => [byte >> 4, byte & 15]), 0, 0, 0];
  const data = Array.from({ length: halves.length / 2 }, (_, n) => (halves[2 * n] << 4) | halves[2 * n + 1]);
  for (let pad = 236; data.length < DATA[version - 1]; pad ^= 236 ^ 17) data.push(pad);
  data.length = DATA[version - 1];
  const size = 17 + 4 * version, rows = Array.from({ length: size }, () => Array(size).fill(null));
  const square = (top, left, radius, dark) => {
    for (let y = -radius; y <= radius; y += 1) for (let x = -radius; x <= radius; x += 1) {
      if (rows[top + y]?.[left + x] !== undefined) rows[top + y][left + x] = dark(Math.max(Math.abs(x), Math.abs(y)));
    }
  };
  for (const [top, left] of [[3, 3], [3, size - 4], [size - 4, 3]]) square(top, left, 4, (ring) => ring !== 2 && ring !== 4);
  if (version > 1) square(size - 7, size - 7, 2, (ring) => ring !== 1);
  for (let n = 8; n < size - 8; n += 1) rows[6][n] = rows[n][6] = n % 2 === 0;
  for (let n = 0; n < 15; n += 1) {
    const dark = Boolean((FORMAT >> n) & 1);
    rows[n < 6 ? n : n < 8 ? n + 1 : size - 15 + n][8] = dark;
    rows[8][n < 8 ? size - 1 - n : n < 9 ? 7 : 14 - n] = dark;
  }
  rows[size - 8][8] = true;
  const bits = [...data, ...checkWords(data, CHECK[version - 1])].flatMap((word) => [7, 6, 5, 4, 3, 2, 1, 0].map((n) => (word >> n) & 1));
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) for (const x of [right, right - 1]) {
      const y = (right + 1) & 2 ? step : size - 1 - step;
      if (rows[y][x] === null) rows[y][x] = Boolean((bits.shift() || 0) ^ ((x + y) % 2 === 0 ? 1 : 0));
    }
  }
  return rows;
}
