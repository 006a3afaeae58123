// What is to be seen is described anew each time; elements that stand there already are kept, with their focus.

export const $ = (id) => document.getElementById(id);

// What happens in one part and matters to others, and what the server sends, by type; the last part says what to do.
export const hooks = {};

// Describe an element, with what is in it: descriptions and words. It is known again by its tag and its `key`.
export const h = (tag, { key = "", ...properties } = {}, ...inside) => ({ tag, key, properties, inside });

export const classes = (...names) => names.filter(Boolean).join(" ");

// Let an element show what is described, in this order, and nothing else.
export function show(parent, ...inside) {
  const old = [...parent.childNodes];
  const now = inside.flat().filter(Boolean).map((one) => {
    const { tag, key, properties } = one;
    const isIt = ({ localName, dataset }) => localName === tag && dataset?.key === key; // words have neither
    const at = old.findIndex(isIt);
    const node = at >= 0 ? old.splice(at, 1)[0] : tag ? document.createElement(tag) : new Text();
    if (tag) {
      node.dataset.key = key;
      for (const name in properties) if (properties[name] !== node.was?.[name]) node[name] = properties[name];
      node.was = properties;
      show(node, ...one.inside);
    } else if (node.data !== one) node.data = one; // what stays the same is not read out again
    return node;
  });
  old.forEach((node) => node.remove());
  now.forEach((node, n) => { if (parent.childNodes[n] !== node) parent.insertBefore(node, parent.childNodes[n]); });
}

export function recall(key) { try { return JSON.parse(localStorage.getItem(key)); } catch { return null; } }
export function remember(key, value) { try { localStorage.setItem(key, JSON.stringify(value)); } catch {} }
