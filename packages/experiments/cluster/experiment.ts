import { availableParallelism } from "node:os";
import type { Estimate, Figure, Outcome } from "@evenbench/results";
import { defineExperiment, HABR_CLUSTER, type Side } from "../src/define.ts";
import { figureOf, halfOf, isAbove, outcomeOf } from "../src/judge.ts";
import {
  type LoadAnswer,
  type LoadQuestion,
  loadSides,
  meanAt,
  ratioAt,
  type StageValue,
} from "../src/load-sides.ts";

const PUBLISHED = 235 / 94;
const CASES = ["next-landing", "next-page"] as const;
/** The load as published: ten clients that each wait for their answer. */
const CONCURRENCY = 10;
/** Of the time; ten requests at a time are answered in turn, so that stages of a slow page last some seconds. */
const TIMES = {
  "next-landing": { share: 0.25, trialMs: 12_000 },
  "next-page": { share: 0.5, trialMs: 40_000 },
  death: { share: 0.25, trialMs: 12_000 },
} as const;
/** Nominal rates of networks, in bits per second. */
const NETWORKS = [
  ["100 Mbit/s", 100e6],
  ["1 Gbit/s", 1e9],
] as const;

/** All cores, shared with the client as published; and those that the client leaves. */
const ALL = { words: "all cores", start: { cores: "all" } } as const;
const APART = { words: "client apart", start: {} } as const;

function sideOf(workers: number, { words, start }: typeof ALL | typeof APART): Side {
  const name = `${workers} ${workers === 1 ? "worker" : "workers"}, ${words}`;
  return { name, target: "next-node", start: { workers, ...start } };
}

/** Workers are of use up to the number of cores: doubled from one. */
function sidesFor(cores: number): readonly Side[] {
  const doublings = Array.from({ length: Math.ceil(Math.log2(cores)) }, (_, index) => 2 ** index);
  return [ALL, APART].flatMap((place) => [...doublings, cores].map((workers) => sideOf(workers, place)));
}

/** On a machine with one core these are one side. */
function fewestAndMost(cores: number): readonly Side[] {
  return [...new Set([1, cores])].map((workers) => sideOf(workers, ALL));
}

const CORES = availableParallelism();
const at = ({ name }: Side) => ({ side: name, offered: CONCURRENCY });

interface ClusterLoads {
  readonly cores: number;
  readonly scaling: Readonly<Record<string, LoadAnswer>>;
  /** The first case again, on the most workers, with one of them killed as the window begins. */
  readonly death: LoadAnswer;
}

export default defineExperiment<ClusterLoads>({
  title: "node:cluster against one process",
  claim:
    "Next.js on node:cluster served about 2.5 times the requests of one process: 94,000 against 235,000 a minute.",
  source: HABR_CLUSTER,
  published: "2.5× on 32 threads",
  timeS: 240,
  sides: sidesFor(CORES),
  async measure(context) {
    const tenClients = (
      caseId: string,
      { share, trialMs }: (typeof TIMES)[keyof typeof TIMES],
      rest: Pick<LoadQuestion, "sides" | "onWindow">,
    ) =>
      loadSides(context, {
        ...{ caseId, trialMs, timeMs: context.timeMs * share, ...rest },
        loads: [{ kind: "closed", connections: CONCURRENCY }],
      });
    const scaling: Record<string, LoadAnswer> = {};
    for (const caseId of CASES)
      scaling[caseId] = await tenClients(caseId, TIMES[caseId], { sides: sidesFor(CORES) });
    const death = await tenClients(CASES[0], TIMES.death, {
      sides: fewestAndMost(CORES),
      onWindow([first]) {
        if (first !== undefined) process.kill(first, "SIGKILL");
      },
    });
    return { cores: CORES, scaling, death };
  },
  decide: ({ own }) => decide(own),
});

const perSecond: StageValue = (summary) => summary.perSecond;

/** Fewer than three cores cannot reach the published ratio whatever a cluster does: nothing is decided there. */
function decide({ cores, scaling, death }: ClusterLoads): Outcome {
  const [one, most] = [sideOf(1, ALL), sideOf(cores, ALL)];
  const isEnough = cores > PUBLISHED;
  const figures = Object.entries(scaling).flatMap(([caseId, answer]) => {
    const ratio = ratioAt(answer, at(most), at(one), perSecond);
    return [
      figureOf(`${caseId}: answers, ${cores} workers / one, on all cores`, "ratio", ratio, {
        ...(isEnough
          ? { rule: isAbove(Number(halfOf(PUBLISHED).toFixed(2))) }
          : { note: `${cores} cores cannot give ${PUBLISHED}×.` }),
      }),
      figureOf(
        `${caseId}: that ratio / ${cores} workers (scaling efficiency)`,
        "share",
        ratio && scaled(ratio, 1 / cores),
        { note: "The client's work is in it: it shares the cores." },
      ),
    ];
  });
  const outcome = outcomeOf(
    [...figures, ...deathFigures(cores, scaling[CASES[0]], death), ...ceilings(scaling)],
    [...Object.values(scaling), death].flatMap(({ tables }) => tables),
  );
  const tooFew = `The claim was made with 32 threads; this machine has ${cores} cores, on which no cluster can serve ${PUBLISHED} times as much.`;
  return isEnough ? outcome : { ...outcome, verdict: "inconclusive", reason: tooFew };
}

function scaled({ estimate, low, high }: Estimate, by: number): Estimate {
  return { estimate: estimate * by, low: low * by, high: high * by };
}

function deathFigures(cores: number, calm: LoadAnswer | undefined, death: LoadAnswer): Figure[] {
  return fewestAndMost(cores).flatMap((side) => {
    const before = calm && meanAt(calm, at(side), perSecond)?.estimate;
    const after = meanAt(death, at(side), perSecond)?.estimate;
    const isKnown = before !== undefined && after !== undefined && before > 0;
    const words = `${CASES[0]}, ${side.name}, one worker killed`;
    const failed = meanAt(death, at(side), ({ errors }) => errors)?.estimate ?? null;
    return [
      figureOf(`${words}: failed requests in each stage`, "count", failed),
      figureOf(`${words}: answers / undisturbed`, "ratio", isKnown ? after / before : null, {
        note: "Over the measured part of a stage, which the death begins; the primary starts another worker.",
      }),
    ];
  });
}

/** What a network lets through of a body, without headers and whatever else the wire takes: at most so much. */
function ceilings(scaling: ClusterLoads["scaling"]): Figure[] {
  return Object.entries(scaling).flatMap(([caseId, answer]) =>
    NETWORKS.map(([name, bitsPerSecond]) => {
      const bytes = meanAt(answer, at(sideOf(1, ALL)), ({ bodyBytes }) => bodyBytes)?.estimate;
      const most = bytes === undefined ? null : Math.floor((bitsPerSecond / 8 / bytes) * 60);
      return figureOf(`${caseId}: answers a minute that ${name} lets through at most`, "count", most);
    }),
  );
}
