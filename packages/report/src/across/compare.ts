import type { CaseManifest, Run } from "@evenbench/core";
import { readRun, type SampleTable } from "@evenbench/results";
import {
  analyseCase,
  compareMedians,
  generationMedians,
  judgeAcross,
  type MedianInterval,
  medianInterval,
  type RatioInterval,
  type Verdict,
} from "@evenbench/stats";

/** One target of one case in two runs. Times in milliseconds to the case's headline byte. */
export interface AcrossRow {
  readonly caseId: string;
  readonly target: string;
  readonly before: MedianInterval | null;
  readonly after: MedianInterval | null;
  /** after / before; null where a run has too little. */
  readonly ratio: RatioInterval | null;
  readonly verdict: Verdict;
}

export interface RunComparison {
  readonly before: Run;
  readonly after: Run;
  readonly rows: readonly AcrossRow[];
  /** What a reader must know before any number. */
  readonly caveats: readonly string[];
}

/**
 * Compares the same targets in two runs: before and after a change.
 *
 * @throws {ResultsError} when a folder holds no run that can be read.
 */
export async function compareRuns(beforeFolder: string, afterFolder: string): Promise<RunComparison> {
  const [before, after] = [await readRun(beforeFolder), await readRun(afterFolder)];
  const shared = after.run.plan.cases.filter(({ id }) =>
    before.run.plan.cases.some((other) => other.id === id),
  );
  const rows = shared.flatMap((manifest) => compareCase(manifest, before, after));
  const damage = [before.damage, after.damage].filter((one) => one !== null);
  return {
    before: before.run,
    after: after.run,
    rows,
    caveats: [
      "The runs were not interleaved: whatever changed on the machine between them is in these ratios, and in no interval.",
      ...differences(before.run, after.run),
      ...damage,
    ],
  };
}

interface ReadSamples {
  readonly run: Run;
  readonly samples: SampleTable;
}

function compareCase(manifest: CaseManifest, before: ReadSamples, after: ReadSamples): AcrossRow[] {
  const { id, headline } = manifest;
  const medians = [before, after].map(({ samples }) => generationMedians(samples.ofCase(id), id, headline));
  const controls = [before, after].flatMap((one) => controlOf(manifest, one) ?? []);
  const names = after.run.plan.targets.filter(({ twinOf }) => twinOf === null).map(({ name }) => name);
  return names.flatMap((target): AcrossRow[] => {
    const [own = [], other = []] = [medians[0]?.get(target), medians[1]?.get(target)];
    if (own.length === 0 || other.length === 0) return [];
    const ratio = compareMedians(own, other);
    const verdict = judgeAcross(ratio, controls, after.run.plan.precision);
    return [
      { caseId: id, target, before: medianInterval(own), after: medianInterval(other), ratio, verdict },
    ];
  });
}

/** What a run saw between a baseline and its twin in this case. */
function controlOf({ id, headline }: CaseManifest, { run, samples }: ReadSamples): RatioInterval | null {
  const ofCase = [...samples.ofCase(id)];
  const seen = new Set(ofCase.map(({ target }) => target));
  const twin = run.plan.targets.find(({ name, twinOf }) => twinOf !== null && seen.has(name));
  if (twin?.twinOf == null) return null;
  const { precision, seed } = run.plan;
  const question = { caseId: id, metric: headline, baseline: twin.twinOf, twin: twin.name, targets: [] };
  return analyseCase(ofCase, { ...question, precision, seed }).control?.ratio ?? null;
}

/** Settings that differ between the runs and could be the difference. */
function differences(before: Run, after: Run): string[] {
  const found: string[] = [];
  const note = (what: string, one: string, other: string) => {
    if (one !== other) found.push(`${what} differs: ${one} before, ${other} after.`);
  };
  note("The machine", before.machine.cpuModel, after.machine.cpuModel);
  note("The number of cores", String(before.machine.cores), String(after.machine.cores));
  note("Evenbench", before.evenbenchVersion, after.evenbenchVersion);
  for (const [target, { pins, facts }] of Object.entries(after.identities)) {
    const then = before.identities[target];
    if (then === undefined) continue;
    for (const name of Object.keys({ ...then.pins, ...pins }))
      note(`The pin "${name}" of ${target}`, then.pins[name] ?? "(none)", pins[name] ?? "(none)");
    note(`The runtime of ${target}`, then.facts.runtime ?? "(not told)", facts.runtime ?? "(not told)");
  }
  return found;
}
