// The script inside of k6 that plays rounds. An iteration is one trial of one case; whatever an engine makes of
// `options`, no trial is played twice.
import type { ExchangeLine } from "@evenbench/load/k6";
import * as client from "@evenbench/load/k6/client";
import { ErrorBudget, interleave } from "@evenbench/probe/rules";
import { sleep } from "k6";
import { sha256 } from "k6/crypto";
import execution from "k6/execution";
import type { Options } from "k6/options";
import type { PlannedRequest, RoundsPlan, VantageCase } from "../plan.ts";

/** The plan of rounds as it is put into the script. */
export interface EmbeddedRounds extends RoundsPlan {
  /** The SHA-256 of the plan's file. */
  readonly hash: string;
  /** Number of exchanges of a client that plays all. */
  readonly exchanges: number;
}

declare const EVENBENCH_PLAN: EmbeddedRounds;
const PLAN = EVENBENCH_PLAN;

const TRIALS_OF_CASE = PLAN.run.trials.minimum;
const ALL_TRIALS = TRIALS_OF_CASE * PLAN.cases.length;
/** The originals of copies by name of the target; null for a target that is no copy. */
const COPIES = new Map(PLAN.run.targets.map(({ name, copyOf }) => [name, copyOf]));
/** Seconds of an iteration with nothing to play: an engine that repeats by duration waits so for its end. */
const IDLE_S = 1;

/** The options that k6 reads. */
export const options: Options = {
  scenarios: {
    vantage: { executor: "per-vu-iterations", vus: 1, iterations: ALL_TRIALS, maxDuration: "24h" },
  },
  noVUConnectionReuse: true,
  batchPerHost: 1,
};

/** This virtual user; null before its first iteration. */
let user: VirtualUser | null = null;
/** Number of trials that it has played. */
let played = 0;
/** True when it has played all, or has stopped. */
let hasEnded = false;

/** Plays the next trial. k6 calls it for each iteration. */
export default function playNext(): void {
  if (hasEnded) {
    sleep(IDLE_S);
    return;
  }
  user ??= beginHere();
  const planned = PLAN.cases[Math.floor(played / TRIALS_OF_CASE)];
  const stopped = planned === undefined ? null : playTrial(user, planned, played);
  played += 1;
  hasEnded = stopped !== null || played >= ALL_TRIALS;
  if (hasEnded) {
    client.writeEnd(user, { exchanges: user.exchanges, failed: user.failed, stopped });
  }
}

/** Keeps k6 from writing a summary of its own. */
export function handleSummary(): Record<string, string> {
  return {};
}

/** A client that has begun, with its counts. */
interface VirtualUser extends client.Begun {
  /** The seed of its orders. */
  readonly seed: number;
  /** Number of exchanges so far. */
  exchanges: number;
  /** Number of those that failed. */
  failed: number;
}

/** Begins the log of this client. */
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

/** A round: one exchange with each target. */
interface Round {
  readonly phase: ExchangeLine["phase"];
  /** The index in its phase, from 0. */
  readonly round: number;
  readonly request: PlannedRequest;
  /** The targets, in the order in which they are asked. */
  readonly order: readonly string[];
}

/** Plays a trial of a case. @returns the reason why no more may be asked; null where more may. */
function playTrial(user: VirtualUser, planned: VantageCase, stage: number): string | null {
  const budgets = new Map(planned.targets.map((target) => [target, new ErrorBudget()]));
  const proven = new Map(planned.targets.map((target) => [target, client.noProvenDigest()]));
  for (const round of roundsOf(planned, stage % TRIALS_OF_CASE, user.seed)) {
    playRound(user, round, { stage, budgets, proven });
    for (const target of round.order) {
      const exhausted = budgets.get(target)?.exhausted ?? null;
      if (exhausted !== null) {
        return `${target} in ${planned.id}: ${exhausted}`;
      }
    }
  }
  return null;
}

/** Gives the rounds of a trial in their order. @param trial its index in the case, from 0. */
function* roundsOf(
  { id, request, transfer, targets }: VantageCase,
  trial: number,
  seed: number,
): Iterable<Round> {
  const { roundsPerTrial, warmUpExchanges } = PLAN.run;
  const ordersOf = (purpose: string) => interleave(targets, deriveSeed(seed, id, trial, purpose));
  // Each target alone and back to back, originals before copies, as a run does.
  const isCopy = (name: string) => Number(COPIES.get(name) != null);
  for (const target of ordersOf("start")().sort((a, b) => isCopy(a) - isCopy(b))) {
    for (let round = 0; round < warmUpExchanges; round++) {
      yield { phase: "warmup", round, request, order: [target] };
    }
  }
  for (const phase of ["measure", "transfer"] as const) {
    const phaseRequest = phase === "measure" ? request : transfer;
    const nextOrder = ordersOf(phase);
    for (let round = 0; phaseRequest !== null && round < roundsPerTrial; round++) {
      yield { phase, round, request: phaseRequest, order: nextOrder() };
    }
  }
}

/** The state of a trial. */
interface TrialState {
  /** The trial's index through all cases. */
  readonly stage: number;
  /** Budgets of errors, by target. */
  readonly budgets: ReadonlyMap<string, ErrorBudget>;
  /** The last right bodies of the case's request, by target. */
  readonly proven: ReadonlyMap<string, client.ProvenDigest>;
}

/** Asks each target once; answers are compared, and written, when the last one is over. */
function playRound(
  user: VirtualUser,
  { phase, round, request, order }: Round,
  { stage, budgets, proven }: TrialState,
): void {
  // Every measured body is compared: an error page that is served meanwhile would be taken for the work.
  const withDigest = phase === "measure" || round % PLAN.run.digestEvery === 0;
  const sent = order.map((target) => {
    const startedAtMs = client.sinceBeginMs(user);
    return { target, startedAtMs, response: sendPlanned(target, request) };
  });
  // Comparing bodies takes time, which must not fall into the next target's.
  for (const [position, { response, ...where }] of sent.entries()) {
    const observed = client.observe(response, request.expected, {
      edges: PLAN.edges,
      withDigest,
      proven: proven.get(where.target) ?? client.noProvenDigest(),
    });
    const line = { nonce: user.nonce, stage, phase, round, position, ...where, ...observed };
    client.write({ evenbench: "exchange", ...line });
    user.exchanges += 1;
    if (observed.error !== null) {
      user.failed += 1;
    }
    budgets.get(where.target)?.count(observed.error, observed.isChecked);
  }
}

/** Derives a seed as the runner does, by the functions of k6. */
function deriveSeed(seed: number, ...purpose: readonly (string | number)[]): number {
  return Number.parseInt(sha256([seed, ...purpose].join("/"), "hex").slice(0, 8), 16);
}

/** Sends a request to a target. */
function sendPlanned(target: string, { path, expected: { sends } }: PlannedRequest) {
  const { origins, closed, exchangeTimeoutMs: timeoutMs } = PLAN;
  const token = closed.includes(target) ? client.givenToken() : null;
  // A copy's origin is written in another way for a connection of its own; the host is given the usual one.
  const original = COPIES.get(target) ?? undefined;
  const host = original === undefined ? undefined : origins[original];
  return client.ask({ url: `${origins[target]}${path}`, timeoutMs, token, host, sends });
}
