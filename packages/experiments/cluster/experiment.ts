import { availableParallelism } from "node:os";
import type { StageSummary } from "@evenbench/load";
import { formatBytes, formatCount, formatMs, formatPercent } from "@evenbench/report/parts";
import type { Figure, FigureTable, Outcome } from "@evenbench/results";
import type { RatioInterval } from "@evenbench/stats";
import { defineExperiment, HABR_CLUSTER, type MeasureContext, type Side } from "../src/define.ts";
import { conclude, estimate, exactly, halfOf, judgeAbove } from "../src/judge.ts";
import { type LoadAnswer, loadSides, meanAt, ratioAt, trialsFor } from "../src/load-sides.ts";

const PUBLISHED = 235 / 94;
const CASES = ["next-landing", "next-page"] as const;
const TARGET = "next-node";
/** The load as published: ten clients that each wait for their answer. */
const CONCURRENCY = 10;
/**
 * Ten requests at a time are answered in turn: where a page takes a third of a second, a stage has to last
 * some seconds.
 */
const TIMES = {
  "next-landing": { share: 0.25, trialMs: 12_000 },
  "next-page": { share: 0.5, trialMs: 40_000 },
} as const;
const DEATH = { share: 0.25, trialMs: 12_000 };
/** Nominal rates of networks, in bits per second. */
const NETWORKS = [
  ["100 Mbit/s", 100e6],
  ["1 Gbit/s", 1e9],
] as const;
const MINUTE_S = 60;

/** All cores, shared with the client as published; and those that the client leaves. */
const PLACES = [
  { words: "all cores", cores: "all" },
  { words: "client apart", cores: undefined },
] as const;

function sideOf(workers: number, place: (typeof PLACES)[number]): Side {
  const name = `${workers} ${workers === 1 ? "worker" : "workers"}, ${place.words}`;
  return { name, target: TARGET, start: { workers, ...(place.cores && { cores: place.cores }) } };
}

/** Workers are of use up to the number of cores: doubled from one. */
function workersFor(cores: number): readonly number[] {
  const doublings = Array.from({ length: Math.ceil(Math.log2(cores)) }, (_, index) => 2 ** index);
  return [...doublings, cores];
}

function sidesFor(cores: number): readonly Side[] {
  return PLACES.flatMap((place) => workersFor(cores).map((workers) => sideOf(workers, place)));
}

const ONE = sideOf(1, PLACES[0]);
const most = (cores: number) => sideOf(cores, PLACES[0]);
const CORES = availableParallelism();
const at = ({ name }: Side) => ({ side: name, offered: CONCURRENCY });

export interface ClusterLoads {
  /** By case. */
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
    const scaling: Record<string, LoadAnswer> = {};
    for (const caseId of CASES)
      scaling[caseId] = await tenClients(context, caseId, sidesFor(CORES), TIMES[caseId]);
    const death = await tenClients(context, CASES[0], fewestAndMost(CORES), DEATH, ([first]) => {
      if (first !== undefined) process.kill(first, "SIGKILL");
    });
    return { scaling, death };
  },
  decide: ({ own }) => decide(own, CORES),
});

function tenClients(
  context: MeasureContext,
  caseId: string,
  sides: readonly Side[],
  { share, trialMs }: { readonly share: number; readonly trialMs: number },
  disturb?: (pids: readonly number[]) => void,
): Promise<LoadAnswer> {
  const timeMs = context.timeMs * share;
  return loadSides(context, {
    caseId,
    sides,
    loads: [{ kind: "closed", connections: CONCURRENCY }],
    trials: trialsFor(timeMs, trialMs),
    timeMs,
    ...(disturb && { onWindow: (_side, pids) => disturb(pids) }),
  });
}

const perSecond = (summary: StageSummary) => summary.perSecond;

/**
 * The published ratio was of 32 threads. Fewer than three cores cannot reach it whatever a cluster does, so
 * there nothing is decided.
 */
export function decide({ scaling, death }: ClusterLoads, cores: number): Outcome {
  const figures = CASES.flatMap((caseId): Figure[] => {
    const answer = scaling[caseId];
    if (answer === undefined) return [];
    const ratio = ratioAt(answer, at(most(cores)), at(ONE), perSecond);
    const label = `${caseId}: answers, ${cores} workers / one, on all cores`;
    const judged = judgeAbove(label, ratio, Number(halfOf(PUBLISHED).toFixed(2)));
    const enough = cores > PUBLISHED;
    return [
      enough ? judged : { ...judged, verdict: null, note: `${cores} cores cannot give ${PUBLISHED}×.` },
      {
        label: `${caseId}: that ratio / ${cores} workers (scaling efficiency)`,
        unit: "share",
        value: estimate(ratio && scaled(ratio, 1 / cores)),
        verdict: null,
        note: "The client's work is in it: it shares the cores.",
      },
    ];
  });
  const tooFew = `The claim was made with 32 threads; this machine has ${cores} cores, on which no cluster can serve ${PUBLISHED} times as much.`;
  const decided =
    cores > PUBLISHED ? conclude(figures) : ({ verdict: "inconclusive", reason: tooFew } as const);
  return {
    ...decided,
    figures: [...figures, ...deathFigures(cores, scaling[CASES[0]], death)],
    tables: [rateTable(cores, scaling), ceilingTable(scaling)],
  };
}

function scaled({ estimate: middle, low, high, level }: RatioInterval, by: number): RatioInterval {
  return { estimate: middle * by, low: low * by, high: high * by, level };
}

/** On a machine with one core these are one side. */
function fewestAndMost(cores: number): readonly Side[] {
  return cores === 1 ? [ONE] : [ONE, most(cores)];
}

/** Against the same sides in the undisturbed stages of the same case. */
function deathFigures(cores: number, calm: LoadAnswer | undefined, death: LoadAnswer): Figure[] {
  return fewestAndMost(cores).flatMap((side): Figure[] => {
    const failed = meanAt(death, at(side), ({ errors }) => errors)?.estimate ?? null;
    const before = calm && meanAt(calm, at(side), perSecond)?.estimate;
    const after = meanAt(death, at(side), perSecond)?.estimate;
    const known = before !== undefined && after !== undefined && before > 0;
    const words = `${CASES[0]}, ${side.name}, one worker killed`;
    return [
      {
        label: `${words}: failed requests in each stage`,
        unit: "count",
        value: failed === null ? null : exactly(failed),
        verdict: null,
        note: null,
      },
      {
        label: `${words}: answers / undisturbed`,
        unit: "ratio",
        value: known ? exactly(after / before) : null,
        verdict: null,
        note: "Over the measured part of a stage, which the death begins; the primary starts another worker.",
      },
    ];
  });
}

function rateTable(cores: number, scaling: ClusterLoads["scaling"]): FigureTable {
  const rows = Object.entries(scaling).flatMap(([caseId, answer]) =>
    sidesFor(cores).map((side) => {
      const mean = (pick: (summary: StageSummary) => number | null) =>
        meanAt(answer, at(side), pick)?.estimate ?? null;
      const rate = mean(perSecond);
      const clientShare = mean(({ stage: { client } }) =>
        client.cpuMs === null ? null : client.cpuMs / client.wallMs,
      );
      return [
        caseId,
        side.name,
        rate === null ? "–" : formatCount(Math.round(rate * MINUTE_S)),
        formatMs(mean(({ latency }) => latency?.p50 ?? null)),
        formatMs(mean(({ cpuMsPerExchange }) => cpuMsPerExchange)),
        String(mean(({ errors }) => errors) ?? "–"),
        clientShare === null ? "–" : formatPercent(clientShare),
      ];
    }),
  );
  const head = ["case", "cluster", "answers/minute", "median", "CPU/request", "failed", "client CPU"];
  return { title: `${CONCURRENCY} clients that each wait for their answer`, head, rows };
}

/** What a network lets through of a body, without headers and whatever else the wire takes: at most so much. */
function ceilingTable(scaling: ClusterLoads["scaling"]): FigureTable {
  const rows = Object.entries(scaling).map(([caseId, answer]) => {
    const bytes = meanAt(answer, at(ONE), ({ bodyBytes }) => bodyBytes)?.estimate ?? null;
    const limits = NETWORKS.map(([, bitsPerSecond]) =>
      bytes === null ? "–" : formatCount(Math.floor((bitsPerSecond / 8 / bytes) * MINUTE_S)),
    );
    return [caseId, bytes === null ? "–" : formatBytes(bytes), ...limits];
  });
  const head = ["case", "body", ...NETWORKS.map(([name]) => name)];
  return { title: "Answers a minute that a network lets through at most", head, rows };
}
