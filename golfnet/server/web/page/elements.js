// On every change, the whole page is described again. Existing elements are reused, so that they keep the focus.

export const $ = (id) => document.getElementById(id);

// Functions by which the modules notify each other, and handlers for what the server sends, by type. golf.js sets them.
export const hooks = {};

// Describe an element and its content: other descriptions, and words. `show` recognises it by its tag and its `key`.
export const h = (tag, { key = "", ...properties } = {}, ...inside) => ({ tag, key, properties, inside });

export const classes = (...names) => names.filter(Boolean).join(" ");

// Make an element contain exactly what is described, in this order.
export function show(parent, ...inside) {
  const old = [...parent.childNodes];
  const now = inside.flat().filter(Boolean).map((one) => {
    const { tag, key, properties } = one;
    const isIt = ({ localName, dataset }) => localName === tag && dataset?.key === key; // text nodes have neither
    const at = old.findIndex(isIt);
    const node = at >= 0 ? old.splice(at, 1)[0] : tag ? document.createElement(tag) : new Text();
    if (tag) {
      node.dataset.key = key;
      for (const name in properties) if (properties[name] !== node.was?.[name]) node[name] = properties[name];
      node.was = properties;
      show(node, ...one.inside);
    } else if (node.data !== one) node.data = one; // else screen readers would read it again
    return node;
  });
  old.forEach((node) => node.remove());
  now.forEach((node, n) => { if (parent.childNodes[n] !== node) parent.insertBefore(node, parent.childNodes[n]); });
}

export function recall(key) { try { return JSON.parse(localStorage.getItem(key)); } catch { return null; } }
export function remember(key, value) { try { localStorage.setItem(key, JSON.stringify(value)); } catch {} }
