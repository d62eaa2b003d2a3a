// The page: its forms, its states, and what the address bar brings.

import * as api from "./api.js";
import {browse} from "./browse.js";
import {maxRows, parse, plain} from "./csv.js";
import {anotherDay, at, fitDay, today} from "./day.js";
import {byID, h, name} from "./dom.js";
import {onFiles} from "./drop.js";
import {decode, known, maxBytes, reads} from "./files.js";
import {askKey, closeKey, onKey, takeKey} from "./key.js";
import {failLists, showChanges, showLists} from "./lists.js";
import {choose, diagnose} from "./mend.js";
import {forget, recordAll, recordMany, recordOne} from "./record.js";
import {Job} from "./job.js";
import {View} from "./rows.js";
import {button, copying, receipt, save, stem, tableReceipt} from "./share.js";
import {arrive, fragment, onBack, question} from "./route.js";
import {fail, head, show} from "./verdict.js";
import {count, plural, problem} from "./words.js";

const address = byID("address"), chain = byID("chain"), hint = byID("hint"), result = byID("result");
let sources = [];
let current = null; // the AbortController of the running request
let again = null; // what to repeat after a new key

// put puts nodes into the result, as a state.
function put(state, ...nodes) {
  result.dataset.state = state;
  document.body.classList.toggle("asked", !["empty", "nokey"].includes(state)); // the result comes first
  document.body.classList.toggle("table", state === "rows");
  result.replaceChildren(...nodes);
  entitle();
}

// entitle says in the title of the tab what the result says, and of what.
function entitle() {
  const of = result.querySelector(".many") ? result.querySelector(".summary .note") : result.querySelector(".subject .mono");
  document.title = [result.querySelector("h2")?.textContent, of?.textContent.replace(/^(.{8}).{8,}(.{6})$/, "$1…$2"), "Walletscreen"].filter(Boolean).join(" · ");
}

// place shows a state, and keeps it for Back. hash is the fragment that tells it.
function place(hash, show, stay) {
  const form = [address.value, chain.value, at.value];
  show();
  arrive(hash, () => {
    begin();
    [address.value, chain.value, at.value] = form;
    tell("");
    fitDay();
    show();
  }, stay);
}

const focusResult = () => result.querySelector("h2")?.focus();
const say = text => { byID("live").textContent = text; };

// begin aborts the running request, and returns the signal for the next one.
function begin() {
  current?.abort();
  current = new AbortController();
  forget();
  return current.signal;
}

onKey(async () => {
  const next = again;
  again = null;
  if (await loadLists()) next ? next() : address.focus();
});

onBack(() => {
  if (takeKey()) { closeKey(); loadLists(); } else if (linked()) byID("screen").requestSubmit();
  else if (location.hash === "") { begin(); showEmpty(); }
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

// read shows the entries of a list. A chosen entry is screened.
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

// validate describes the text in the field.
async function validate() {
  const text = address.value.trim();
  asking?.abort();
  tell("");
  if (text === "" || /[\r\n]/.test(text)) return tell(text ? `${plural(lines().length, "line")}. Each is screened as one address.` : "");
  if (text.length > 1024) return tell("This is longer than any address.", [], true);
  asking = new AbortController();
  try {
    describe(await api.validate(text, chain.value, asking.signal), text);
  } catch {} // the hint is a help; screening names the fault
}

// tell shows a hint about what was entered, with nodes such as buttons that mend it.
function tell(text, fixes = [], invalid = false) {
  hint.textContent = text;
  byID("fixes").replaceChildren(...fixes);
  address.setAttribute("aria-invalid", String(invalid));
}

// point selects a place of the text in the field.
function point(text, from, to) {
  const lead = address.value.indexOf(text);
  address.focus();
  if (lead >= 0) address.setSelectionRange(lead + from, lead + to);
}

// diagnosis names the fault of text, and has buttons that mend it, and call then.
const diagnosis = (v, text, then) => diagnose(v, text, chain.value, (to, on) => {
  if (to !== undefined) address.value = to;
  if (on !== undefined) chain.value = on;
  then();
}, (from, to) => point(text, from, to));

// describe shows in the form what validate answers about text.
function describe(v, text) {
  if (v.reason === "secret") {
    address.value = "";
    return tell("This looks like a private key, so it was removed from the field. Never enter one anywhere. If it was real, move what it controls.", [], true);
  }
  const d = diagnosis(v, text, () => { address.focus(); validate(); });
  tell(d.text, d.nodes, d.wrong);
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

// useNow leaves the day, and screens the text again.
function useNow() {
  at.value = "";
  fitDay();
  if (lines().length > 0 && document.body.classList.contains("asked") && result.dataset.state !== "review") byID("screen").requestSubmit();
  else address.focus();
}
byID("now").addEventListener("click", useNow);

async function screenOne(text) {
  const signal = begin();
  clearTimeout(timer);
  const slow = setTimeout(() => put("loading", h("div", {class: "panel verdict"}, head("unknown", "Asking the server …"), h("div", {class: "line actions"}, button("Cancel", () => { current.abort(); showEmpty(); })))), 150);
  asking?.abort();
  tell(""); // the answer names the fault
  try {
    const answer = await api.screen(text, chain.value, at.value, signal);
    const open = answer.doubts?.length > 0 && answer.labels.length === 0, wrong = open ? await explain(text, signal, answer.doubts) : null;
    clearTimeout(slow);
    if (signal.aborted) return;
    const node = show(answer, sources, text, actions(answer, text, open), wrong);
    place(fragment(text, chainOf(answer), at.value), () => {
      put("verdict", node);
      recordOne(answer, sources, text, wrong);
      focusResult();
    });
    refresh();
  } catch (p) {
    if (p.reason === "secret") address.value = "";
    const wrong = !signal.aborted && p.field === "address" && p.reason !== "secret" ? await explain(text, signal) : null;
    clearTimeout(slow);
    if (!signal.aborted) failed(p, () => screenOne(text), wrong);
  }
}

// chainOf returns the chain that asks for an answer again: its own would settle a doubt, or is in the text and in
// no menu, as in eip155:1:0x….
const chainOf = answer => (answer.doubts?.length > 0 || ![...chain.options].some(o => o.value === answer.chain) ? chain.value : answer.chain);

// explain returns the diagnosis of a text that was screened and is not decided, because of doubts if
// it is an address, or null.
async function explain(text, signal, doubts = []) {
  try {
    const v = await api.validate(text, chain.value, signal);
    return v.valid && doubts.length === 0 ? null : diagnosis({...v, doubts}, text, () => byID("screen").requestSubmit());
  } catch {
    return null; // what screening said is enough
  }
}

// actions returns what can be done with an answer, which is open if it is not decided.
const actions = (answer, text, open) => [
  h("button", {type: "button", onclick: () => print()}, "Print record"),
  !open && copying("Copy address", answer.address),
  copying("Copy link", location.origin + location.pathname + fragment(text, chainOf(answer), answer.as_of)),
  copying("Copy as JSON", JSON.stringify(answer)),
  answer.as_of ? button("Lists of now", useNow) : button("Another day", anotherDay),
  !open && receipt(answer, text),
];

function failed(p, retry, wrong) {
  const state = {offline: "offline", missing_credentials: "key", invalid_token: "key", quota_exceeded: "quota"}[p.code] ?? "error";
  const input = p.code === "invalid_address" || (p.code === "missing_field" && p.field === "chain") || p.code === "unsupported_chain";
  const dated = p.code === "past_unavailable" || (at.value && p.code === "insufficient_scope");
  const node = fail(p, input || state === "key" ? [] : [dated ? button("Use the lists of now", useNow) : h("button", {type: "button", onclick: retry}, "Try again")], p.field === "chain" ? {text: p.detail, nodes: [choose()]} : wrong);
  // What was not answered is in no URL, unless it came in one: it may be a secret.
  place(!input && question()?.text === address.value.trim() ? location.hash : "", () => { put(state, node); focusResult(); });
  if (state === "key") {
    again = retry;
    const [title, why] = problem(p);
    askKey(`${title}. ${why}`);
  }
}

// --- many addresses

function screenText(all) {
  const table = all.some(l => /[,;\t|]/.test(l)) ? parse(all.join("\n")) : {delimiter: ",", records: [["address"], ...all.map(l => [l])], width: 1, header: true, addresses: 0, chains: -1};
  if (table.chains < 0) table.chain = chain.value;
  else chain.value = ""; // the rows have theirs
  clearTimeout(timer);
  asking?.abort();
  tell("");
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
    table.file = file;
    table.first = (table.skipped ?? 0) + (table.header ? 2 : 1); // the number that a spreadsheet program gives the first row
    if (crypto.subtle) table.hash = [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))].map(b => b.toString(16).padStart(2, "0")).join("");
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
  const node = h("article", {class: "panel verdict", "data-shape": "unknown"}, head("unknown", ["Not screened: ", name(file)], h("p", {class: "line-of"}, text)), h("p", {}, "Nothing was screened."));
  place("", () => { put("error", node); focusResult(); });
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
  place("#table", () => { put("review", form); focusResult(); }, false);
}

function start(file, table) {
  const body = table.header ? table.records.slice(1) : table.records;
  const job = new Job(file, body.map((r, i) => ({number: i + (table.first ?? 1), text: plain(r[table.addresses] ?? ""), given: plain(r[table.chains] ?? "") || table.chain || ""})), at.value, table);
  const view = new View(job, sources, {
    cancel: () => current.abort(),
    resume: run,
    print: () => print(),
    printAll: () => { recordAll(view); print(); recordMany(view); },
    download: () => download(file, job),
    receipt: () => tableReceipt(job),
    open: row => open(row, view),
  });
  async function run() {
    const signal = begin();
    say(`Screening ${plural(job.rows.length, "row")}.`);
    let half = false;
    await job.run(signal, () => {
      if (result.contains(view.node)) view.update(), entitle();
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
  run();
  view.update();
  place("#table", () => {
    put("rows", view.node);
    if (!job.running) recordMany(view);
    focusResult();
  }, location.hash === "#table" && result.dataset.state === "review");
}

function download(file, job) {
  save(stem(file) + `-screened${job.at && "-as-of-" + job.at}.csv`, "\ufeff" + job.csv());
}

function open(row, view) {
  const dialog = byID("detail");
  const close = h("button", {type: "button", class: "quiet", onclick: () => dialog.close()}, "Close");
  if (row.result) recordOne(row.result, sources, row.text);
  dialog.replaceChildren(row.result ? show(row.result, sources, row.text, [close, h("button", {type: "button", onclick: () => print()}, "Print record"), receipt(row.result, row.text)])
    : fail(row.problem, [close]));
  dialog.onclose = () => { dialog.replaceChildren(); recordMany(view); };
  dialog.showModal();
  dialog.querySelector("h2").focus();
}

onFiles(files => {
  if (files.length === 1) return take(files[0]);
  begin();
  refuse(plural(files.length, "file"), "Drop one file at a time.");
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

// linked fills in the question that the URL asks, and reports whether there is one.
function linked() {
  const q = question();
  if (q) {
    [address.value, chain.value, at.value] = [q.text, q.chain, q.at];
    fitDay();
  }
  if (!q || chain.value === q.chain) return Boolean(q);
  tell(`The link names the chain ${q.chain}, which is not supported. Choose one.`, [choose()], true);
  return false;
}

// Links within the page move the focus, and leave the URL, which tells the verdict, alone.
byID("skip").addEventListener("click", e => { e.preventDefault(); address.focus(); });
byID("to-lists").addEventListener("click", e => {
  e.preventDefault();
  byID("about").open = true;
  byID("about").querySelector("summary").focus();
});

takeKey();
showEmpty();
arrive(location.hash, () => { begin(); showEmpty(); address.focus(); }, true);
address.focus();
if (linked()) again = () => byID("screen").requestSubmit();
loadLists().then(ok => {
  if (!ok || !again) return;
  again();
  again = null;
});
