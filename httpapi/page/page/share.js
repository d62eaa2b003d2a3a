// What a person takes along: copies, files and receipts.

import * as api from "./api.js";
import {h} from "./dom.js";
import {plural, problem} from "./words.js";

export const button = (text, onclick) => h("button", {type: "button", class: "quiet", onclick}, text);

// copying returns a button that copies text.
export const copying = (what, text) => button(what, async e => {
  const it = e.currentTarget;
  try {
    await navigator.clipboard.writeText(text);
    it.textContent = "Copied";
  } catch {
    it.textContent = "Copying is not allowed here";
  }
});

// receipt returns a button that saves the receipt of an answer, or false.
export const receipt = (answer, text) => answer.chain && !answer.as_of && button("Receipt", async e => {
  const it = e.currentTarget;
  try {
    save("receipt.txt", await api.receipt(text, answer.chain));
    it.textContent = "Receipt saved";
  } catch (p) {
    it.textContent = p.code === "receipt_unavailable" ? "This server writes no receipts" : problem(p)[0];
  }
});

// receipts returns a button that saves the receipts of the matches among rows, one after the other, or
// false if there are none, or too many to ask for one by one.
export function receipts(rows) {
  const all = new Map(rows.filter(r => r.result?.labels.length > 0 && !r.result.as_of).map(r => [r.chain + "\0" + r.text, r]));
  return all.size > 0 && all.size <= 250 && button(`Receipts of ${plural(all.size, "match", "matches")}`, async e => {
    const it = e.currentTarget, texts = [];
    try {
      for (const r of all.values()) {
        texts.push(await api.receipt(r.text, r.result.chain));
        it.textContent = `${plural(texts.length, "receipt")} of ${all.size}`;
      }
      save("receipts.jsonl", texts.join(""));
      it.textContent = `${plural(texts.length, "receipt")} saved`;
    } catch (p) {
      it.textContent = p.code === "receipt_unavailable" ? "This server writes no receipts" : problem(p)[0];
    }
  });
}

// save saves text as a file.
export function save(file, text) {
  const url = URL.createObjectURL(new Blob([text], {type: "text/plain;charset=utf-8"}));
  const a = h("a", {href: url, download: file});
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
