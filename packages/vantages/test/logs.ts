import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LogLine } from "@evenbench/load/k6";
import { answered } from "@evenbench/load/testing/k6";
import { demandOf, LOGS_FOLDER, PLAN_FILE, planHash, type RoundsPlan } from "../src/plan.ts";
import { caseOf, planOf } from "./plans.ts";

// Plans and logs for tests: nothing here was measured.

const TARGETS = ["node", "cloudflare", "node~copy"] as const;
/** The hash of a plan whose text nobody has. */
export const TEST_HASH = "a".repeat(64);
const STARTED_AT = "2026-11-22T10:00:00.000Z";

/** Makes a plan of one case on node, its A/A copy, and cloudflare. */
export function testPlan(): RoundsPlan {
  return planOf({
    targets: { node: "https://node.example", cloudflare: "https://cloudflare.example" },
    cases: () => [caseOf("trig", TARGETS, "x".repeat(100))],
    trials: 3,
    rounds: 10,
    warmUp: 2,
    seenMs: { trig: { node: 20, cloudflare: 20 } },
  });
}

/** Writes a line of a log. */
function textOf(line: LogLine): string {
  return JSON.stringify(line);
}

/** A client whose log is made. */
export interface TestClient {
  readonly vantage: string;
  /** Default: made of the vantage's name. */
  readonly nonce?: string;
  /** The version of HTTP. Default: "HTTP/1.1". */
  readonly protocol?: string;
  /** The hash of its plan. Default: `TEST_HASH`. */
  readonly hash?: string;
  /** Milliseconds that its route adds to all targets. Default: 10. */
  readonly routeMs?: number;
  /** Milliseconds that its route adds to cloudflare alone. Default: 0. */
  readonly otherMs?: number;
}

/** Makes the lines of a client that played all of the plan, from begin to end, in the order of the script. */
export function clientLines(given: TestClient): readonly string[] {
  const plan = testPlan();
  const { vantage, hash = TEST_HASH, routeMs = 10, otherMs = 0, protocol = "HTTP/1.1" } = given;
  const { nonce = Buffer.from(vantage.padEnd(8, ".")).toString("hex").slice(0, 16) } = given;
  const exchanges = demandOf(plan).requests;
  const begin = { vantage, client: "1", part: null, startedAt: STARTED_AT, exchanges };
  const lines = [textOf({ evenbench: "begin", protocol: 1, plan: hash, nonce, ...begin })];
  const { trials, roundsPerTrial, warmUpExchanges } = plan.run;
  for (let stage = 0; stage < trials.maximum; stage++) {
    for (const phase of ["warmup", "measure", "transfer"] as const) {
      for (let round = 0; round < ((phase === "warmup" ? warmUpExchanges : roundsPerTrial) ?? 0); round++) {
        for (const [position, target] of TARGETS.entries()) {
          const seq = lines.length - 1;
          // A scatter that repeats: the same lines each time, no two neighbours alike, and other ones from elsewhere.
          const scatter = ((seq * (7919 + 2 * routeMs)) % 1000) / 1000;
          const farther = routeMs + (target === "cloudflare" ? otherMs : 0);
          const firstByteMs = farther + (phase === "transfer" ? 1 : 20) + scatter;
          lines.push(
            textOf({
              evenbench: "exchange",
              nonce,
              stage,
              target,
              phase,
              round,
              position,
              protocol,
              ...answered,
              startedAtMs: seq * 200,
              connectMs: phase === "warmup" && round === 0 ? routeMs : null,
              firstByteMs,
              lastByteMs: firstByteMs + 0.2,
              bodyBytes: 100,
              inFlight: 0,
              instanceId: `${target}-1`,
              served: Math.floor(seq / TARGETS.length),
            }),
          );
        }
      }
    }
  }
  const counts = { exchanges, failed: 0, elapsedMs: exchanges * 20, stopped: null };
  return [...lines, textOf({ evenbench: "end", nonce, ...counts })];
}

/** Makes the lines of one of two machines that played two stages: 20 requests each, every second one. */
export function machineLines(hash: string, index = 0, startedAt = STARTED_AT): readonly string[] {
  const nonce = String(index).repeat(16);
  const part = { index, count: 2 };
  const begin = { vantage: "eu", client: String(index + 1), part, startedAt, exchanges: null };
  const requests = Array.from({ length: 40 }, (_, n) => {
    const begunAtMs = (2 * (n % 20) + index) * 50;
    return textOf({
      evenbench: "request",
      nonce,
      stage: Math.floor(n / 20),
      connection: 0,
      protocol: "HTTP/1.1",
      ...answered,
      begunAtMs,
      blockedMs: 0,
      overAtMs: begunAtMs + 4,
      connectMs: null,
      firstByteMs: 2,
      lastByteMs: 4,
      bodyBytes: 10,
    });
  });
  return [
    textOf({ evenbench: "begin", protocol: 1, plan: hash, nonce, ...begin }),
    ...requests,
    textOf({ evenbench: "end", nonce, exchanges: 40, failed: 0, elapsedMs: 9, stopped: null }),
  ];
}

/** Writes a plan's folder as `vantages run` leaves it, with a whole log of each client. */
export async function writePlanFolder(folder: string, clients: readonly TestClient[]): Promise<void> {
  const text = JSON.stringify(testPlan());
  await mkdir(join(folder, LOGS_FOLDER), { recursive: true });
  await writeFile(join(folder, PLAN_FILE), text);
  for (const client of clients) {
    const lines = clientLines({ ...client, hash: planHash(text) });
    await writeFile(join(folder, LOGS_FOLDER, `${client.vantage}.log`), `${lines.join("\n")}\n`);
  }
}
