// The page: its forms, its states, and what the address bar brings.

import * as api from "./api.js";
import {browse} from "./browse.js";
import {now} from "./clock.js";
import {maxRows, parse, plain} from "./csv.js";
import {byID, chainName, h, name} from "./dom.js";
import {decode, known, maxBytes, reads} from "./files.js";
import {failLists, showChanges, showLists} from "./lists.js";
import {forget, recordAll, recordMany, recordOne} from "./record.js";
import {Job, View} from "./rows.js";
import {fail, head, show} from "./verdict.js";
import {count, day, doubt, or, plural, problem, same} from "./words.js";

const address = byID("address"), chain = byID("chain"), at = byID("at"), hint = byID("hint"), result = byID("result");
let sources = [];
let current = null; // the AbortController of what is running
let again = null; // what to repeat after a new key

// put puts nodes into the result, as a state.
function put(state, ...nodes) {
  result.dataset.state = state;
  document.body.classList.toggle("asked", !["empty", "nokey"].includes(state)); // the result comes first
  result.replaceChildren(...nodes);
}

const focusResult = () => result.querySelector("h2")?.focus();
const say = text => { byID("live").textContent = text; };

// begin aborts what is running, and returns the signal for what follows.
function begin() {
  current?.abort();
  current = new AbortController();
  forget();
  return current.signal;
}

// --- key

function takeFragment() {
  const match = /^#key=(.+)$/.exec(location.hash);
  if (!match) return false;
  history.replaceState(null, "", location.pathname + location.search);
  let text = match[1];
  try {
    text = decodeURIComponent(text);
  } catch {} // not encoded
  if (api.setKey(text)) return true;
  askKey("The key in the address of this page is not a key. Type it here.");
  return false;
}

function askKey(reason, focus = true) {
  byID("key").hidden = false;
  byID("key-button").setAttribute("aria-expanded", "true");
  byID("key-reason").textContent = reason;
  if (focus) byID("key-input").focus();
}

function closeKey() {
  byID("key").hidden = true;
  byID("key-input").value = "";
  byID("key-button").setAttribute("aria-expanded", "false");
}

byID("key-button").addEventListener("click", () => (byID("key").hidden ? askKey(api.hasKey() ? "A key is in use. You can use another one." : "Type the API key that you were given. The command serve prints a link that brings it along.") : closeKey()));

byID("key").addEventListener("submit", async e => {
  e.preventDefault();
  const fits = api.setKey(byID("key-input").value);
  byID("key-input").setAttribute("aria-invalid", String(!fits));
  if (!fits) return askKey("This is not a key: it is empty, or has blanks or letters that a key cannot have.");
  api.keep(byID("keep").checked);
  closeKey();
  const next = again;
  again = null;
  if (await loadLists()) next ? next() : address.focus();
});

addEventListener("hashchange", () => {
  if (takeFragment()) { closeKey(); loadLists(); } else if (linked()) byID("screen").requestSubmit();
});

// --- lists

async function loadLists() {
  try {
    sources = await api.sources();
    at.max = today(); // the server's
    const changes = (await api.changes().catch(p => { if (p.status === 401) throw p; return {changes: []}; })).changes ?? [];
    showLists(sources, changes, read);
    showChanges(changes, sources);
    if (result.dataset.state === "empty" || result.dataset.state === "nokey" || result.dataset.state === "offline") showEmpty();
    return true;
  } catch (p) {
    const [title, why] = problem(p);
    if (p.status === 401) {
      failLists("Shown once a key is given.");
      askKey(p.code === "missing_credentials" ? "This page needs an API key. The command serve prints a link that brings it along, or type it here." : `${title}. ${why}`);
      if (!current) put("nokey");
    } else {
      failLists(`The state of the lists is unknown. ${title}.`);
      if (!current) put(p.code === "offline" ? "offline" : "error", fail(p, [h("button", {type: "button", onclick: loadLists}, "Try again")]));
    }
    return false;
  }
}

// read shows the entries of a list. The one that is chosen is screened.
const read = list => browse(list, text => {
  [address.value, chain.value] = [text, ""];
  byID("screen").requestSubmit();
});

function showEmpty() {
  put("empty", h("div", {class: "empty"},
    h("p", {}, "Paste an address and press Enter. The answer names every list that was searched, how old it is, and why an address matches."),
    h("p", {}, `For a customer file, choose it or drop it anywhere on this page: ${reads}. You get it back with a verdict in every row.`)));
}

// --- one address

let asking = null, timer = 0;

// validate describes what is in the field, if it is wanted.
async function validate(wanted = () => true) {
  const text = address.value.trim();
  asking?.abort();
  tell("");
  if (text === "" || /[\r\n]/.test(text)) return tell(text ? `${plural(lines().length, "line")}. Each is screened as one address.` : "");
  if (text.length > 1024) return tell("This is longer than any address.", [], true);
  asking = new AbortController();
  try {
    const v = await api.validate(text, chain.value, asking.signal);
    if (wanted(v)) describe(v, text);
  } catch {} // the hint is a help; screening says what is wrong
}

// tell shows a hint about what was entered, with nodes such as buttons that mend it.
function tell(text, fixes = [], invalid = false) {
  hint.textContent = text;
  byID("fixes").replaceChildren(...fixes);
  address.setAttribute("aria-invalid", String(invalid));
}

const button = (text, onclick) => h("button", {type: "button", class: "quiet", onclick}, text);

// mend returns a button that replaces what was entered, or its chain.
const mend = (text, to, on) => button(text, () => {
  if (to !== undefined) address.value = to;
  if (on !== undefined) chain.value = on;
  address.focus();
  validate();
});

const causes = {
  missing_prefix: "The 0x at the beginning is missing.",
  look_alike: "A character looks like another one, such as the letter O for the digit 0.",
  extra_character: "There is one character too many.",
  missing_character: "One character is missing.",
  capitals: "A small letter and a capital are mixed up.",
};

// marked returns text with the place of an error marked, and a button that selects it.
function marked(text, from, length) {
  const bytes = new TextEncoder().encode(text), to = n => new TextDecoder().decode(bytes.slice(0, n)).length;
  const [a, b] = [to(from), length > 0 ? to(from + length) : to(from)], lead = address.value.indexOf(text);
  return [h("p", {class: "mono place"}, name(text.slice(0, a)), h("mark", {}, text.slice(a, b) || "\u2038"), name(text.slice(b))),
    button("Show it in the field", () => { address.focus(); address.setSelectionRange(lead + a, lead + Math.max(b, a + 1)); })];
}

// describe shows what validate answers about text.
function describe(v, text) {
  if (v.reason === "secret") {
    address.value = "";
    return tell("This looks like a private key, so it was removed from the field. Never enter one anywhere. If it was real, move what it controls.", [], true);
  }
  const c = v.correction;
  if (c) return tell(`${causes[c.cause] ?? v.detail} Compare it with the original.`, [marked(text, c.offset, c.length), mend(`Use ${c.address}`, c.address)].flat(), true);
  const digits = /^0x([0-9a-f]*)$/i.exec(text)?.[1].length - 40;
  if (digits && Math.abs(digits) < 6 && (v.doubts?.includes("short") || v.reason === "bad_length")) {
    return tell(`An EVM address has 40 digits after 0x, and this has ${40 + digits}: ${plural(Math.abs(digits), "digit")} ${digits > 0 ? "too many" : "missing"}. Compare it with the original.`, [], true);
  }
  if (v.valid && v.doubts?.length > 0) return tell(v.doubts.map(doubt).join(" "));
  if (v.valid) {
    const rest = v.chains.filter(c => c !== v.chain).map(chainName);
    const decorated = !same(v.address, text) && text.length > v.address.length + 4; // a link, a URI, CAIP-10
    if (decorated) return tell(`This is read as ${v.address} on ${chainName(v.chain)}.`, [mend("Use only the address", v.address, chain.value && v.chain)]);
    return tell(`Valid on ${chainName(v.chain)}.${chain.value || rest.length === 0 ? "" : ` It is also valid on ${or(rest)}: choose the chain if you mean another.`}`);
  }
  const other = v.suggested_chain && mend(`Switch to ${chainName(v.suggested_chain)}`, undefined, v.suggested_chain);
  tell(v.detail ?? "This is not an address.", [v.offset >= 0 && marked(text, v.offset, 1), other].flat().filter(Boolean), true);
}

address.addEventListener("input", () => {
  clearTimeout(timer);
  tell("");
  timer = setTimeout(() => validate(), 250);
});
chain.addEventListener("change", () => validate());

address.addEventListener("keydown", e => {
  const many = /[\r\n]/.test(address.value);
  if (e.key === "Enter" && !e.isComposing && (e.ctrlKey || e.metaKey || (!e.shiftKey && !many))) {
    e.preventDefault();
    byID("screen").requestSubmit();
  }
});

const lines = () => address.value.split(/\r\n|\r|\n/).map(l => l.trim()).filter(Boolean);

byID("screen").addEventListener("submit", e => {
  e.preventDefault();
  const all = lines();
  if (all.length === 0) {
    tell("Paste an address first.", [], true);
    address.focus();
  } else if (!fitDay()) at.focus();
  else if (all.length === 1) screenOne(all[0]);
  else screenText(all);
});

// --- the day of the lists

const today = () => now().toISOString().slice(0, 10); // in UTC

// showDay shows the field for the day, which is hidden beside a verdict of now.
function showDay(open = at.value !== "" || at.validity.badInput) {
  document.body.classList.toggle("dated", open);
  byID("now").hidden = !open;
}

// fitDay reports whether the day is none or one that has come, and says if it is not. A day
// that is only half entered must not become the lists of now.
function fitDay() {
  const fits = !at.validity.badInput && at.value <= today();
  showDay();
  at.setAttribute("aria-invalid", String(!fits));
  byID("at-note").textContent = at.validity.badInput ? "This is not a whole date." : !fits ? "This day is yet to come." : at.value ? `The lists as they were at the end of ${day(at.value)}, in UTC.` : "Empty means now. A day means its end in UTC.";
  return fits;
}

at.addEventListener("input", fitDay);

// useNow leaves the day, and screens again what is there.
function useNow() {
  at.value = "";
  fitDay();
  if (lines().length > 0 && document.body.classList.contains("asked") && result.dataset.state !== "review") byID("screen").requestSubmit();
  else address.focus();
}
byID("now").addEventListener("click", useNow);

const anotherDay = () => { showDay(true); at.focus(); };

async function screenOne(text) {
  const signal = begin();
  clearTimeout(timer);
  const slow = setTimeout(() => put("loading", h("div", {class: "panel verdict"}, head("unknown", "Asking the server …"), h("button", {type: "button", class: "quiet", onclick: () => { current.abort(); showEmpty(); }}, "Cancel"))), 150);
  try {
    const answer = await api.screen(text, chain.value, at.value, signal);
    clearTimeout(slow);
    put("verdict", show(answer, sources, text, actions(answer, text)));
    recordOne(answer, sources, text);
    focusResult();
    refresh();
    if (answer.doubts?.length > 0 && answer.labels.length === 0) validate(v => v.correction); // it may be mended
  } catch (p) {
    clearTimeout(slow);
    if (signal.aborted) return;
    if (p.reason === "secret") address.value = "", tell("");
    failed(p, () => screenOne(text));
    if (p.field === "address" && p.reason !== "secret") validate();
  }
}

// actions returns what can be done with an answer.
const actions = (answer, text) => [
  h("button", {type: "button", onclick: () => print()}, "Print record"),
  button("Copy address", e => copy(e, answer.address)),
  button("Copy link", e => copy(e, `${location.origin}${location.pathname}#address=${encodeURIComponent(text)}&chain=${answer.chain}${answer.as_of ? `&at=${answer.as_of.slice(0, 10)}` : ""}`)),
  button("Copy as JSON", e => copy(e, JSON.stringify(answer))),
  answer.as_of ? button("Lists of now", useNow) : button("Another day", anotherDay),
  answer.chain && !answer.as_of && button("Receipt", async e => {
    const it = e.currentTarget;
    try {
      save("receipt.txt", await api.receipt(text, answer.chain));
      it.textContent = "Receipt saved";
    } catch (p) {
      it.textContent = p.code === "receipt_unavailable" ? "This server writes no receipts" : problem(p)[0];
    }
  }),
];

function failed(p, retry) {
  const state = {offline: "offline", missing_credentials: "key", invalid_token: "key", quota_exceeded: "quota"}[p.code] ?? "error";
  const input = p.code === "invalid_address" || (p.code === "missing_field" && p.field === "chain") || p.code === "unsupported_chain";
  const dated = p.code === "past_unavailable" || (at.value && p.code === "insufficient_scope");
  put(state, fail(p, input || state === "key" ? [] : [dated ? button("Use the lists of now", useNow) : h("button", {type: "button", onclick: retry}, "Try again")]));
  if (state === "key") {
    again = retry;
    const [title, why] = problem(p);
    askKey(`${title}. ${why}`);
  } else focusResult();
}

async function copy(e, text) {
  const it = e.currentTarget;
  try {
    await navigator.clipboard.writeText(text);
    it.textContent = "Copied";
  } catch {
    it.textContent = "Copying is not allowed here";
  }
}

// --- many addresses

function screenText(all) {
  const table = all.some(l => /[,;\t|]/.test(l)) ? parse(all.join("\n")) : {delimiter: ",", records: [["address"], ...all.map(l => [l])], width: 1, header: true, addresses: 0, chains: -1};
  if (table.chains < 0) table.chain = chain.value;
  else chain.value = ""; // the rows have theirs
  start("Pasted list", table);
}

async function take(file) {
  const signal = begin();
  try {
    const bytes = new Uint8Array(await file.slice(0, maxBytes).arrayBuffer());
    if (signal.aborted) return;
    known(bytes);
    if (file.size > maxBytes) return refuse(file.name, `It is larger than ${maxBytes >> 20} MiB. ${elsewhere}`);
    const table = parse(decode(bytes));
    const rows = table.records.length - (table.header ? 1 : 0);
    if (rows < 1) return refuse(file.name, "It has no rows.");
    if (rows > maxRows) return refuse(file.name, `It has ${count(rows)} rows, and this page takes ${count(maxRows)}. ${elsewhere}`);
    [address.value, chain.value] = ["", ""]; // they belong to the last question
    tell("");
    review(file.name, table);
  } catch (e) {
    refuse(file.name, e.message);
  }
}

const elsewhere = "For such files use the command line: walletscreen screen -in FILE -out FILE.";

function refuse(file, text) {
  put("error", h("article", {class: "panel verdict", "data-shape": "unknown"}, head("unknown", ["Not screened: ", name(file)], h("p", {class: "line-of"}, text)), h("p", {}, "Nothing was screened.")));
  focusResult();
}

// review asks which columns to read, before anything is screened.
function review(file, table) {
  const rows = () => table.records.length - (table.header ? 1 : 0);
  const pick = (id, label, chosen, none) => h("p", {class: "field"}, h("label", {for: id}, label), h("select", {id},
    none && h("option", {value: "-1"}, none), table.names.map((n, i) => h("option", {value: i, selected: i === chosen}, n))));
  const first = table.records[table.header ? 1 : 0];
  const delimiters = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"};
  const form = h("form", {class: "panel verdict review"},
    h("h2", {tabindex: "-1"}, name(file)),
    h("p", {}, `${plural(rows(), "row")}, ${plural(table.width, "column")}${table.width > 1 ? `, separated by ${delimiters[table.delimiter]}` : ""}${table.header ? ", with a header" : ", without a header"}.${table.skipped ? ` ${plural(table.skipped, "line")} above the header ${table.skipped > 1 ? "are" : "is"} left out.` : ""}`,
      api.left !== null ? ` Your key has ${plural(api.left, "screening")} left this month; repeated addresses count once.` : ""),
    h("div", {class: "line"}, pick("address-column", "Addresses are in", table.addresses), pick("chain-column", "Chains are in", table.chains, "no column"),
      h("p", {class: "field"}, h("label", {for: "other-chain"}, "Where none is named"), h("select", {id: "other-chain"}, h("option", {value: ""}, "Find the chain"), [...chain.options].slice(1).map(o => o.cloneNode(true))))),
    h("p", {class: "note"}, "First row: ", h("span", {class: "mono"}, (first[table.addresses] ?? "").slice(0, 100) || "(empty)")),
    h("div", {class: "line actions"}, h("button", {type: "submit"}, `Screen ${plural(rows(), "row")}`), button("Another day", anotherDay), h("button", {type: "button", class: "quiet", onclick: () => { showEmpty(); address.focus(); }}, "Discard")));
  const update = () => {
    table.addresses = Number(form.querySelector("#address-column").value);
    table.chains = Number(form.querySelector("#chain-column").value);
    table.chain = form.querySelector("#other-chain").value;
    form.querySelector(".note .mono").textContent = (first[table.addresses] ?? "").slice(0, 100) || "(empty)";
  };
  form.addEventListener("change", update);
  form.addEventListener("submit", e => {
    e.preventDefault();
    update();
    fitDay() ? start(file, table) : at.focus();
  });
  put("review", form);
  focusResult();
}

function start(file, table) {
  const body = table.header ? table.records.slice(1) : table.records;
  const job = new Job(file, body.map((r, i) => ({number: i + 1, text: plain(r[table.addresses] ?? ""), given: plain(r[table.chains] ?? "") || table.chain || ""})), at.value, table);
  const view = new View(job, sources, {
    cancel: () => current.abort(),
    resume: run,
    print: () => print(),
    printAll: () => { recordAll(view); print(); recordMany(view); },
    download: () => download(file, job),
    open: row => open(row, view),
  });
  async function run() {
    const signal = begin();
    say(`Screening ${plural(job.rows.length, "row")}.`);
    let half = false;
    await job.run(signal, () => {
      if (result.contains(view.node)) view.update();
      if (!half && job.done * 2 >= job.rows.length) half = true, say("Half of the rows are done.");
    });
    if (!result.contains(view.node)) return;
    recordMany(view);
    if (job.rows.some(r => r.secret)) address.value = "", tell(""); // a private key was pasted
    say(`${job.error ? "Stopped" : "Done"}. ${view.verdict.title}.`);
    if (job.error?.status === 401) {
      again = run;
      askKey(problem(job.error).slice(0, 2).join(". "));
    }
    refresh();
  }
  put("rows", view.node);
  run();
  view.update();
  focusResult();
}

function download(file, job) {
  save(file.replace(/\.[^.]*$/, "").replace(/[^\w.-]+/g, "-") + `-screened${job.at && "-as-of-" + job.at}.csv`, "\ufeff" + job.csv(sources));
}

function save(file, text) {
  const url = URL.createObjectURL(new Blob([text], {type: "text/plain;charset=utf-8"}));
  const a = h("a", {href: url, download: file});
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function open(row, view) {
  const dialog = byID("detail");
  const close = h("button", {type: "button", class: "quiet", onclick: () => dialog.close()}, "Close");
  recordOne(row.result, sources, row.text);
  dialog.replaceChildren(show(row.result, sources, row.text, [close, h("button", {type: "button", onclick: () => print()}, "Print record")]));
  dialog.onclose = () => { dialog.replaceChildren(); recordMany(view); };
  dialog.showModal();
  dialog.querySelector("h2").focus();
}

byID("file").addEventListener("change", e => {
  if (e.target.files[0]) take(e.target.files[0]);
  e.target.value = "";
});

const holdsFile = e => [...(e.dataTransfer?.types ?? [])].includes("Files");
for (const type of ["dragenter", "dragover"]) addEventListener(type, e => {
  if (!holdsFile(e)) return;
  e.preventDefault();
  document.body.classList.add("dropping");
});
addEventListener("dragleave", e => { if (!e.relatedTarget) document.body.classList.remove("dropping"); });
addEventListener("drop", e => {
  document.body.classList.remove("dropping");
  if (!holdsFile(e)) return;
  e.preventDefault();
  const {files} = e.dataTransfer;
  if (files.length > 1) begin(), refuse(plural(files.length, "file"), "Drop one file at a time.");
  else if (files[0]) take(files[0]);
});

// --- beginning

// refresh shows the current lists. It ignores errors.
async function refresh() {
  try {
    sources = await api.sources();
    const {changes} = await api.changes();
    showLists(sources, changes ?? [], read);
    showChanges(changes ?? [], sources);
  } catch {} // the lists that are shown say how old they are
}
setInterval(() => { if (document.visibilityState === "visible" && sources.length > 0) refresh(); }, 300000);

// linked fills in the address of a link to a verdict, and reports whether there is one.
function linked() {
  const it = new URLSearchParams(location.hash.slice(1)), text = it.get("address");
  if (text) {
    [address.value, chain.value, at.value] = [text, it.get("chain") ?? "", it.get("at") ?? ""];
    fitDay();
  }
  return Boolean(text);
}

takeFragment();
byID("keep").checked = api.keeps();
showEmpty();
address.focus();
if (linked()) again = () => byID("screen").requestSubmit();
loadLists().then(ok => {
  if (!ok || !again) return;
  again();
  again = null;
});
