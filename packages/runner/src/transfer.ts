import { type Expectation, type PartArrival, runRound } from "@evenbench/probe";
import type { Timeline } from "@evenbench/results";
import type { CaseView } from "./case-state.ts";
import type { CaseRequest } from "./planned-case.ts";

/** Path at which every app serves constant text: `bytes` of it, in `chunks` parts. */
const PAYLOAD_PATH = "/payload";
/** Number of parts that the payload is served in at most. */
const MAX_PARTS = 10_000;

/** Share of a trial's measured time that transfer rounds take. */
export const TRANSFER_SHARE = 0.1;
/** Smallest number of transfer rounds in a trial, whatever the time. */
const MIN_TRANSFER_ROUNDS = 8;

/** Number of rounds in each trial whose arrivals are recorded: their median is the trial's. */
const ARRIVAL_ROUNDS = 5;

/** Measurements of a trial after its rounds. */
export interface TrialExtras {
  /** True if it records when the parts of a body arrive. */
  readonly arrivals: boolean;
  /** True if it measures what constant text of the same length takes. */
  readonly transfer: boolean;
}

/**
 * Tells what a trial measures after its rounds: nothing of sides, which may send what they like, and no transfer
 * times of own servers, which serve no payload.
 */
export function extrasOf({ context, measuredTargets }: CaseView): TrialExtras {
  const [first] = measuredTargets;
  const arrivals = !context.session.sides && first !== undefined && hasTransfer(context.requestOf(first));
  // The answer of a cache is a transfer itself: nothing is left to compute without it.
  const isComputed = context.manifest.cached === undefined;
  return { arrivals, transfer: arrivals && isComputed && first.target.ownServer === undefined };
}

/**
 * Tells whether a request has a transfer time of its own: one with an empty body has none, and the payload is
 * one.
 */
export function hasTransfer({ path, expected }: CaseRequest): boolean {
  return expected.bytes > 0 && path !== PAYLOAD_PATH;
}

/**
 * Records when the parts of each target's body arrive.
 *
 * @returns the largest number of parts in which a body came. If all came whole, one round shows it.
 */
export async function recordArrivals(state: CaseView): Promise<number> {
  const { trial, context } = state;
  const { manifest, session } = context;
  const nextOrder = context.randomOrder(state.going, trial, "arrivals");
  let parts = 1;
  for (let round = 0; round < ARRIVAL_ROUNDS && !session.signal.aborted; round++) {
    for (const { target, exchange } of await runRound(nextOrder(), { arrivals: true }, session.signal)) {
      const { arrivals, isChunked, error } = exchange;
      if (arrivals === null || !isChunked || error !== null) {
        continue;
      }
      parts = Math.max(parts, arrivals.length);
      if (arrivals.length === 1) {
        continue;
      }
      session.recorder.add("timelines", {
        caseId: manifest.id,
        target: target.name,
        trial,
        round,
        arrivals: summariseArrivals(arrivals),
      });
    }
    if (parts === 1) {
      break;
    }
  }
  return parts;
}

/**
 * Measures transfer times until the trial ends. A round in which one target fails ends it: a transfer time
 * that only some have means nothing.
 *
 * @param parts number of parts in which the text is sent.
 */
export async function playTransfer(state: CaseView, parts: number, endsAt: number): Promise<void> {
  const { session, plan } = state.context;
  const asked = state.going.map(({ name, probe, expected: { bytes } }) => ({
    name,
    probe,
    ...transferRequest(bytes, parts),
  }));
  const nextOrder = state.context.randomOrder(asked, state.trial, "transfer");
  const mayGoOn = (rounds: number) =>
    plan.roundsPerTrial === null
      ? rounds < MIN_TRANSFER_ROUNDS || performance.now() < endsAt
      : rounds < plan.roundsPerTrial;
  for (let roundIndex = 0; mayGoOn(roundIndex); roundIndex++) {
    state.showProgress("transfer", roundIndex);
    const order = nextOrder();
    const done = await runRound(order, {}, session.signal);
    if (done.length < order.length || done.some(({ exchange }) => exchange.error !== null)) {
      return;
    }
    for (const [position, { target, exchange }] of done.entries()) {
      state.record({ target: target.name, phase: "transfer", roundIndex, position }, exchange);
    }
    session.recorder.flush();
  }
}

/** Makes the request for constant text of so many bytes, in so many parts. */
export function transferRequest(bytes: number, parts: number): CaseRequest {
  return {
    path: `${PAYLOAD_PATH}?bytes=${bytes}&chunks=${Math.min(parts, bytes, MAX_PARTS)}`,
    expected: { ...PLAIN_TEXT, bytes },
  };
}

/** The expectation of constant text: its content is not checked. */
const PLAIN_TEXT = {
  status: 200,
  contentType: "text/plain",
  sha256: "",
  masks: [],
  variation: null,
  isPage: false,
  unchecked: "digest",
} satisfies Omit<Expectation, "bytes">;

/**
 * Keeps of all arrivals the first part, the one with which half of the bytes are there, and the last: each with its
 * milliseconds, and the bytes by then.
 */
function summariseArrivals(arrivals: readonly PartArrival[]): Timeline["arrivals"] {
  let arrived = 0;
  const all = arrivals.map(({ ms, bytes }) => {
    arrived += bytes;
    return [Math.round(ms * 1000) / 1000, arrived] as const;
  });
  const half = all.find(([, bytes]) => bytes >= arrived / 2);
  return [...new Set([all[0], half, all.at(-1)])].filter((arrival) => arrival !== undefined);
}
