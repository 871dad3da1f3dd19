import { availableParallelism } from "node:os";
import type { Figure } from "@evenbench/results";
import {
  defineExperiment,
  type Evidence,
  type FigureQuestion,
  HABR_CLUSTER,
  type LoadPlan,
  type Side,
  type StageValue,
} from "../src/define.ts";
import { figureOf, halfOf, isAbove, outcomeOf } from "../src/judge.ts";
import { meanAt } from "../src/load-sides.ts";

const PUBLISHED = 235 / 94;
/** The load as published: ten clients that each wait for their answer. */
const CONCURRENCY = 10;
const FIRST = "next-landing";
const CASES = [FIRST, "next-page"] as const;
/** Ten requests at a time are answered in turn, so that stages of a slow page last some seconds. */
const TIMES = {
  [FIRST]: { share: 0.25, trialMs: 12_000 },
  "next-page": { share: 0.5, trialMs: 40_000 },
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

const at = ({ name }: Side) => ({ side: name, offered: CONCURRENCY });
const perSecond: StageValue = (summary) => summary.perSecond;
const tenClients = (plan: Omit<LoadPlan, "loads">): LoadPlan => ({
  ...plan,
  loads: [{ kind: "closed", connections: CONCURRENCY }],
});

/** Fewer than three cores cannot reach the published ratio whatever a cluster does: nothing is decided there. */
export const clusterOn = (cores: number) => {
  const isEnough = cores > PUBLISHED;
  const [one, most] = [sideOf(1, ALL), sideOf(cores, ALL)];
  return defineExperiment({
    title: "node:cluster against one process",
    claim:
      "Next.js on node:cluster served about 2.5 times the requests of one process: 94,000 against 235,000 a minute.",
    source: HABR_CLUSTER,
    published: "2.5× on 32 threads",
    timeS: 240,
    loads: [
      ...CASES.map((caseId) => tenClients({ ...TIMES[caseId], id: caseId, caseId, sides: sidesFor(cores) })),
      // The first case again, with one of its workers killed as the window begins.
      tenClients({
        ...{ ...TIMES[FIRST], id: "death", caseId: FIRST, sides: fewestAndMost(cores) },
        onWindow([first]) {
          if (first !== undefined) process.kill(first, "SIGKILL");
        },
      }),
    ],
    figures: CASES.flatMap((load): FigureQuestion[] => {
      const ratio = { load, at: at(most), against: at(one) };
      return [
        {
          ...{ ...ratio, label: `${load}: answers, ${cores} workers / one, on all cores`, value: perSecond },
          ...(isEnough
            ? { rule: isAbove(Number(halfOf(PUBLISHED).toFixed(2))) }
            : { note: `${cores} cores cannot give ${PUBLISHED}×.` }),
        },
        {
          ...{
            ...ratio,
            unit: "share",
            label: `${load}: that ratio / ${cores} workers (scaling efficiency)`,
          },
          value: (summary) => summary.perSecond / (summary.stage.target === most.name ? cores : 1),
          note: "The client's work is in it: it shares the cores.",
        },
        // What a network lets through of a body, without headers and whatever else the wire takes.
        ...NETWORKS.map(
          ([name, bitsPerSecond]): FigureQuestion => ({
            ...{ load, at: at(one), unit: "count" },
            label: `${load}: answers a minute that ${name} lets through at most`,
            value: ({ bodyBytes }) => bodyBytes && Math.floor((bitsPerSecond / 8 / bodyBytes) * 60),
          }),
        ),
      ];
    }),
    decide({ figures, tables, loads }) {
      const all = [...figures, ...fewestAndMost(cores).flatMap((side) => deathFigures(side, loads))];
      const outcome = outcomeOf(all, tables);
      const reason = `The claim was made with 32 threads; this machine has ${cores} cores, on which no cluster can serve ${PUBLISHED} times as much.`;
      return isEnough ? outcome : { ...outcome, verdict: "inconclusive", reason };
    },
  });
};

export default clusterOn(availableParallelism());

function deathFigures(side: Side, { [FIRST]: calm, death }: Evidence<unknown>["loads"]): Figure[] {
  const before = calm && meanAt(calm, at(side), perSecond)?.estimate;
  const after = death && meanAt(death, at(side), perSecond)?.estimate;
  const isKnown = before !== undefined && after !== undefined && before > 0;
  const words = `${FIRST}, ${side.name}, one worker killed`;
  const failed = (death && meanAt(death, at(side), ({ errors }) => errors)?.estimate) ?? null;
  return [
    figureOf(`${words}: failed requests in each stage`, "count", failed),
    figureOf(`${words}: answers / undisturbed`, "ratio", isKnown ? after / before : null, {
      note: "Over the measured part of a stage, which the death begins; the primary starts another worker.",
    }),
  ];
}
