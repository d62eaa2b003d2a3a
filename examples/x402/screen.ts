// Screens both sides of an x402 payment, before it is verified and again before it is settled.
import type { PaymentPayload, PaymentRequirements } from "@x402/core/types";

export interface Options {
  url: string; // of the screening server, such as http://127.0.0.1:8080
  key: string; // an API key with the scope screen
  timeout?: number; // of one request, in milliseconds; 2 seconds by default
}

type Context = { paymentPayload: PaymentPayload; requirements: PaymentRequirements };
type Decision = void | { abort: true; reason: string };
type Hook = (context: Context) => Promise<Decision>;
interface Hooked {
  onBeforeVerify(hook: Hook): unknown;
  onBeforeSettle(hook: Hook): unknown;
}
interface Result {
  code?: string;
  level?: string;
  labels?: { label: string; source: string }[];
  doubts?: string[];
  caveats?: { source: string; caveat: string }[];
}
interface Answer {
  results?: Result[];
  data_freshness?: Record<string, { required: boolean }>;
}

// screenPayments makes a facilitator or a resource server abort a payment unless payer and payee
// are clean.
export function screenPayments(server: Hooked, options: Options): void {
  const hook: Hook = async ({ paymentPayload, requirements }) => {
    let reason: string | undefined;
    try {
      reason = await refusal(accountsOf(paymentPayload, requirements), requirements.network, options);
    } catch (error) {
      reason = `not screened: ${error instanceof Error ? error.message : "unknown error"}`;
    }
    if (reason !== undefined) return { abort: true, reason };
  };
  server.onBeforeVerify(hook);
  server.onBeforeSettle(hook);
}

// accountsOf returns who pays and who is paid. It throws for a payment that it cannot read.
export function accountsOf(paymentPayload: PaymentPayload, requirements: PaymentRequirements): string[] {
  const { scheme, network, payTo } = requirements;
  if (scheme !== "exact" || !/^eip155:\d+$/.test(network)) throw new Error(`unknown scheme ${scheme} on ${network}`);
  const { authorization, permit2Authorization } = paymentPayload.payload as Record<string, any>;
  const accounts = [payTo];
  if (authorization) accounts.push(authorization.from, authorization.to); // EIP-3009
  if (permit2Authorization) accounts.push(permit2Authorization.from, permit2Authorization.witness?.to);
  if (accounts.length < 3 || accounts.some((account) => typeof account !== "string" || account === "")) {
    throw new Error("the payload does not say who pays and who is paid");
  }
  return [...new Set(accounts)];
}

// refusal returns why a payment between accounts must not happen, or undefined if all are clean.
// A caveat of a list that is required counts, too.
export async function refusal(accounts: string[], network: string, options: Options): Promise<string | undefined> {
  const response = await fetch(`${options.url}/api/v1/screen/batch`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${options.key}` },
    body: JSON.stringify({ items: accounts.map((address) => ({ address, chain: network })) }),
    signal: AbortSignal.timeout(options.timeout ?? 2000),
    redirect: "error",
  });
  if (response.status !== 200) return `not screened: status ${response.status}`;
  const answer = (await response.json()) as Answer;
  if (answer.results?.length !== accounts.length) return "not screened: an answer is missing";
  for (const [i, result] of answer.results.entries()) {
    if (result.code !== undefined) return `${accounts[i]}: not screened: ${result.code}`;
    const label = result.labels?.[0];
    if (label) return `${accounts[i]}: ${label.label} by ${label.source}`;
    if (result.level !== "CLEAN_NO_MATCH" || result.labels?.length !== 0) return `${accounts[i]}: not clean`;
    if (result.doubts?.length !== 0) return `${accounts[i]}: in doubt`;
    const caveat = result.caveats?.find(({ source }) => answer.data_freshness?.[source]?.required !== false);
    if (!result.caveats || caveat) return `${accounts[i]}: ${caveat?.source} is ${caveat?.caveat}`;
  }
  return undefined;
}
