// Calls of the API. The key is in this module's memory and nowhere else.

const base = new URL("api/v1/", document.baseURI);
const patience = 30000; // milliseconds for one call

let key = "";

export const hasKey = () => key !== "";

// setKey takes a key, and reports whether it can be sent.
export function setKey(text) {
  const k = text.trim();
  if (!/^[\x21-\x7e]{1,512}$/.test(k)) return false;
  key = k;
  return true;
}
export const forgetKey = () => { key = ""; };

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
  const headers = {Accept: "application/json"};
  if (key) headers.Authorization = "Bearer " + key;
  if (body) headers["Content-Type"] = "application/json";
  if (name) headers["Idempotency-Key"] = `"${name}"`;
  const limit = AbortSignal.timeout(patience);
  let response, text;
  try {
    response = await fetch(new URL(path, base), {
      method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), cache: "no-store", redirect: "error",
      referrerPolicy: "no-referrer", signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    text = await response.text();
  } catch (e) {
    if (signal?.aborted) throw new Problem("cancelled", "Not screened: cancelled.");
    if (limit.aborted) throw new Problem("timeout", `There was no answer within ${patience / 1000} seconds.`);
    throw new Problem("offline", "The server cannot be reached.");
  }
  const monthly = /"monthly";r=(\d+);t=(\d+)/.exec(response.headers.get("RateLimit") ?? "");
  if (monthly) [left, resets] = monthly.slice(1).map(Number);
  let answer = null;
  try {
    answer = JSON.parse(text);
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
export const validate = (address, chain, signal) => call("validate", chain ? {address, chain} : {address}, signal);
export const screen = (address, chain, signal) => call("screen", {address, chain}, signal);

// newName returns a random name for a call that may have to be repeated.
export const newName = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), n => n.toString(16)).join("-");

// batch screens items and returns the answer, which has one result for each. A call
// that is repeated with its name counts once.
export async function batch(items, name, signal) {
  const answer = await call("screen/batch", {items}, signal, name);
  if (answer.results?.length !== items.length) throw new Problem("bad_answer", "The server did not answer each row.");
  return answer;
}

const b58 = "[1-9A-HJ-NP-Za-km-z]";
const shapes = [
  [/^0x[0-9a-f]{40}$/i, "ethereum"],
  [new RegExp(`^T${b58}{33}$`), "tron"],
  [new RegExp(`^([13]${b58}{25,34}|bc1[0-9a-z]{11,87})$`), "bitcoin"],
  [new RegExp(`^([LM]${b58}{33}|ltc1[0-9a-z]{20,87})$`), "litecoin"],
  [new RegExp(`^r${b58}{24,34}$`), "xrp"],
  [new RegExp(`^[48]${b58}{94,105}$`), "monero"],
  [/^addr1[0-9a-z]{50,}$/, "cardano"],
  [/^(EQ|UQ)[\w-]{46}$/, "ton"],
  [/^G[A-Z2-7]{55}$/, "stellar"],
  [new RegExp(`^${b58}{43,44}$`), "solana"],
];

// isShort reports whether text may be the rest of an address that was cut: on some
// chains such a rest is an address of its own, which nobody asked about.
export const isShort = text => text.length < 25;

// isCertain reports whether v, the answer of validate, names the chain of text, rather
// than one on which a mistyped address of another chain is an address by accident.
export const isCertain = (v, text) => v.valid && !isShort(text) && (v.proven || guess(text) === v.chain);

// guess returns the chain that text looks like, or "". It saves a question: the
// server names the right chain for a guess that is wrong.
export function guess(text, slugs) {
  const scheme = /^([a-z0-9-]+):./.exec(text)?.[1];
  if (scheme && slugs?.has(scheme)) return scheme;
  return shapes.find(([shape]) => shape.test(text))?.[1] ?? "";
}
