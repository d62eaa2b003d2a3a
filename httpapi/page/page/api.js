// Calls of the API. The key is in this module's memory, and in the tab's storage if the
// person asks for it.

import {hear} from "./clock.js";
import {plain} from "./words.js";

const base = new URL("api/v1/", document.baseURI);
const patience = 30000; // milliseconds for one call

const place = "walletscreen key";
let key = sessionStorage.getItem(place) ?? "";

export const hasKey = () => key !== "";

// setKey takes a key, and reports whether it can be sent.
export function setKey(text) {
  const k = text.trim();
  if (!/^[\x21-\x7e]{1,512}$/.test(k)) return false;
  key = k;
  return true;
}

// keep keeps the key until the tab is closed, or no longer.
export const keep = yes => (yes ? sessionStorage.setItem(place, key) : sessionStorage.removeItem(place));
export const keeps = () => sessionStorage.getItem(place) !== null;

// left is what remains of the month's quota, or null if that is unknown or unlimited.
// resets is the number of seconds until the next month.
export let left = null, resets = 0;

// A Problem is why a call has no answer.
export class Problem extends Error {
  constructor(code, detail, more = {}) {
    super(detail);
    Object.assign(this, {code, detail, status: 0, retryAfter: 0}, more);
  }
}

async function call(path, body, signal, name) {
  const headers = {Accept: "application/json"}, file = body instanceof Blob;
  if (key) headers.Authorization = "Bearer " + key;
  if (body) headers["Content-Type"] = file ? "text/csv" : "application/json";
  if (name) headers["Idempotency-Key"] = `"${name}"`;
  const limit = AbortSignal.timeout(patience);
  let response, text;
  try {
    response = await fetch(new URL(path, base), {
      method: body ? "POST" : "GET", headers, body: file ? body : body && JSON.stringify(body), cache: "no-store", redirect: "error",
      referrerPolicy: "no-referrer", signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    text = await response.text();
  } catch (e) {
    if (signal?.aborted) throw new Problem("cancelled", "Not screened: cancelled.");
    if (limit.aborted) throw new Problem("timeout", `There was no answer within ${patience / 1000} seconds.`);
    throw new Problem("offline", "The server cannot be reached.");
  }
  hear(response.headers.get("Date"));
  const monthly = /"monthly";r=(\d+);t=(\d+)/.exec(response.headers.get("RateLimit") ?? "");
  if (monthly) [left, resets] = monthly.slice(1).map(Number);
  let answer = null;
  try {
    answer = JSON.parse(text, (member, value) => (typeof value === "string" && member !== "receipt" ? plain(value) : value));
  } catch {} // reported below
  if (response.ok && answer !== null && typeof answer === "object") return answer;
  throw problemOf(response.ok ? null : answer, response);
}

function problemOf(answer, response) {
  return new Problem(answer?.code ?? "bad_answer", answer?.detail ?? `The server answered with status ${response.status}, and not as expected.`, {
    ...answer, status: response.status, retryAfter: Number(response.headers.get("Retry-After")) || 0,
  });
}

export const sources = signal => call("sources", null, signal);
export const changes = signal => call("changes", null, signal);
export const entries = (source, search, after, signal) => call("entries", {source, after, ...(search && {search})}, signal);
export const validate = (address, chain, signal) => call("validate", chain ? {address, chain} : {address}, signal);

// dated returns an answer that was asked for with the lists of day at, or of now if that is
// "". An answer with the lists of now to a question about another day is a Problem.
function dated(answer, at) {
  if (at && !answer.as_of && at < String(answer.screened_at).slice(0, 10)) throw new Problem("bad_answer", "The server answered with the lists of now, not with those of the day.");
  return answer;
}

// receipt returns the receipt of a result.
export const receipt = async (address, chain) => (await call("screen", {address, chain, receipt: true})).receipt;

// table returns the table in a file with verdicts, and its receipt, as walletscreen screen writes them. how
// says how the file is read, by the names of its flags.
export async function table(file, how) {
  const {output, receipt} = await call("screen/table?" + new URLSearchParams(how), file);
  return {output: Uint8Array.from(atob(output), c => c.charCodeAt(0)), receipt};
}

// screen returns the result for an address with the lists of day at, or of now. Without a
// chain, the server finds it.
export async function screen(address, chain, at, signal) {
  if (chain) return dated(await call("screen", {address, chain, ...(at && {at})}, signal), at);
  const {results: [result], ...rest} = await batch([{address}], at, newName(), signal);
  if (result.level) return {...result, ...rest};
  throw new Problem(result.code, result.detail, {...result, retryAfter: result.code === "quota_exceeded" ? resets : 0});
}

// pastKnown returns what the server says about a day before all others: since when it knows the past.
export const pastKnown = () => call("screen", {address: "0x" + "0".repeat(40), chain: "ethereum", at: "0001-01-01"}).then(() => "",
  p => (["past_unavailable", "insufficient_scope"].includes(p.code) ? p.detail.replace(/^As of .* not loaded: /, "Known: ") : ""));

// newName returns a random name for a call that may have to be repeated.
export const newName = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), n => n.toString(16)).join("-");

// batch screens items and returns the answer, which has one result for each. A call
// that is repeated with its name counts once.
export async function batch(items, at, name, signal) {
  const answer = await call("screen/batch", {items, ...(at && {at})}, signal, name);
  if (answer.results?.length !== items.length) throw new Problem("bad_answer", "The server did not answer each row.");
  return dated(answer, at);
}
