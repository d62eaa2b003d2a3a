// What a person takes along: copies, files and receipts.

import * as api from "./api.js";
import {h} from "./dom.js";
import {problem} from "./words.js";

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

// tableReceipt returns a button that saves the table of a job with verdicts and one receipt, and a pasted
// list besides, or false if it is of another day. The server reads the table again, so each row counts again.
export const tableReceipt = job => !job.at && button("Table with receipt", async e => {
  const it = e.currentTarget, {table, name} = job, file = table.file ?? new Blob([job.input()]), column = (flag, n) => (n >= 0 ? {[flag]: n + 1} : {});
  it.textContent = "Screening …";
  try {
    const {output, receipt} = await api.table(file, {...column("address-column", table.addresses), ...column("chain-column", table.chains), ...table.chain && {chain: table.chain}});
    if (!table.file) save(`${stem(name)}.csv`, file);
    save(`${stem(name)}-screened.csv`, output);
    save(`${stem(name)}-receipt.txt`, receipt);
    it.textContent = `${table.file ? "Table" : "List, table"} and receipt saved`;
  } catch (p) {
    it.textContent = p.status === 404 ? "This server writes no receipts of tables" : p.code === "invalid_table" ? p.detail : problem(p)[0];
  }
});

// stem returns the name of a file without what follows the last dot, for another file.
export const stem = name => name.replace(/\.[^.]*$/, "").replace(/[^\w.-]+/g, "-");

// save saves text as a file.
export function save(file, text) {
  const url = URL.createObjectURL(new Blob([text], {type: "text/plain;charset=utf-8"}));
  const a = h("a", {href: url, download: file});
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
