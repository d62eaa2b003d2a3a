// Builds elements. No string ever becomes markup: text goes into text nodes.

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter(c => c !== null && c !== undefined && c !== false));
  return node;
}

// h returns an HTML element. Attributes whose name begins with "on" are listeners.
export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

// svg returns an SVG element.
export const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

export const byID = id => document.getElementById(id);

// chainName returns the name of a chain.
export const chainName = slug => [...byID("chain").options].find(o => o.value === slug)?.text ?? slug;

// link returns a link to another site, or plain text if url is not a web address.
export function link(url, text, about) {
  let target;
  try {
    target = new URL(url);
  } catch {
    return text;
  }
  if (target.protocol !== "https:" && target.protocol !== "http:") return text;
  return h("a", {href: target.href, target: "_blank", rel: "noopener noreferrer"}, text,
    h("span", {class: "out", "aria-hidden": "true"}, "\u00a0↗"), h("span", {class: "hidden"}, ` (${about}, opens in a new tab)`));
}

// time returns a time element that shows text.
export const time = (iso, text) => h("time", {datetime: iso}, text);

// terms returns a description list of the pairs that have a value.
export const terms = (...pairs) => h("dl", {}, pairs.filter(p => p[1]).map(p => h("div", {}, h("dt", {}, p[0]), h("dd", {}, p[1]))));

// name returns text that others wrote, such as the name of an entity, so that it cannot
// change the direction or the order of the text around it.
export const name = text => h("bdi", {}, text);
