import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BeginLine, EndLine, ExchangeLine, LogLine } from "../src/lines.ts";
import { LOGS_FOLDER, PLAN_FILE, planHash, type VantagePlan } from "../src/plan.ts";
import { caseOf } from "./counting-server.ts";
import { planOf } from "./plan-of.ts";

// Plans and logs for tests and studies: nothing here was measured.

const TARGETS = ["node", "cloudflare", "node~copy"] as const;
export const TEST_HASH = "a".repeat(64);

interface PlanSize {
  readonly trials?: number;
  readonly rounds?: number;
  readonly warmUp?: number;
}

/** One case on node, its A/A copy, and cloudflare. */
export function testPlan({ trials = 3, rounds = 10, warmUp = 2 }: PlanSize = {}): VantagePlan {
  const plan = planOf({
    targets: { node: "https://node.example", cloudflare: "https://cloudflare.example" },
    cases: () => [caseOf("trig", TARGETS, "x".repeat(100))],
    trials,
    rounds,
    warmUp,
  });
  return { ...plan, counts: { ...plan.counts, expectedMs: plan.counts.exchanges * 20 } };
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
export function* clientLines(plan: VantagePlan, given: TestClient): Iterable<LogLine> {
  const { vantage, client = "1", nonce = nonceOf(vantage), hash = TEST_HASH } = given;
  const { exchanges } = plan.counts;
  const startedAt = "2026-11-22T10:00:00.000Z";
  const shared = { plan: hash, nonce };
  const begin: BeginLine = {
    evenbench: "begin",
    protocol: 1,
    ...shared,
    vantage,
    client,
    part: null,
    startedAt,
    exchanges,
  };
  yield begin;
  let seq = 0;
  const [trialCount, rounds, warmUp] = [
    plan.run.trials.maximum,
    plan.run.roundsPerTrial ?? 0,
    plan.run.warmUpExchanges ?? 0,
  ];
  for (const { id, targets } of plan.cases) {
    for (let trial = 0; trial < trialCount; trial++) {
      for (const [phase, count] of [
        ["warmup", warmUp],
        ["measure", rounds],
        ["transfer", rounds],
      ] as const) {
        for (let round = 0; round < count; round++) {
          for (const [position, target] of targets.entries()) {
            const where = { case: id, target, trial, phase, round, position };
            yield exchangeLine({ ...where, seq, nonce, connects: phase === "warmup" && round === 0 }, given);
            seq += 1;
          }
        }
      }
    }
  }
  const end: EndLine = {
    evenbench: "end",
    ...shared,
    exchanges: [seq],
    failed: 0,
    elapsedMs: seq * 20,
    stopped: null,
  };
  yield end;
}

type Where = Pick<
  ExchangeLine,
  "case" | "target" | "trial" | "phase" | "round" | "position" | "seq" | "nonce"
>;

function exchangeLine(
  { connects, ...where }: Where & { readonly connects: boolean },
  { routeMs = 10, otherMs = 0, edge = null, protocol = "HTTP/1.1" }: TestClient,
): ExchangeLine {
  // A scatter that repeats: the same lines each time, no two neighbours alike, and other ones from elsewhere.
  const scatter = ((where.seq * (7919 + 2 * routeMs)) % 1000) / 1000;
  const workMs = where.phase === "transfer" ? 1 : 20;
  const firstByteMs = routeMs + workMs + scatter + (where.target === "cloudflare" ? otherMs : 0);
  return {
    evenbench: "exchange",
    ...where,
    startedAtMs: where.seq * 200,
    connectMs: connects ? routeMs : null,
    firstByteMs,
    lastByteMs: firstByteMs + 0.2,
    status: 200,
    bodyBytes: 100,
    digest: null,
    instanceId: `${where.target}-1`,
    served: Math.floor(where.seq / TARGETS.length),
    inFlight: 0,
    edge: where.target === "cloudflare" ? edge : null,
    protocol,
    error: null,
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
