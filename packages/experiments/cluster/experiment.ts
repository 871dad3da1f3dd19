import { availableParallelism } from "node:os";
import {
  defineExperiment,
  type FigureQuestion,
  HABR_CLUSTER,
  type LoadQuestion,
  type Rule,
  type Side,
  type StageValue,
} from "../src/define.ts";
import { halfOf, isAbove } from "../src/judge.ts";

/** Published ratio of requests in a minute: 235,000 by the cluster, 94,000 by one process. */
const PUBLISHED_RATIO = 235 / 94;
/** The load as published: ten clients that each wait for their answer. */
const CONCURRENCY = 10;
const CASES = ["next-landing", "next-page-large"] as const;
/** Id of the case that decides: the claim is about a static page. A rendered one stands beside it. */
const CLAIMED_CASE = "next-landing";
/** Time of each case: ten requests at a time are answered in turn, so that slow stages last seconds. */
const TIME_OF_CASE = {
  "next-landing": { weight: 1, trialMs: 12_000 },
  "next-page-large": { weight: 2, trialMs: 40_000 },
} as const;

/** Makes the side with a number of workers on all cores, shared with the client as published. */
function sideOf(workers: number): Side {
  const name = workers === 1 ? "1 worker" : `${workers} workers`;
  return { name, target: "next-node", start: { workers, cores: "all" } };
}

/** Makes the sides for a machine: workers are of use up to the number of cores, and are doubled from one. */
function sidesFor(cores: number): readonly Side[] {
  const doublings = Array.from({ length: Math.ceil(Math.log2(cores)) }, (_, index) => 2 ** index);
  return [...doublings, cores].map(sideOf);
}

/** Gives the place of a side's stage at the published load. */
const stageOf = ({ name }: Side) => ({ side: name, offered: CONCURRENCY });
const perSecond: StageValue = (summary) => summary.perSecond;

/**
 * Makes the experiment for a number of cores. Fewer than three cannot reach the published ratio: nothing is decided
 * there.
 */
export const clusterOn = (cores: number) => {
  const isEnough = cores > PUBLISHED_RATIO;
  const decision: Pick<LoadQuestion, "note"> & { readonly rule?: Rule } = isEnough
    ? { rule: isAbove(Number(halfOf(PUBLISHED_RATIO).toFixed(2))) }
    : { note: `${cores} cores cannot give ${PUBLISHED_RATIO.toFixed(1)}×.` };
  const oneWorker = sideOf(1);
  const allWorkers = sideOf(cores);
  return defineExperiment({
    title: "node:cluster against one process",
    claim:
      "Next.js on node:cluster served about 2.5 times the requests of one process: 94,000 against 235,000 a minute.",
    source: HABR_CLUSTER,
    published: "2.5× on 32 threads",
    timeS: 180,
    loads: CASES.map((caseId) => ({
      ...TIME_OF_CASE[caseId],
      id: caseId,
      caseId,
      sides: sidesFor(cores),
      loads: [{ kind: "closed", connections: CONCURRENCY }],
    })),
    figures: CASES.flatMap((load): FigureQuestion[] => {
      const ratio = { load, at: stageOf(allWorkers), against: stageOf(oneWorker) };
      return [
        {
          ...ratio,
          label: `${load}: answers, ${cores} workers / one, on all cores`,
          value: perSecond,
          ...(load === CLAIMED_CASE && decision),
        },
        {
          ...ratio,
          unit: "share",
          label: `${load}: that ratio / ${cores} workers (scaling efficiency)`,
          value: (summary) => summary.perSecond / (summary.stage.target === allWorkers.name ? cores : 1),
          note: "The client's work is in it: it shares the cores.",
        },
      ];
    }),
    note: isEnough
      ? ""
      : `The claim was made with 32 threads; this machine has ${cores} cores, on which no cluster can serve ${PUBLISHED_RATIO.toFixed(1)} times as much. A machine with ${Math.ceil(PUBLISHED_RATIO)} cores or more would decide it.`,
  });
};

export default clusterOn(availableParallelism());
