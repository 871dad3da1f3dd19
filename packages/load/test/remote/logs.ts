import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ExchangeLine, LogLine } from "../../src/remote/lines.ts";
import { askedBy, LOGS_FOLDER, PLAN_FILE, planHash, type RoundsPlan } from "../../src/remote/plan.ts";
import { caseOf, planOf } from "./plans.ts";

// Plans and logs for tests and studies: nothing here was measured.

const TARGETS = ["node", "cloudflare", "node~copy"] as const;
export const TEST_HASH = "a".repeat(64);
const STARTED_AT = "2026-11-22T10:00:00.000Z";

/** One case on node, its A/A copy, and cloudflare. */
export function testPlan(): RoundsPlan {
  return planOf({
    targets: { node: "https://node.example", cloudflare: "https://cloudflare.example" },
    cases: () => [caseOf("trig", TARGETS, "x".repeat(100))],
    ...{ trials: 3, rounds: 10, warmUp: 2, seenMs: { trig: { node: 20, cloudflare: 20 } } },
  });
}

export interface TestClient {
  readonly vantage: string;
  readonly client?: string;
  readonly nonce?: string;
  readonly edge?: string | null;
  readonly protocol?: string;
  readonly hash?: string;
  /** What its route adds to all targets, and to cloudflare alone. Milliseconds. */
  readonly routeMs?: number;
  readonly otherMs?: number;
}

/** The lines of a client that played all of a plan, from begin to end, in the order of the script. */
export function* clientLines(plan: RoundsPlan, given: TestClient): Iterable<LogLine> {
  const { vantage, client = "1", nonce = nonceOf(vantage), hash = TEST_HASH } = given;
  const exchanges = askedBy(plan).requests;
  const own = { vantage, client, part: null, startedAt: STARTED_AT, exchanges };
  yield { evenbench: "begin", protocol: 1, plan: hash, nonce, ...own };
  let seq = 0;
  const { trials, roundsPerTrial, warmUpExchanges } = plan.run;
  const rounds = {
    warmup: warmUpExchanges ?? 0,
    measure: roundsPerTrial ?? 0,
    transfer: roundsPerTrial ?? 0,
  };
  for (const [index, { targets }] of plan.cases.entries())
    for (let trial = 0; trial < trials.maximum; trial++)
      for (const phase of ["warmup", "measure", "transfer"] as const)
        for (let round = 0; round < rounds[phase]; round++)
          for (const [position, target] of targets.entries()) {
            const where = { stage: index * trials.maximum + trial, target, phase, round, position };
            const connects = phase === "warmup" && round === 0;
            yield exchangeLine({ ...where, nonce, seq, connects }, given);
            seq += 1;
          }
  yield { evenbench: "end", nonce, exchanges: seq, failed: 0, elapsedMs: seq * 20, stopped: null };
}

export interface TestMachine {
  readonly index: number;
  readonly startedAt?: string;
  readonly of?: number;
  readonly hash: string;
  readonly protocol?: string;
}

/** What one of several machines writes that played two stages, 20 requests each, every one in turn. */
export function* machineLines(machine: TestMachine): Iterable<LogLine> {
  const { index, of = 2, startedAt = STARTED_AT, hash, protocol = "HTTP/1.1" } = machine;
  const nonce = String(index).repeat(16);
  const own = { vantage: "eu", client: String(index + 1), part: { index, of }, startedAt, exchanges: null };
  yield { evenbench: "begin", protocol: 1, plan: hash, nonce, ...own };
  for (const stage of [0, 1])
    for (let n = 0; n < 20; n++) {
      const begunAtMs = (2 * n + index) * 50;
      yield {
        evenbench: "request",
        ...{ nonce, stage, connection: 0, begunAtMs, blockedMs: 0, overAtMs: begunAtMs + 4, protocol },
        ...{ connectMs: null, firstByteMs: 2, lastByteMs: 4, status: 200, bodyBytes: 10 },
        ...{ instanceId: null, served: null, inFlight: null, edge: null, error: null },
      };
    }
  yield { evenbench: "end", nonce, exchanges: 40, failed: 0, elapsedMs: 9, stopped: null };
}

interface Where extends Pick<ExchangeLine, "stage" | "target" | "phase" | "round" | "position" | "nonce"> {
  readonly seq: number;
  readonly connects: boolean;
}

function exchangeLine(
  { connects, seq, ...where }: Where,
  { routeMs = 10, otherMs = 0, edge = null, protocol = "HTTP/1.1" }: TestClient,
): ExchangeLine {
  // A scatter that repeats: the same lines each time, no two neighbours alike, and other ones from elsewhere.
  const scatter = ((seq * (7919 + 2 * routeMs)) % 1000) / 1000;
  const workMs = where.phase === "transfer" ? 1 : 20;
  const firstByteMs = routeMs + workMs + scatter + (where.target === "cloudflare" ? otherMs : 0);
  return {
    evenbench: "exchange",
    ...where,
    ...{ startedAtMs: seq * 200, connectMs: connects ? routeMs : null },
    ...{ firstByteMs, lastByteMs: firstByteMs + 0.2, status: 200, bodyBytes: 100 },
    instanceId: `${where.target}-1`,
    served: Math.floor(seq / TARGETS.length),
    inFlight: 0,
    edge: where.target === "cloudflare" ? edge : null,
    ...{ protocol, error: null },
  };
}

/** The same for the same name: tests that want another give one. */
function nonceOf(vantage: string): string {
  return Buffer.from(vantage.padEnd(8, ".")).toString("hex").slice(0, 16);
}

/** A plan's folder as `vantages run` leaves it, with a whole log of each of these. */
export async function writePlanFolder(folder: string, clients: readonly TestClient[]): Promise<void> {
  const plan = testPlan();
  const text = JSON.stringify(plan);
  await mkdir(join(folder, LOGS_FOLDER), { recursive: true });
  await writeFile(join(folder, PLAN_FILE), text);
  for (const client of clients) {
    const lines = [...clientLines(plan, { ...client, hash: planHash(text) })].map((line) =>
      JSON.stringify(line),
    );
    await writeFile(join(folder, LOGS_FOLDER, `${client.vantage}.log`), `${lines.join("\n")}\n`);
  }
}
