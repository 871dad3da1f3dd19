// An iteration is one trial of one case; whatever an engine makes of `options`, no trial is played twice.
import type { ExchangeLine } from "@evenbench/load/k6";
import * as client from "@evenbench/load/k6/client";
import { ErrorBudget, interleave } from "@evenbench/probe/rules";
import { sleep } from "k6";
import { sha256 } from "k6/crypto";
import execution from "k6/execution";
import type { Options } from "k6/options";
import type { PlannedCase, PlannedRequest, RoundsPlan } from "../plan.ts";

export interface EmbeddedRounds extends RoundsPlan {
  readonly hash: string;
  /** Of a client that plays all. */
  readonly exchanges: number;
}

declare const EVENBENCH_PLAN: EmbeddedRounds;
const PLAN = EVENBENCH_PLAN;

const TRIALS_OF_CASE = PLAN.run.trials.minimum;
const TRIALS = TRIALS_OF_CASE * PLAN.cases.length;
/** By name, their originals. */
const COPIES = new Map(PLAN.run.targets.map(({ name, copyOf }) => [name, copyOf]));
/** An engine that repeats by duration waits here for its time to be over. */
const IDLE_S = 1;

export const options: Options = {
  scenarios: {
    vantage: { executor: "per-vu-iterations", vus: 1, iterations: TRIALS, maxDuration: "24h" },
  },
  noVUConnectionReuse: true,
  batchPerHost: 1,
};

/** Of this virtual user. */
let user: VirtualUser | null = null;
let played = 0;
let isOver = false;

export default function playNext(): void {
  if (isOver) {
    sleep(IDLE_S);
    return;
  }
  user ??= beginHere();
  const planned = PLAN.cases[Math.floor(played / TRIALS_OF_CASE)];
  const stopped = planned === undefined ? null : playTrial(user, planned, played);
  played += 1;
  isOver = stopped !== null || played >= TRIALS;
  if (isOver) {
    client.end(user, { exchanges: user.exchanges, failed: user.failed, stopped });
  }
}

export function handleSummary(): Record<string, string> {
  return {};
}

interface VirtualUser extends client.Begun {
  /** By which its orders are drawn. */
  readonly seed: number;
  exchanges: number;
  failed: number;
}

function beginHere(): VirtualUser {
  const vantage = client.givenVantageName(PLAN.closed.length > 0);
  const name = String(__ENV.EVENBENCH_CLIENT || execution.vu.idInTest);
  const begun = client.begin({
    plan: PLAN.hash,
    vantage,
    client: name,
    part: null,
    exchanges: PLAN.exchanges,
  });
  return { ...begun, seed: deriveSeed(PLAN.run.seed, vantage, name), exchanges: 0, failed: 0 };
}

interface Round {
  readonly phase: ExchangeLine["phase"];
  readonly round: number;
  readonly request: PlannedRequest;
  readonly order: readonly string[];
}

/** @returns why no more is to be asked. */
function playTrial(played: VirtualUser, planned: PlannedCase, stage: number): string | null {
  const budgets = new Map(planned.targets.map((target) => [target, new ErrorBudget()]));
  const proven = new Map(planned.targets.map((target) => [target, client.noProvenBody()]));
  for (const round of roundsOf(planned, stage % TRIALS_OF_CASE, played.seed)) {
    playRound(played, round, { stage, budgets, proven });
    for (const target of round.order) {
      const exhausted = budgets.get(target)?.exhausted ?? null;
      if (exhausted !== null) {
        return `${target} in ${planned.id}: ${exhausted}`;
      }
    }
  }
  return null;
}

function* roundsOf(
  { id, request, transfer, targets }: PlannedCase,
  trial: number,
  seed: number,
): Iterable<Round> {
  const { roundsPerTrial, warmUpExchanges } = PLAN.run;
  const ordersOf = (purpose: string) => interleave(targets, deriveSeed(seed, id, trial, purpose));
  // Each target alone and back to back, originals before copies, as a run does.
  const isCopy = (name: string) => Number(COPIES.get(name) != null);
  for (const target of ordersOf("start")().sort((a, b) => isCopy(a) - isCopy(b))) {
    for (let round = 0; round < (warmUpExchanges ?? 0); round++) {
      yield { phase: "warmup", round, request, order: [target] };
    }
  }
  for (const phase of ["measure", "transfer"] as const) {
    const phaseRequest = phase === "measure" ? request : transfer;
    const nextOrder = ordersOf(phase);
    for (let round = 0; phaseRequest !== null && round < (roundsPerTrial ?? 0); round++) {
      yield { phase, round, request: phaseRequest, order: nextOrder() };
    }
  }
}

interface TrialState {
  readonly stage: number;
  /** By target. */
  readonly budgets: ReadonlyMap<string, ErrorBudget>;
  /** Of the case's request, by target. */
  readonly proven: ReadonlyMap<string, client.ProvenBody>;
}

/** One exchange at every place; what came is looked at, and written, when the last is over. */
function playRound(
  played: VirtualUser,
  { phase, round, request, order }: Round,
  { stage, budgets, proven }: TrialState,
): void {
  // Every measured body, or an error page that is served meanwhile would be taken for the work.
  const withDigest = phase === "measure" || round % PLAN.run.digestEvery === 0;
  const sent = order.map((target) => {
    const startedAtMs = client.elapsedMs(played);
    return { target, startedAtMs, response: send(target, request) };
  });
  // Looking at bodies costs time, which must not fall into the next target's.
  for (const [position, { response, ...where }] of sent.entries()) {
    const observed = client.observe(response, request.expected, {
      edges: PLAN.edges,
      withDigest,
      proven: proven.get(where.target) ?? client.noProvenBody(),
    });
    const line = { nonce: played.nonce, stage, phase, round, position, ...where, ...observed };
    client.write({ evenbench: "exchange", ...line });
    played.exchanges += 1;
    if (observed.error !== null) {
      played.failed += 1;
    }
    budgets.get(where.target)?.count(observed.error, observed.isChecked);
  }
}

/** The runner's, with what k6 has. */
function deriveSeed(seed: number, ...purpose: readonly (string | number)[]): number {
  return Number.parseInt(sha256([seed, ...purpose].join("/"), "hex").slice(0, 8), 16);
}

function send(target: string, { path, expected: { sends } }: PlannedRequest) {
  const { origins, closed, exchangeTimeoutMs: timeoutMs } = PLAN;
  const token = closed.includes(target) ? client.givenToken() : null;
  // A copy's origin is written in another way for a connection of its own; the host is given the usual one.
  const original = COPIES.get(target) ?? undefined;
  const host = original === undefined ? undefined : origins[original];
  return client.ask({ url: `${origins[target]}${path}`, timeoutMs, token, host, sends });
}
