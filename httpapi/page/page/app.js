// The page: its forms, its states, and what the address bar brings.

import * as api from "./api.js";
import {decode, maxBytes, maxRows, parse, plain} from "./csv.js";
import {byID, h} from "./dom.js";
import {failLists, showChanges, showLists} from "./lists.js";
import {forget, recordMany, recordOne} from "./record.js";
import {Job, View} from "./rows.js";
import {fail, head, show} from "./verdict.js";
import {count, or, plural, problem} from "./words.js";

const address = byID("address"), chain = byID("chain"), hint = byID("hint"), result = byID("result");
const slugs = new Set([...chain.options].map(o => o.value).filter(Boolean));
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
  if (!api.setKey(byID("key-input").value)) return askKey("This is not a key: it is empty, or has blanks or letters that a key cannot have.");
  closeKey();
  const next = again;
  again = null;
  if (await loadLists()) next ? next() : address.focus();
});

addEventListener("hashchange", () => { if (takeFragment()) { closeKey(); loadLists(); } });

// --- lists

async function loadLists() {
  try {
    sources = await api.sources();
    const changes = (await api.changes().catch(p => { if (p.status === 401) throw p; return {changes: []}; })).changes ?? [];
    showLists(sources, changes);
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

function showEmpty() {
  put("empty", h("div", {class: "empty"},
    h("p", {}, "Paste an address and press Enter. The answer names every list that was searched, how old it is, and why an address matches."),
    h("p", {}, "For a customer file, drop a CSV anywhere on this page. You get it back with a verdict in every row.")));
}

// --- one address

let asking = null, timer = 0, known = null; // known: the last answer of validate

async function validate() {
  const text = address.value.trim();
  asking?.abort();
  known = null;
  if (text === "" || /[\r\n]/.test(text)) {
    hint.textContent = text ? `${plural(lines().length, "line")}. Each is screened as one address.` : "";
    return;
  }
  if (text.length > 1024) return void (hint.textContent = "This is longer than any address.");
  asking = new AbortController();
  const asked = chain.value;
  try {
    const v = await api.validate(text, asked, asking.signal);
    known = {text, chain: asked, v};
    hint.textContent = describe(v);
  } catch (p) {
    if (p.code !== "cancelled") hint.textContent = "";
  }
}

function describe(v) {
  if (v.reason === "secret") {
    address.value = "";
    return "This looks like a private key, so it was removed from the field. Never enter one anywhere. If it was real, move what it controls.";
  }
  if (!v.valid) {
    const where = v.offset > 0 ? ` Look at character ${v.offset + 1}.` : "";
    const other = v.suggested_chain ? ` It fits ${v.suggested_chain}.` : "";
    return `${v.detail ?? "This is not an address."}${where}${other}`;
  }
  const rest = v.chains.filter(c => c !== v.chain).slice(0, 3), more = v.chains.length - 1 - rest.length;
  const text = address.value.trim(), looks = api.guess(text, slugs);
  if (!chain.value && looks && !v.chains.includes(looks)) return `This looks like an address of ${looks}, but is not one. Look for a typing error.`;
  if (!chain.value && api.isShort(text)) return "This is short. Choose its chain.";
  if (!chain.value && !api.isCertain(v, text)) return `This could be an address of ${or(v.chains)}. Choose its chain.`;
  return `Valid on ${v.chain}.` + (chain.value || rest.length === 0 ? "" : ` It is also valid on ${rest.join(", ")}${more > 0 ? ` and ${more} more` : ""}: choose the chain if you mean another.`);
}

address.addEventListener("input", () => {
  clearTimeout(timer);
  hint.textContent = "";
  timer = setTimeout(validate, 250);
});
chain.addEventListener("change", validate);

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
    hint.textContent = "Paste an address first.";
    address.focus();
  } else if (all.length === 1) screenOne(all[0]);
  else screenText(all);
});

async function screenOne(text) {
  const signal = begin();
  clearTimeout(timer);
  const slow = setTimeout(() => put("loading", h("div", {class: "panel verdict"}, head("unknown", "Asking the server …"), h("button", {type: "button", class: "quiet", onclick: () => { current.abort(); showEmpty(); }}, "Cancel"))), 150);
  try {
    const on = chain.value || (await findChain(text, signal));
    const answer = await api.screen(text, on, signal);
    // Hex digits are screened in any letter case, but capitals that do not verify can be
    // the trace of a typing error.
    if (!answer.doubts && /[a-f]/.test(text) && /[A-F]/.test(text) && /^0x/i.test(answer.address) && (await api.validate(text, on, signal)).reason === "bad_checksum") answer.doubts = ["capitals"];
    clearTimeout(slow);
    put("verdict", show(answer, sources, text, [h("button", {type: "button", onclick: () => print()}, "Print record"), h("button", {type: "button", class: "quiet", onclick: e => copy(e, JSON.stringify(answer))}, "Copy as JSON")]));
    recordOne(answer, sources, text);
    focusResult();
    refresh();
  } catch (p) {
    clearTimeout(slow);
    if (signal.aborted) return;
    if (p.reason === "secret") address.value = "", hint.textContent = "";
    failed(p, () => screenOne(text));
  }
}

// findChain returns the chain that text shows. If text is not an address on any chain, it
// returns the chain that it looks like, because a list may print it.
async function findChain(text, signal) {
  const v = known?.text === text && known.chain === "" ? known.v : await api.validate(text, "", signal);
  if (api.isCertain(v, text)) return v.chain;
  const looks = v.reason === "secret" ? "" : api.guess(text, slugs);
  if (v.valid && (!looks || v.chains.includes(looks)))
    throw new api.Problem("which_chain", api.isShort(text) ? "So short an address may be a part of another one." : `It could be an address of ${or(v.chains)}, or a mistyped one of another chain.`, {});
  const slug = looks || v.suggested_chain || v.chains?.[0];
  if (slug) return slug;
  throw new api.Problem("invalid_address", (v.detail ?? "This is not an address on any chain.") + " If you know the chain, choose it above, and the lists are searched for this very text.", {reason: v.reason, field: "address"});
}

function failed(p, retry) {
  const state = {offline: "offline", missing_credentials: "key", invalid_token: "key", quota_exceeded: "quota"}[p.code] ?? "error";
  const input = p.code === "invalid_address" || p.code === "which_chain" || p.code === "unsupported_chain";
  put(state, fail(p, input || state === "key" ? [] : [h("button", {type: "button", onclick: retry}, "Try again")]));
  if (state === "key") {
    again = retry;
    const [title, why] = problem(p);
    askKey(`${title}. ${why}`);
  } else focusResult();
}

async function copy(e, text) {
  const button = e.currentTarget;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copying is not allowed here";
  }
}

// --- many addresses

function screenText(all) {
  const table = all.some(l => /[,;\t|]/.test(l)) ? parse(all.join("\n")) : {delimiter: ",", records: [["address"], ...all.map(l => [l])], width: 1, header: true, addresses: 0, chains: -1};
  start("Pasted list", table);
}

async function take(file) {
  begin();
  if (file.size > maxBytes) return refuse(`${file.name} is larger than ${maxBytes >> 20} MiB. For such files use the command line: walletscreen screen -in FILE -out FILE.`);
  try {
    const table = parse(decode(new Uint8Array(await file.arrayBuffer())));
    const rows = table.records.length - (table.header ? 1 : 0);
    if (rows < 1) return refuse(`${file.name} has no rows.`);
    if (rows > maxRows) return refuse(`${file.name} has ${count(rows)} rows, and this page takes ${count(maxRows)}. For such files use the command line: walletscreen screen -in FILE -out FILE.`);
    review(file.name, table);
  } catch (e) {
    refuse(e.message);
  }
}

function refuse(text) {
  put("error", h("article", {class: "panel verdict", "data-shape": "unknown"}, head("unknown", "This file cannot be read", h("p", {class: "line-of"}, text)), h("p", {}, "Nothing was screened.")));
  focusResult();
}

// review asks which columns to read, before anything is screened.
function review(name, table) {
  const rows = () => table.records.length - (table.header ? 1 : 0);
  const pick = (id, label, chosen, none) => h("p", {class: "field"}, h("label", {for: id}, label), h("select", {id},
    none && h("option", {value: "-1"}, none), table.names.map((n, i) => h("option", {value: i, selected: i === chosen}, n))));
  const first = table.records[table.header ? 1 : 0];
  const delimiters = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"};
  const form = h("form", {class: "panel verdict review"},
    h("h2", {tabindex: "-1"}, name),
    h("p", {}, `${plural(rows(), "row")}, ${plural(table.width, "column")}${table.width > 1 ? `, separated by ${delimiters[table.delimiter]}` : ""}${table.header ? ", with a header" : ", without a header"}.`,
      api.left !== null ? ` Your key has ${plural(api.left, "screening")} left this month; repeated addresses count once.` : ""),
    h("div", {class: "line"}, pick("address-column", "Addresses are in", table.addresses), pick("chain-column", "Chains are in", table.chains, chain.value ? `all on ${chain.value}` : "no column: find them")),
    h("p", {class: "note"}, "First row: ", h("span", {class: "mono"}, (first[table.addresses] ?? "").slice(0, 100) || "(empty)")),
    h("div", {class: "line actions"}, h("button", {type: "submit"}, `Screen ${plural(rows(), "row")}`), h("button", {type: "button", class: "quiet", onclick: () => { showEmpty(); address.focus(); }}, "Discard")));
  const update = () => {
    table.addresses = Number(form.querySelector("#address-column").value);
    table.chains = Number(form.querySelector("#chain-column").value);
    form.querySelector(".note .mono").textContent = (first[table.addresses] ?? "").slice(0, 100) || "(empty)";
  };
  form.addEventListener("change", update);
  form.addEventListener("submit", e => { e.preventDefault(); update(); start(name, table); });
  put("review", form);
  focusResult();
}

function start(name, table) {
  const body = table.header ? table.records.slice(1) : table.records;
  const job = new Job(name, body.map((r, i) => ({number: i + 1, text: plain(r[table.addresses] ?? ""), given: plain(r[table.chains] ?? "") || chain.value})), slugs, table);
  const view = new View(job, sources, {
    cancel: () => current.abort(),
    resume: run,
    print: () => print(),
    download: () => download(name, job),
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
    if (job.rows.some(r => r.secret)) address.value = hint.textContent = ""; // a private key was pasted
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

function download(name, job) {
  const url = URL.createObjectURL(new Blob(["\ufeff", job.csv(sources)], {type: "text/csv;charset=utf-8"}));
  const a = h("a", {href: url, download: name.replace(/\.[^.]*$/, "").replace(/[^\w.-]+/g, "-") + "-screened.csv"});
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
  if (e.dataTransfer.files[0]) take(e.dataTransfer.files[0]);
});

// --- beginning

// refresh shows the current lists. It ignores errors.
async function refresh() {
  try {
    sources = await api.sources();
    const {changes} = await api.changes();
    showLists(sources, changes ?? []);
    showChanges(changes ?? [], sources);
  } catch {} // the lists that are shown say how old they are
}
setInterval(() => { if (document.visibilityState === "visible" && sources.length > 0) refresh(); }, 300000);

takeFragment();
showEmpty();
address.focus();
loadLists();
