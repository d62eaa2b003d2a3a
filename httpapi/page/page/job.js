// Many addresses: a job screens the rows of a table in batches, and writes it with the verdicts.

import {Problem, batch, newName, resets} from "./api.js";
import {cells, columns, exact, rename} from "./columns.js";
import {inert, write} from "./csv.js";
import {span, states} from "./words.js";

const batchRows = 250, batchBytes = 400 << 10, longest = 1024, tries = 5;
const passing = new Set(["rate_limited", "overloaded", "timeout", "request_timeout", "keys_unavailable", "quota_unavailable", "audit_unavailable"]);

// lost matches a cell whose address a spreadsheet program has lost.
const lost = /^=|^[0-9]([.,][0-9]+)?E\+[0-9]+$/;

// A Job is rows to screen with the lists of day at, or of now if that is "". rows are {text,
// given}: an address, and its chain or "".
export class Job {
  constructor(name, rows, at, table) {
    this.name = name;
    this.rows = rows;
    this.at = at;
    this.table = table; // the table of the file, to write it with results
    this.freshness = {};
    this.caveats = new Map(); // of any batch, by list
    this.snapshots = new Set();
    this.meta = {};
    this.error = null; // why the job stopped early
    this.running = false;
    this.done = 0;
    this.from = 0; // the rows before it have an outcome
    this.pending = null;
    this.used = {}; // the columns with a value, by class
    for (const r of rows) {
      r.chain = r.given; // without one, the server finds it
      if (r.text === "") this.settle(r, {code: "missing_field", detail: "No address."});
      else if (r.text.length > longest) this.settle(r, {code: "invalid_address", detail: "The text is longer than any address."});
    }
  }

  // settle takes the outcome of a row, and puts it into its class: a level, or UNDECIDED if it is
  // in doubt, and not listed, or has no answer.
  settle(row, outcome) {
    if (lost.test(row.text) && !outcome.labels?.length) outcome = {code: "invalid_address", reason: outcome.reason, detail: "A formula, or a number that a spreadsheet program has rounded: export the column again as text."};
    if (outcome.level) row.result = outcome;
    else row.problem = outcome;
    row.class = !outcome.level || (outcome.doubts?.length > 0 && outcome.labels.length === 0) ? "UNDECIDED" : outcome.level;
    if (outcome.reason === "secret") row.text = "(withheld: a private key)", row.secret = true;
    this.done++;
    const used = this.used[row.class] ??= new Set();
    cells(row).forEach((c, i) => c && used.add(columns[i]));
  }

  // run screens the rows that have no outcome yet. It calls each after every batch.
  async run(signal, each) {
    this.error = null;
    this.running = true;
    this.started = Date.now();
    this.before = this.done;
    try {
      for (;;) {
        this.pending ??= {items: this.next(), name: newName()}; // a batch that was cancelled is repeated
        if (this.pending.items.length === 0) break;
        await this.send(this.pending, signal, each);
        each();
      }
      this.pending = null;
    } catch (e) {
      this.error = e instanceof Problem ? e : new Problem("internal", String(e));
    }
    this.running = false;
    each();
  }

  // next returns the next questions, each once, with the rows that ask it.
  next() {
    const items = new Map();
    let bytes = 0;
    while (this.rows[this.from]?.class) this.from++;
    for (let i = this.from; i < this.rows.length; i++) {
      const r = this.rows[i];
      if (r.class) continue;
      const id = r.chain + "\0" + r.text;
      if (items.has(id)) {
        items.get(id).push(r);
        continue;
      }
      bytes += 3 * (r.text.length + r.chain.length) + 40;
      if (items.size === batchRows || bytes > batchBytes) break;
      items.set(id, [r]);
    }
    return [...items.values()];
  }

  async send({items, name}, signal, each) {
    const answer = await this.ask(items.map(([r]) => ({address: r.text, ...(r.chain && {chain: r.chain})})), name, signal, each);
    this.pending = null;
    this.freshness = {...this.freshness, ...answer.data_freshness};
    for (const c of answer.results.find(o => o.caveats)?.caveats ?? []) this.caveats.set(c.source, c); // all results have the same
    if (answer.snapshot) this.snapshots.add(answer.snapshot);
    this.meta = {screened_at: answer.screened_at, as_of: answer.as_of, scoring_version: answer.scoring_version, snapshot: answer.snapshot, _disclaimer: answer._disclaimer};
    const quota = answer.results.find(o => o.code === "quota_exceeded");
    for (const [i, o] of answer.results.entries()) {
      if (o.code === "quota_exceeded") continue;
      const [first] = items[i];
      // A chain that is given as a ticker is replaced by the chain that the server names.
      if (o.reason === "ticker" && o.suggested_chain && !first.again) {
        for (const r of items[i]) [r.chain, r.again] = [o.suggested_chain, true];
        continue;
      }
      const outcome = o.level ? {...o, ...this.meta, data_freshness: answer.data_freshness} : o;
      for (const r of items[i]) {
        r.chain ||= o.chain ?? "";
        this.settle(r, outcome);
      }
    }
    if (quota) throw new Problem("quota_exceeded", quota.detail, {retryAfter: resets});
  }

  // ask repeats a batch that failed for a reason that passes.
  async ask(items, name, signal, each) {
    for (let i = 1; ; i++) {
      try {
        return await batch(items, this.at, name, signal);
      } catch (p) {
        if (!passing.has(p.code) || i === tries) throw p;
        const seconds = Math.min(p.retryAfter || 2 ** i, 60);
        this.waiting = `The server asks to wait ${span(seconds)}.`;
        each();
        await new Promise(done => {
          const t = setTimeout(done, seconds * 1000);
          signal.addEventListener("abort", () => { clearTimeout(t); done(); }, {once: true});
        });
        this.waiting = "";
        if (signal.aborted) throw new Problem("cancelled", "Not screened: cancelled.");
      }
    }
  }

  // tally counts the rows by class; those that were not asked yet are "open".
  tally() {
    const n = {open: 0};
    for (const r of this.rows) n[r.class ?? "open"] = (n[r.class ?? "open"] ?? 0) + 1;
    return n;
  }

  lists(sources) { return states({data_freshness: this.freshness, caveats: [...this.caveats.values()], as_of: this.meta.as_of}, sources); }

  // csv returns the table with what was found: one record for each row, in order.
  csv() {
    const past = this.at !== "";
    return this.write(header => [...rename(header), ...past ? ["as_of"] : []],
      r => [...cells(r).map((c, k) => exact.has(columns[k]) ? c : inert(c)), ...past ? [r.result?.as_of ?? ""] : []]);
  }

  // input returns the table without what was found, and without private keys.
  input() { return this.write(() => [], () => []); }

  // write returns the table with the cells that head and row add to the header and to a row.
  write(head, row) {
    const t = this.table, header = t.header ? pad(t.records[0], t.width) : [], records = t.header ? [[...header, ...head(header)]] : [];
    this.rows.forEach((r, i) => {
      const input = pad(t.records[i + (t.header ? 1 : 0)], t.width);
      if (r.secret) input[t.addresses] = r.text;
      records.push([...input, ...row(r)]);
    });
    return write(records, t.delimiter);
  }
}

const pad = (record, width) => [...record, ...Array(width - record.length).fill("")];
