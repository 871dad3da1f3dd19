import type { CaseManifest } from "@evenbench/core";
import { type Run, readRun, type SampleTable } from "@evenbench/results";
import {
  analyseCase,
  compareMedians,
  judgeAcross,
  type MedianInterval,
  medianInterval,
  type RatioInterval,
  trialMedians,
  type Verdict,
} from "@evenbench/stats";
import { unprovenSentence } from "../same-work.ts";
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
 * Compares the same targets in two runs: before and after a change. Runs that are damaged, unfinished or of unequal plans have no
 * verdict, unless it is asked for.
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
  const { id, headline } = manifest;
  const medians = [before, after].map(({ samples }) => trialMedians(samples.ofCase(id), id, headline));
  const noiseFloors = [before, after].flatMap((one) => noiseFloorOf(manifest, one) ?? []);
  const noiseFloor = noiseFloors.length === 0 ? null : Math.max(...noiseFloors);
  const names = after.run.plan.targets.filter(({ copyOf }) => copyOf === null).map(({ name }) => name);
  return names.flatMap((target): AcrossRow[] => {
    const [own = [], other = []] = [medians[0]?.get(target), medians[1]?.get(target)];
    if (own.length === 0 || other.length === 0) return [];
    const ratio = compareMedians(own, other);
    const verdict = judged ? judgeAcross(ratio, noiseFloor ?? 0, after.run.plan.precision) : null;
    const [then, now] = [medianInterval(own), medianInterval(other)];
    return [{ caseId: id, target, before: then, after: now, ratio, noiseFloor, verdict }];
  });
}

/** How far from 1 a run's ratio of a baseline and its A/A copy may be in this case. */
function noiseFloorOf({ id, headline }: CaseManifest, { run, samples }: ReadSamples): number | null {
  const ofCase = [...samples.ofCase(id)];
  const seen = new Set(ofCase.map(({ target }) => target));
  const copy = run.plan.targets.find(({ name, copyOf }) => copyOf !== null && seen.has(name));
  if (copy?.copyOf == null) return null;
  const { precision, seed } = run.plan;
  const question = { caseId: id, metric: headline, baseline: copy.copyOf, copy: copy.name, targets: [] };
  return analyseCase(ofCase, { ...question, precision, seed }).noiseFloor;
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
