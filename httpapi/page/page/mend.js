// The faults of an entered text, and the buttons that mend them by one click.

import {chainName, h, name} from "./dom.js";
import {doubt, or, plural, same} from "./words.js";

const causes = {
  missing_prefix: "The 0x at the beginning is missing.",
  look_alike: "A character looks like another one, such as the letter O for the digit 0.",
  extra_character: "There is one character too many.",
  missing_character: "One character is missing.",
  capitals: "A small letter and a capital are mixed up.",
};

const button = (text, onclick) => h("button", {type: "button", class: "quiet", onclick}, text);

// diagnose returns what validate answers about text, for people: a sentence, nodes such as
// buttons that mend it, and whether it is wrong. chosen is the chain that the person chose, or "".
// use(address, chain) is called with what replaces the text or the chain, and point(from, to) with
// the place of an error in the text.
export function diagnose(v, text, chosen, use, point) {
  const mend = (words, to, on) => button(words, () => use(to, on));
  const c = v.correction, says = (text, nodes = [], wrong = true) => ({text, nodes: nodes.flat().filter(Boolean), wrong});
  if (c) return says(`${causes[c.cause] ?? v.detail} Compare it with the original.`, [mend(`Use ${c.address}`, c.address), marked(text, c.offset, c.length, point)]);
  const digits = /^0x([0-9a-f]*)$/i.exec(text)?.[1].length - 40;
  if (digits && Math.abs(digits) < 6 && (v.doubts?.length > 0 || v.reason === "bad_length")) {
    return says(`An EVM address has 40 digits after 0x, and this has ${40 + digits}: ${plural(Math.abs(digits), "digit")} ${digits > 0 ? "too many" : "missing"}. Compare it with the original.`);
  }
  const other = (v.chains ?? []).filter(c => c !== v.chain);
  if (v.valid && v.doubts?.length > 0) {
    const on = v.doubts.includes("ambiguous") ? [v.chain, ...other] : [];
    return says(v.doubts.map(doubt).join(" "), [on.slice(0, 4).map(c => mend(`It is on ${chainName(c)}`, undefined, c)), on.length !== 0 && choose()], false);
  }
  if (v.valid) {
    const decorated = !same(v.address, text) && text.length > v.address.length + 4; // a link, a URI, CAIP-10
    if (decorated) return says(`This is read as ${v.address} on ${chainName(v.chain)}.`, [mend("Use only the address", v.address, chosen && v.chain)], false);
    return says(`Valid on ${chainName(v.chain)}.${chosen || other.length === 0 ? "" : ` It is also valid on ${or(other.map(chainName))}: choose the chain if you mean another.`}`, [], false);
  }
  return says(v.detail, [v.suggested_chain && mend(`Switch to ${chainName(v.suggested_chain)}`, undefined, v.suggested_chain), v.offset >= 0 && marked(text, v.offset, 1, point)]);
}

// choose returns a button that leads to the choice of a chain.
export const choose = () => button("Choose the chain", () => document.getElementById("chain").focus());

// marked returns text with the place of an error marked, and a button that selects it. Places
// are counted in bytes.
function marked(text, from, length, point) {
  const bytes = new TextEncoder().encode(text), to = n => new TextDecoder().decode(bytes.slice(0, n)).length;
  const [a, b] = [to(from), length > 0 ? to(from + length) : to(from)];
  return [button("Show it in the field", () => point(a, Math.max(b, a + 1))),
    h("p", {class: "mono place"}, name(text.slice(0, a)), h("mark", {}, text.slice(a, b) || "\u2038"), name(text.slice(b)))];
}
