import type { CaseManifest } from "@evenbench/core";
import { type Run, readRun, type Sample, type SampleTable } from "@evenbench/results";
import {
  analyseCase,
  compareMedians,
  isMostlyCold,
  judgeAcross,
  type MedianInterval,
  medianInterval,
  type RatioInterval,
  trialMedians,
  type Verdict,
  type WarmInstances,
  warmInstances,
} from "@evenbench/stats";
import { coresOf } from "../names.ts";
import { unprovenSentence } from "../notices.ts";
import { objectionsTo, unequalCase, unequalPlans } from "./objections.ts";

/** One target of one case in two runs. Times in milliseconds to the case's headline byte. */
export interface AcrossRow {
  readonly caseId: string;
  readonly target: string;
  readonly before: MedianInterval | null;
  readonly after: MedianInterval | null;
  /** after / before; null where a run has too little. */
  readonly ratio: RatioInterval | null;
  /** The larger noise floor of the two runs, as a fraction; null where neither had a control. */
  readonly noiseFloor: number | null;
  /** null where there is an objection, and nobody asked for a verdict all the same. */
  readonly verdict: Verdict | null;
}

export interface RunComparison {
  readonly before: Run;
  readonly after: Run;
  readonly rows: readonly AcrossRow[];
  /** Why the runs, or some of their cases, cannot be held against one another. */
  readonly objections: readonly string[];
  /** What a reader must know before any number. */
  readonly caveats: readonly string[];
}

export interface AcrossOptions {
  /** Whether damaged, unfinished and unequal runs are judged, too. */
  readonly anyway?: boolean;
}

/**
 * Compares the same targets in two runs: before and after a change. Runs that are damaged, unfinished or of
 * unequal plans have no verdict, unless it is asked for.
 *
 * @throws {ResultsError} when a folder holds no run that can be read.
 */
export async function compareRuns(
  beforeFolder: string,
  afterFolder: string,
  { anyway = false }: AcrossOptions = {},
): Promise<RunComparison> {
  const [before, after] = [await readRun(beforeFolder), await readRun(afterFolder)];
  const shared = after.run.plan.cases.filter(({ id }) =>
    before.run.plan.cases.some((other) => other.id === id),
  );
  const ofRuns = [before, after].flatMap((one) =>
    objectionsTo(one).map((objection) => `${one.run.id}: ${objection}`),
  );
  const ofAll = [...new Set(ofRuns), ...unequalPlans(before.run, after.run)];
  const ofCases = shared.flatMap((manifest) => unequalCase(manifest, before.run, after.run) ?? []);
  const rows = shared.flatMap((manifest) => {
    const objected = ofAll.length > 0 || unequalCase(manifest, before.run, after.run) !== null;
    return compareCase(manifest, before, after, anyway || !objected);
  });
  return {
    before: before.run,
    after: after.run,
    rows,
    objections: [...ofAll, ...ofCases],
    caveats: [
      ...[before.run, after.run].flatMap((run) => {
        const unproven = unprovenSentence(run);
        return unproven === null ? [] : [`${run.id}: ${unproven}`];
      }),
      "The runs were not interleaved: whatever changed on the machine between them is in these ratios, and in no interval.",
      ...differences(before.run, after.run),
    ],
  };
}

interface ReadSamples {
  readonly run: Run;
  readonly samples: SampleTable;
}

function compareCase(
  manifest: CaseManifest,
  before: ReadSamples,
  after: ReadSamples,
  judged: boolean,
): AcrossRow[] {
  const [then, now] = [caseOf(manifest, before), caseOf(manifest, after)];
  const noiseFloors = [then, now].flatMap((one) => noiseFloorOf(manifest, one) ?? []);
  const noiseFloor = noiseFloors.length === 0 ? null : Math.max(...noiseFloors);
  const names = after.run.plan.targets.filter(({ copyOf }) => copyOf === null).map(({ name }) => name);
  const judgeOf = (target: string, ratio: RatioInterval | null): Verdict =>
    [then, now].some(({ warm }) => isMostlyCold(warm, target)) ? "not warm" : judgeAcross(ratio);
  return names.flatMap((target): AcrossRow[] => {
    const [own = [], other = []] = [then.medians.get(target), now.medians.get(target)];
    if (own.length === 0 || other.length === 0) return [];
    const ratio = compareMedians(own, other);
    const verdict = judged ? judgeOf(target, ratio) : null;
    return [
      {
        caseId: manifest.id,
        target,
        before: medianInterval(own),
        after: medianInterval(other),
        ratio,
        noiseFloor,
        verdict,
      },
    ];
  });
}

/** One case of one run. */
interface CaseOfRun {
  readonly run: Run;
  readonly samples: readonly Sample[];
  readonly warm: WarmInstances;
  readonly medians: ReturnType<typeof trialMedians>;
}

function caseOf({ id, headline }: CaseManifest, { run, samples }: ReadSamples): CaseOfRun {
  const own = [...samples.ofCase(id)];
  const warm = warmInstances(own, run.warmUps).times;
  return { run, samples: own, warm, medians: trialMedians(own, id, headline, warm) };
}

/** How far from 1 a run's ratio of a baseline and its A/A copy may be in this case, as its own report has it. */
function noiseFloorOf({ id, headline }: CaseManifest, { run, samples, warm }: CaseOfRun): number | null {
  const targets = [...new Set(samples.map(({ target }) => target))];
  const copy = run.plan.targets.find(({ name, copyOf }) => copyOf !== null && targets.includes(name));
  if (copy?.copyOf == null) return null;
  const question = { caseId: id, metric: headline, baseline: copy.copyOf, copy: copy.name, targets };
  return analyseCase(samples, { ...question, warm }).noiseFloor;
}

/** What the system gave, whatever was asked for. */
function givenCores({ machine }: Run): string {
  return machine === null ? "unknown" : coresOf(machine);
}

/** Settings that differ between the runs and could be the difference. */
function differences(before: Run, after: Run): string[] {
  const found: string[] = [];
  const note = (what: string, one: string, other: string) => {
    if (one !== other) found.push(`${what} differs: ${one} before, ${other} after.`);
  };
  const machineOf = ({ machine }: Run) => machine ?? { cpuModel: "several vantages", cores: "unknown" };
  note("The machine", machineOf(before).cpuModel, machineOf(after).cpuModel);
  note("The number of cores", String(machineOf(before).cores), String(machineOf(after).cores));
  note("The use of cores", givenCores(before), givenCores(after));
  note("Evenbench", before.evenbenchVersion, after.evenbenchVersion);
  for (const [target, { pins, facts }] of Object.entries(after.identities)) {
    const then = before.identities[target];
    if (then === undefined) continue;
    for (const name of Object.keys({ ...then.pins, ...pins }))
      note(`The setting "${name}" of ${target}`, then.pins[name] ?? "(none)", pins[name] ?? "(none)");
    note(`The runtime of ${target}`, then.facts.runtime ?? "(not given)", facts.runtime ?? "(not given)");
  }
  return found;
}
