import { type Arrival, type Expectation, runRound } from "@evenbench/probe";
import type { Timeline } from "@evenbench/results";
import type { CaseRequest, CaseState } from "./case-work.ts";

/** Every app serves constant text here: `bytes` of it, in `chunks` parts. */
const PAYLOAD_PATH = "/payload";
const MOST_PARTS = 10_000;

export const TRANSFER_SHARE = 0.1;
const LEAST_TRANSFER_ROUNDS = 8;

/** Their median is a trial's. */
const ARRIVAL_ROUNDS = 5;

/** Sides may send what they like. Whoever knows nothing of us does not serve the payload. */
export function notedIn(work: CaseState): { readonly arrivals: boolean; readonly transfer: boolean } {
  const [first] = work.measuredTargets;
  const arrivals = !work.session.sides && first !== undefined && hasTransfer(work.requestOf(first));
  return { arrivals, transfer: arrivals && first.target.ownServer === undefined };
}

export function hasTransfer({ path, expected }: CaseRequest): boolean {
  return expected.bytes > 0 && path !== PAYLOAD_PATH;
}

/** @returns in how many parts the body came at most; where it came whole one round shows it. */
export async function recordArrivals(work: CaseState): Promise<number> {
  const { manifest, session, trial } = work;
  const nextOrder = work.randomOrder(work.going, trial, "arrivals");
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
      const place = { caseId: manifest.id, target: target.name, trial, round };
      session.recorder.add("timelines", { ...place, arrivals: courseOf(arrivals) });
    }
    if (parts === 1) {
      break;
    }
  }
  return parts;
}

/** A round in which one fails ends it: a transfer time that only some have means nothing. */
export async function playTransfer(work: CaseState, parts: number, endsAt: number): Promise<void> {
  const { session, plan } = work;
  const asked = work.going.map(({ name, probe, expected: { bytes } }) => ({
    name,
    probe,
    ...transferRequest(bytes, parts),
  }));
  const nextOrder = work.randomOrder(asked, work.trial, "transfer");
  const mayGoOn = (rounds: number) =>
    plan.roundsPerTrial === null
      ? rounds < LEAST_TRANSFER_ROUNDS || performance.now() < endsAt
      : rounds < plan.roundsPerTrial;
  for (let roundIndex = 0; mayGoOn(roundIndex); roundIndex++) {
    work.showProgress("transfer", roundIndex);
    const order = nextOrder();
    const done = await runRound(order, {}, session.signal);
    if (done.length < order.length || done.some(({ exchange }) => exchange.error !== null)) {
      return;
    }
    for (const [position, { target, exchange }] of done.entries()) {
      work.record({ target: target.name, phase: "transfer", roundIndex, position }, exchange);
    }
    session.recorder.flush();
  }
}

export function transferRequest(bytes: number, parts: number): CaseRequest {
  return {
    path: `${PAYLOAD_PATH}?bytes=${bytes}&chunks=${Math.min(parts, bytes, MOST_PARTS)}`,
    expected: { ...PLAIN_TEXT, bytes },
  };
}

const PLAIN_TEXT = {
  status: 200,
  contentType: "text/plain",
  sha256: "",
  masks: [],
  variation: null,
  isPage: false,
  unchecked: "digest",
} satisfies Omit<Expectation, "bytes">;

/** Milliseconds, and bytes by then: of the first part, of the one with which half of the bytes are there, of the last. */
function courseOf(arrivals: readonly Arrival[]): Timeline["arrivals"] {
  let arrived = 0;
  const all = arrivals.map(({ ms, bytes }) => {
    arrived += bytes;
    return [Math.round(ms * 1000) / 1000, arrived] as const;
  });
  const half = all.find(([, bytes]) => bytes >= arrived / 2);
  return [...new Set([all[0], half, all.at(-1)])].filter((arrival) => arrival !== undefined);
}
