// Sends signed payments to a facilitator of the SDK, without a chain, and prints what becomes of
// them: one line each. The test of this folder reads the lines.
import { x402Facilitator } from "@x402/core/facilitator";
import type { PaymentPayload, PaymentRequirements } from "@x402/core/types";
import { ExactEvmScheme as Payer } from "@x402/evm/exact/client";
import { ExactEvmScheme as Facilitator } from "@x402/evm/exact/facilitator";
import { numberToHex, pad, toEventSelector, verifyTypedData } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { screenPayments } from "./screen.js";

declare const process: { env: Record<string, string>; exit(code: number): never };

const { URL_CLEAN: url, KEY: key } = process.env as Record<"URL_CLEAN" | "KEY", string>;
const network = "eip155:84532";
const asset = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const payTo = "0x1111111111111111111111111111111111111111";
const listed = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96";
const payer = privateKeyToAccount(`0x${"1f".repeat(32)}`);
const listedPayer = privateKeyToAccount(`0x${"2e".repeat(32)}`);

const transfer = {
  address: asset, data: numberToHex(1000, { size: 32 }),
  topics: [toEventSelector("Transfer(address,address,uint256)"), pad(payer.address), pad(payTo)],
};

// chain answers what a facilitator asks a chain: there is money enough, and all calls succeed.
const chain = {
  getAddresses: () => ["0x2222222222222222222222222222222222222222" as const],
  readContract: async ({ functionName }: any) => (functionName === "authorizationState" ? false : functionName === "tryAggregate" || functionName === "aggregate3" ? [] : 10n ** 30n),
  verifyTypedData: (args: any) => verifyTypedData(args),
  writeContract: async () => `0x${"ab".repeat(32)}` as const,
  sendTransaction: async () => `0x${"ab".repeat(32)}` as const,
  waitForTransactionReceipt: async () => ({ status: "success", logs: [transfer as any] }),
  getCode: async ({ address }: { address: string }) => (address.toLowerCase() === asset.toLowerCase() ? ("0x60" as const) : ("0x" as const)),
};

async function payment(account: typeof payer, payTo: string, method: string) {
  const requirements: PaymentRequirements = {
    scheme: "exact", network, asset, amount: "1000", payTo, maxTimeoutSeconds: 600,
    extra: { name: "USDC", version: "2", assetTransferMethod: method },
  };
  const created = await new Payer(account as any).createPaymentPayload(2, requirements);
  return [{ accepted: requirements, ...created } as PaymentPayload, requirements] as const;
}

function facilitator(url: string) {
  const f = new x402Facilitator().register(network, new Facilitator(chain as any));
  screenPayments(f, { url, key });
  return f;
}

async function outcome(name: string, call: Promise<any>) {
  const said = await call.then((r) => (r.isValid || r.success ? "ok" : `${r.invalidReason ?? r.errorReason} ${r.invalidMessage ?? r.errorMessage ?? ""}`), (e) => `${e.message}`);
  console.log(`${name}: ${said.split("\n")[0].trim()}`);
}

for (const method of ["eip3009", "permit2"]) {
  const f = facilitator(url);
  const fine = await payment(payer, payTo, method);
  await outcome(`${method} clean verify`, f.verify(...fine));
  await outcome(`${method} clean settle`, f.settle(...fine));
  for (const [name, pay] of [["payer", await payment(listedPayer, payTo, method)], ["payee", await payment(payer, listed, method)]] as const) {
    await outcome(`${method} listed ${name} verify`, f.verify(...pay));
    await outcome(`${method} listed ${name} settle`, f.settle(...pay));
  }
  const later = await payment(payer, payTo, method);
  await outcome(`${method} before stale verify`, f.verify(...later));
  await fetch(`${url}/stale`, { method: "POST" });
  await outcome(`${method} stale settle`, f.settle(...later));
  await fetch(`${url}/fresh`, { method: "POST" });
  await outcome(`${method} down verify`, facilitator("http://127.0.0.1:1").verify(...fine));
  await outcome(`${method} slow verify`, facilitator(`${url}/slow`).verify(...fine));
  await outcome(`${method} scheme verify`, facilitator(url).verify(fine[0], { ...fine[1], network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp" }));
}
process.exit(0);
