import { existsSync } from "node:fs";
import { cp, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BuildRecord, CaseManifest, PlatformRecord } from "@evenbench/core";
import {
  createRunFolder,
  FACTS_FILE,
  type Run,
  type RunEvent,
  type Sample,
  SampleTable,
  SampleWriter,
} from "@evenbench/results";
import { exampleRun, writeRun } from "@evenbench/results/testing";
import { seededRandom, type Verdict } from "@evenbench/stats";
import { testSample } from "@evenbench/stats/testing";
import { type AnalysedRun, analyseFolder, analyseRun } from "../src/analyse-run.ts";
import type { Trend } from "../src/facts/facts.ts";
import { makeFacts } from "../src/facts/make-facts.ts";
import { json } from "../src/media/json.ts";

// Synthetic runs, for tests of the report alone: nothing here was measured.

const about = (colour: number, shortTitle: string, spoken: string, usdPerCpuHour: number | null) => ({
  shortTitle,
  spoken,
  colour,
  isHosted: usdPerCpuHour !== null,
  cpuAccountant: usdPerCpuHour && `${spoken}'s account`,
  cpuPrice: usdPerCpuHour && {
    title: "Plan",
    usdPerCpuHour,
    stated: `$${usdPerCpuHour}`,
    readOn: "2026-11-21",
    source: "https://prices.example/",
  },
  ...(usdPerCpuHour !== null && {
    requestPrice: {
      title: "Plan",
      usdPerMillion: 0.3,
      stated: "$0.30",
      readOn: "2026-11-21",
      source: "https://prices.example/",
    },
  }),
});

/** The part of a run's record that describes platforms. */
export const ABOUT = {
  node: about(0, "Node.js", "Node.js", null),
  cloudflare: about(1, "Worker", "Cloudflare's workerd", 0.072),
  vercel: about(2, "Vercel Function", "Vercel's adapter", 0.128),
} as Readonly<Record<string, PlatformRecord>>;
const TARGETS = Object.keys(ABOUT);
const ALL_TARGETS = [...TARGETS, "node~copy"];

/** Options of a synthetic run. */
export interface SyntheticOptions {
  /** Measured rounds in each trial. Default: 60. */
  readonly rounds?: number;
  /** Default: 5. */
  readonly trials?: number;
  /** Default: none. */
  readonly events?: readonly RunEvent[];
  /** Default: "complete". */
  readonly status?: Run["status"];
  /** Seed of everything that is drawn. */
  readonly seed?: number;
  /** How many times as long everything takes. */
  readonly slower?: number;
  /** How many times as long a target takes, by its name; 1 for what is not named. */
  readonly slowerBy?: Readonly<Record<string, number>>;
  /** Every n-th measured exchange of cloudflare fails. */
  readonly failEvery?: number;
  /** Text that stands wherever data can hold text. */
  readonly text?: string;
}

const OWN_BUILD = "Each platform renders with the build of react-dom that it resolves by itself.";

/** Parameters of the synthetic times: node's time, and the true ratios to it. */
const CASES: readonly (readonly [id: string, title: string, kind: string, nodeMs: number, ratios: Ratios])[] =
  [
    ["empty", "Empty", "bare request", 0.4, { cloudflare: 1.6, vercel: 1.12 }],
    ["react-ssr", "React page", "React", 12, { cloudflare: 1, vercel: 1.04 }],
    ["trig", "Trigonometry", "arithmetic", 30, { cloudflare: 2.4, vercel: 1 }],
    ["react-ssr-native", "React, own builds", "React", 14, { cloudflare: 0.82, vercel: 1 }],
  ];
/** True ratios to node's time, by platform. Default: 1. */
type Ratios = Readonly<Record<string, number>>;

/** Gives the time that a target truly takes in a case, in milliseconds. */
function trueMs(caseId: string, target: string): number {
  const [, , , nodeMs = 0, ratios = {}] = CASES.find(([id]) => id === caseId) ?? [];
  return nodeMs * (ratios[target] ?? 1);
}

/** Writes a synthetic run into a new folder below `directory`, through the real writers. @returns the folder. */
export function writeSyntheticRun(directory: string, options: SyntheticOptions = {}): Promise<string> {
  const run = syntheticRun(options);
  return written(directory, run, syntheticSamples(run, options));
}

/** Writes a run with its samples into a new folder below `directory`. @returns the folder. */
export async function written(directory: string, run: Run, samples: Iterable<Sample>): Promise<string> {
  const { folder } = await createRunFolder(directory);
  await writeRun(folder, run);
  const writer = new SampleWriter(folder);
  let queued = 0;
  for (const sample of samples) {
    writer.append(sample);
    // Each flush looks whether the file is still there: after every sample, that takes most of the time.
    if (++queued % 1000 === 0) {
      writer.flush();
    }
  }
  writer.close();
  await writeRun(folder, { ...run, samples: writer.written });
  return folder;
}

const BUILD: BuildRecord = {
  ms: 8200,
  size: {
    bytes: 2_741_260,
    gzipBytes: 824_217,
    limit: { bytes: 10e6, counts: "gzipBytes", says: "10 MB compressed" },
  },
};

/** Makes the record alone: every target works for nine tenths of its median, each trial a little differently. */
export function syntheticRun(options: SyntheticOptions): Run {
  const { events = [], status = "complete", trials = 5, text = "", seed = 42 } = options;
  const [example] = exampleRun.plan.cases as [CaseManifest];
  const cases = CASES.map(([id, title, kind]) => {
    const words = { title: title + text, kind: kind + text, description: `Synthetic data.${text}` };
    const notSameCode = id === "react-ssr-native" ? OWN_BUILD + text : null;
    return { ...example, ...words, id, path: `/${id}`, notSameCode };
  });
  const targets = ALL_TARGETS.map((name) => {
    const platform = name.replace("~copy", "");
    const copyOf = name === platform ? null : platform;
    const place = { place: "local" as const, url: null, copyOf };
    return { name, app: "bundle", platform, about: ABOUT[platform] as PlatformRecord, ...place };
  });
  const memory = { minorFaults: 5000, residentBytes: 150e6, peakResidentBytes: 210e6 };
  const usage = cases.flatMap(({ id: caseId }) =>
    targets.flatMap(({ name: target }) =>
      Array.from({ length: trials }, (_, trial) => {
        const cpuMs = 50 * 0.9 * trueMs(caseId, target) * (1 + 0.01 * Math.sin(trial));
        return { caseId, target, trial, exchanges: 50, cpuMs, userMs: cpuMs, systemMs: 0, ...memory };
      }),
    ),
  );
  const identityOf = (name: string) => ({
    ...(exampleRun.identities.node as Run["identities"][string]),
    platform: name,
    pins: {
      artifact: "3f2a9c4e8b7d60514a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f7081",
      "nodeEnv.artifact": `production${text}`,
      "nodeEnv.runtime": "production",
      "react-ssr.react": "19.3.1",
    },
    facts: {
      runtime: name === "cloudflare" ? "workerd 1.20261117.1" : "Node.js 24.21.0",
      v8: null,
      region: "local",
    },
  });
  return {
    ...exampleRun,
    id: "synthetic",
    finishedAt: "2026-11-21T09:33:15.000Z",
    status,
    events,
    usage,
    evenbenchVersion: `0.1.0${text}`,
    command: ["--case", cases.map(({ id }) => id).join(",")],
    plan: {
      ...exampleRun.plan,
      cases,
      targets,
      seed,
      caseLimitMs: Object.fromEntries(cases.map(({ id }) => [id, 45_000])),
      trials: { minimum: trials, maximum: trials },
      coldStarts: 3,
      digestEvery: 50,
      allowedPins: text === "" ? [] : [text],
    },
    machine: exampleRun.machine && {
      ...exampleRun.machine,
      system: `Linux 6.12 x64${text}`,
      cpuModel: "A synthetic processor",
      memoryBytes: 8 * 2 ** 30,
      clientNode: "v24.21.0",
    },
    deployables: Object.fromEntries(TARGETS.map((name) => [name, BUILD])),
    timelines: targets.map(({ name: target }, index) => ({
      caseId: "react-ssr",
      target,
      trial: 0,
      round: 0,
      arrivals: [1, 2, 3, 4].map((part) => [part * (3 + index), part * 25] as const),
    })),
    coldStarts: targets.flatMap(({ name: target }, index) =>
      [0, 1, 2].map((repetition) => ({
        caseId: "react-ssr",
        target,
        repetition,
        readyMs: 150 + 40 * index + repetition,
      })),
    ),
    identities: Object.fromEntries(TARGETS.map((name) => [name, identityOf(name)])),
  };
}

/** Analyses a synthetic run. @param change alters the run before it is analysed. */
export function analysed(options: SyntheticOptions, change: (run: Run) => Run = (run) => run): AnalysedRun {
  const run = change(syntheticRun(options));
  return analyseRun(run, SampleTable.from(syntheticSamples(run, options)));
}

/** Makes the samples alone, the same for the same options: warm-up, then rounds in each trial. */
export function* syntheticSamples(run: Run, options: SyntheticOptions): Iterable<Sample> {
  const { rounds = 60, trials = 5, failEvery = 0, text = "", slower = 1, slowerBy = {} } = options;
  const random = seededRandom(run.plan.seed);
  // Apart, so that these draws do not move the measured times.
  const aside = seededRandom(2);
  let clockMs = 1_000;
  let exchange = 0;
  for (const { id: caseId } of run.plan.cases) {
    for (let trial = 0; trial < trials; trial++) {
      const lean = run.plan.targets.map(() => 1 + 0.02 * (random() - 0.5));
      for (let index = -5; index < rounds; index++) {
        for (const [position, { name, copyOf }] of run.plan.targets.entries()) {
          const tail = random() < 0.03 ? 1 + 2 * random() : 1;
          const scatter = 0.9 + 0.2 * random() + 0.1 * random() ** 4;
          const ms =
            trueMs(caseId, name) * slower * (slowerBy[name] ?? 1) * (lean[position] ?? 1) * scatter * tail;
          const lastByteMs = index < 0 ? 1.5 * ms : ms;
          const failed = failEvery > 0 && index >= 0 && name === "cloudflare" && ++exchange % failEvery === 0;
          const firstByteMs = lastByteMs * (copyOf === null && name === "cloudflare" ? 0.7 : 0.9);
          clockMs += lastByteMs + 0.2;
          yield {
            ...plainSample(caseId, name, trial, clockMs),
            ...(index < 0
              ? { phase: "warmup", roundIndex: index + 5 }
              : { phase: "measure", roundIndex: index }),
            position,
            connectMs: index === -5 ? 0.3 : null,
            served: index + 5,
            ...(failed
              ? { error: { kind: "length", detail: `99 bytes instead of 100${text}` } }
              : { firstByteMs, lastByteMs }),
          };
        }
      }
      for (let roundIndex = 0; roundIndex < 6 && caseId !== "empty"; roundIndex++) {
        for (const [position, { name }] of run.plan.targets.entries()) {
          clockMs += 1;
          const sample = plainSample(caseId, name, trial, clockMs);
          const times = { firstByteMs: 0.2, lastByteMs: 0.3 + 0.05 * aside() };
          yield { ...sample, phase: "transfer", roundIndex, position, ...times };
        }
      }
    }
    for (const { target, repetition } of run.coldStarts.filter((start) => start.caseId === caseId)) {
      for (const roundIndex of [0, 1]) {
        clockMs += 100;
        const sample = plainSample(caseId, target, repetition, clockMs);
        const lastByteMs = (roundIndex === 0 ? 20 : 2) * (1 + 0.1 * aside());
        yield { ...sample, phase: "cold", roundIndex, firstByteMs: 0.2, lastByteMs };
      }
    }
  }
}

/** Makes a sample of a synthetic run, without times. @param clockMs its start since that of the run. */
export function plainSample(caseId: string, target: string, trial: number, clockMs: number): Sample {
  const startedAtMs = Math.round(clockMs * 1000) / 1000;
  const instance = { instanceId: "0123456789abcdef", served: 9, bodyBytes: 100 };
  return testSample({ caseId, target, trial, startedAtMs, ...instance });
}

/** CPU time of one exchange, in milliseconds, from what a synthetic run has of it. */
export type CpuOf = (sample: Sample) => number;

/** Nine tenths of the time to the last byte. */
export const STEADY_CPU: CpuOf = ({ lastByteMs }) => 0.9 * (lastByteMs ?? 0);

/** A synthetic run whose exchanges have CPU time of their own, and whose targets got eight exchanges of warm-up. */
export function analysedWithCpu(
  options: SyntheticOptions,
  cpuOf: CpuOf = STEADY_CPU,
  change: (sample: Sample) => Sample = (sample) => sample,
): AnalysedRun {
  const run = syntheticRun(options);
  const warmUps = run.usage.map(({ caseId, target, trial }) => ({
    caseId,
    target,
    trial,
    exchanges: 9,
    needed: 8,
    warmAfter: 5,
  }));
  const samples = Array.from(syntheticSamples(run, options), (sample) =>
    change({ ...sample, cpuMs: cpuOf(sample), minorFaults: 100 }),
  );
  return analyseRun({ ...run, warmUps }, SampleTable.from(samples));
}

/** A trend of node's heap, which grows by some 1,500 bytes a request; with other fields as given. */
export function testTrend(given: Partial<Trend> = {}): Trend {
  const ends = { estimate: 1500, low: 1200, high: 1800, low90: 1300, high90: 1700, bound: 500 };
  const of = { case: "trig", target: "node (after)", baseline: null, metric: "heapBytes" } as const;
  return { ...of, ...ends, verdict: "grows", why: null, ...given };
}

/** The same data, with other verdicts on time. */
export function withVerdict(data: AnalysedRun, verdict: Verdict): AnalysedRun {
  const cases = data.cases.map(({ lastByte, ...report }) => {
    const comparisons = lastByte?.comparisons.map((comparison) => ({ ...comparison, verdict })) ?? [];
    return { ...report, lastByte: lastByte && { ...lastByte, comparisons } };
  });
  return { ...data, cases };
}

/** The same cases and targets in each app, as one run; the app's id stands before their names. */
export function analysedApps(apps: readonly string[], options: SyntheticOptions): AnalysedRun {
  const { plan, identities, ...run } = syntheticRun(options);
  const samples = [...syntheticSamples({ ...run, plan, identities }, options)];
  const all = apps.map((app) =>
    ofApp({ cases: plan.cases, targets: plan.targets, identities, samples }, app),
  );
  const cases = all.flatMap(({ cases }) => cases);
  const targets = all.flatMap(({ targets }) => targets);
  const merged = { plan: { ...plan, cases, targets }, usage: [], timelines: [], coldStarts: [] };
  const identified = Object.assign({}, ...all.map(({ identities }) => identities));
  return analyseRun(
    { ...run, ...merged, identities: identified },
    SampleTable.from(all.flatMap(({ samples }) => samples)),
  );
}

/** Every name of a case or target, wherever it stands, but no platform's. */
function ofApp<T>(data: T, app: string): T {
  const names = [...CASES.map(([id]) => id), ...ALL_TARGETS].join("|");
  const text = JSON.stringify(data)
    .replace(new RegExp(`(?<!"platform":)"(${names})"`, "g"), `"${app}-$1"`)
    .replaceAll('"app":"bundle"', `"app":"${app}"`);
  return JSON.parse(text);
}

/** Writes a synthetic run of 3 o'clock of a day in November 2026, and gives its folder. The usual ones are made once. */
export async function writeNight(
  results: string,
  day: number,
  change: (run: Run) => Run = asItIs,
  options: SyntheticOptions = {},
): Promise<string> {
  const date = `2026-11-${String(day).padStart(2, "0")}`;
  const id = `${date.replaceAll("-", "")}-030000`;
  const isUsual = change === asItIs && Object.keys(options).length === 0;
  const kept = join(process.env.EVENBENCH_TEST_FOLDER ?? "", `night-${process.pid}-${day}`);
  if (isUsual && existsSync(kept)) {
    await cp(kept, join(results, id), { recursive: true });
    return join(results, id);
  }
  const run = change({ ...syntheticRun(options), id, startedAt: `${date}T03:00:00.000Z` });
  const folder = join(results, id);
  await rename(await written(results, run, syntheticSamples(run, { rounds: 10, ...options })), folder);
  const { data, damages } = await analyseFolder(folder);
  await writeFile(join(folder, FACTS_FILE), json(makeFacts(data, damages).facts));
  if (isUsual) {
    await cp(folder, kept, { recursive: true });
  }
  return folder;
}

const asItIs = (run: Run): Run => run;

/** The same run with another runtime of a target. */
export function withRuntime(target: string, runtime: string): (run: Run) => Run {
  return (run) => {
    const identity = run.identities[target] as Run["identities"][string];
    const changed = { ...identity, facts: { ...identity.facts, runtime } };
    return { ...run, identities: { ...run.identities, [target]: changed } };
  };
}

/** The same run on another machine. */
export function onMachine(cpuModel: string): (run: Run) => Run {
  return (run) => ({ ...run, machine: run.machine && { ...run.machine, cpuModel } });
}
