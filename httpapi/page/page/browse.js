// The entries of a list, with a search.

import {entries} from "./api.js";
import {byID, chainName, h, name} from "./dom.js";
import {count, kind, plural, problem} from "./words.js";

// browse shows the entries of a list in a dialog. screen is called with the entry that
// the person chooses.
export function browse(list, screen) {
  const dialog = byID("detail");
  const field = h("input", {id: "search", type: "search", autocomplete: "off", autocapitalize: "none", spellcheck: "false"});
  const said = h("p", {class: "note", role: "status"}), body = h("tbody", {}), more = h("div", {class: "line"});
  let asking = null, timer = 0, shown = 0;

  async function load(after) {
    asking?.abort();
    asking = new AbortController();
    const {signal} = asking;
    try {
      const answer = await entries(list.id, field.value.trim(), after, signal);
      if (after === 0) body.replaceChildren(), shown = 0;
      shown += answer.entries.length;
      body.append(...answer.entries.map(row));
      said.textContent = shown > 0 ? `${plural(shown, "entry", "entries")}${answer.next !== null ? ", and there are more" : field.value.trim() ? " found" : ""}.` : field.value.trim() ? "Nothing found. Screen an address to find it in any spelling." : "The list has no entries.";
      more.replaceChildren(...answer.next === null ? [] : [h("button", {type: "button", class: "quiet", onclick: () => load(answer.next)}, "Show more")]);
    } catch (p) {
      if (signal.aborted) return;
      body.replaceChildren();
      said.textContent = problem(p).slice(0, 2).join(". ");
    }
  }

  const row = e => h("tr", {},
    h("th", {scope: "row"}, h("span", {class: "mono"}, name(e.listed_address)), h("span", {class: "why"}, name([e.name, kind(e.label), e.source_ref].filter(Boolean).join(" · ")))),
    h("td", {class: "chain"}, e.chain ? chainName(e.chain) : ""),
    h("td", {}, h("button", {type: "button", class: "quiet", "aria-label": `Screen ${e.listed_address}`, onclick: () => { dialog.close(); screen(e.listed_address); }}, "Screen")));

  field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(load, 250, 0); });
  dialog.onclose = () => { asking?.abort(); dialog.replaceChildren(); };
  dialog.replaceChildren(h("article", {class: "panel browse"},
    h("div", {class: "line"}, h("h2", {tabindex: "-1"}, list.name), h("span", {class: "soft"}, `${count(list.address_count)} addresses`), h("button", {type: "button", class: "quiet close", onclick: () => dialog.close()}, "Close")),
    h("div", {class: "line"}, h("label", {for: "search"}, "Address, name or reference"), field), said,
    h("table", {class: "entries"}, h("caption", {class: "hidden"}, "Entries of the list"),
      h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "Listed as"), h("th", {scope: "col", class: "chain"}, "Chain"), h("th", {scope: "col"}, h("span", {class: "hidden"}, "Screen")))), body),
    more));
  dialog.showModal();
  field.focus();
  load(0);
}
