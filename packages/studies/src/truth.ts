import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createReport } from "@evenbench/report";
import type { RunSummary, SummaryRow } from "@evenbench/results";
import { type LocalTarget, run } from "@evenbench/runner";
import { meanInterval } from "@evenbench/stats";
import { type LongSeries, measureLongSeries, readLongSeries, type TrueCase } from "./long-series.ts";
import { median, row } from "./print.ts";

/**
 * Fresh starts of each target, each case in its turn. Their median counts: a start in a busy minute of the
 * machine is no truth.
 */
const STARTS = 7;
/** In the first run's folder; a later call can name it, and then nothing is measured again. */
const SERIES_FILE = "long-series.json";
const METRICS = { lastByteMs: "time", cpuMs: "CPU" } as const;

/**
 * Held against long series where nobody names others: of each kind of work one, and those that were furthest
 * off when code was cold.
 */
const USUAL = [
  "html-template",
  "react-ssr",
  "math",
  "trig",
  "json-reviver",
  "stream-copies",
  "next-api",
  "next-landing",
  "next-page",
  "sveltekit-page",
];

/**
 * Whether the intervals of default runs contain what a plain client finds on long series of fresh, warm
 * starts; a run may be given, else each case gets one of its own.
 */
export async function truth(targets: readonly LocalTarget[], given: readonly string[]): Promise<void> {
  const { starts, runs, seriesFile, named } = argumentsOf(given);
  const out = await mkdtemp(join(tmpdir(), "evenbench-truth-"));
  try {
    const done = await Promise.all(runs.map(summaryOf));
    const wanted = named.length > 0 ? named : done.length > 0 ? casesOf(done) : USUAL;
    const cases = await trueCases(targets, wanted);
    if (cases.length === 0) throw new Error(`There is no run, file or case "${wanted.join('", "')}".`);
    const file = join(runs[0] ?? out, SERIES_FILE);
    const all =
      seriesFile === null
        ? await measureLongSeries(cases, starts, { logs: out, file })
        : await readLongSeries(seriesFile);
    const series = all.filter(({ caseId }) => wanted.includes(caseId));
    for (const summary of done.length > 0 ? done : [await runsOf(cases, out)]) hold(series, summary);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

function argumentsOf(given: readonly string[]) {
  const starts = given.find((argument) => /^\d+$/.test(argument));
  const paths = given.filter((argument) => argument !== starts && existsSync(argument));
  const seriesFile = paths.find((path) => path.endsWith(".json")) ?? null;
  return {
    starts: starts === undefined ? STARTS : Number(starts),
    seriesFile,
    runs: paths.filter((path) => path !== seriesFile),
    named: given.filter((argument) => argument !== starts && !paths.includes(argument)),
  };
}

function casesOf(summaries: readonly Pick<RunSummary, "rows">[]): readonly string[] {
  return [...new Set(summaries.flatMap(({ rows }) => rows.map(({ caseId }) => caseId)))];
}

/** The cases, each with the targets of its app, the one on Node.js first. */
async function trueCases(
  targets: readonly LocalTarget[],
  wanted: readonly string[],
): Promise<readonly TrueCase[]> {
  const apps = new Map(targets.map(({ app }) => [app.id, app]));
  const found = await Promise.all(
    [...apps.values()].map(async (app): Promise<TrueCase[]> => {
      const cases = await app.cases();
      const own = targets.filter((target) => target.app.id === app.id);
      const ordered = own.toSorted(
        (a, b) => Number(b.platform.id === "node") - Number(a.platform.id === "node"),
      );
      return cases
        .filter(({ id }) => wanted.includes(id))
        .map((manifest) => ({
          manifest,
          otherCaseIds: cases.map(({ id }) => id).filter((id) => id !== manifest.id),
          targets: ordered,
        }));
    }),
  );
  return found.flat();
}

/** A run for each case, as one summary. */
async function runsOf(cases: readonly TrueCase[], out: string): Promise<Pick<RunSummary, "rows">> {
  const rows: SummaryRow[] = [];
  for (const { manifest, targets, otherCaseIds } of cases) {
    const app = targets[0]?.app.id ?? "";
    const { folder } = await run({ targets, cases: { [app]: [manifest] }, otherCaseIds, seed: 1, out });
    rows.push(...(await summaryOf(folder)).rows);
  }
  return { rows };
}

async function summaryOf(folder: string): Promise<RunSummary> {
  await createReport(folder);
  return JSON.parse(await readFile(join(folder, "summary.json"), "utf8"));
}

/** Prints how a run's ratios lie to the series; a run need not have all targets. */
function hold(series: readonly LongSeries[], { rows }: Pick<RunSummary, "rows">): void {
  const held: Held[] = [];
  for (const one of series) {
    for (const metric of ["lastByteMs", "cpuMs"] as const) {
      const said = rows.find(
        (other) => other.caseId === one.caseId && other.target === one.target && other.metric === metric,
      );
      if (said === undefined) continue;
      held.push(say(`${one.caseId} ${one.target} ${METRICS[metric]}`, one[metric], said));
    }
  }
  const count = (what: keyof Held) => `${held.filter((one) => one[what]).length} of ${held.length}`;
  row("Intervals that contain the long series' median", count("contains"));
  row("Ratios that differ by no more than both intervals allow", count("agrees"));
}

/** How a run's ratio lies to the starts' ratios. */
interface Held {
  /** Whether its interval has their median in it. */
  readonly contains: boolean;
  /** Whether the two differ by no more than both intervals allow: the starts are uncertain, too. */
  readonly agrees: boolean;
}

function say(what: string, starts: readonly number[], { ratio, verdict }: SummaryRow): Held {
  const true_ = median(starts);
  const contains = ratio !== null && ratio.low <= true_ && true_ <= ratio.high;
  const own = ratio === null ? "-" : [ratio.estimate, ratio.low, ratio.high].map(short).join(" ");
  const missed = contains ? "" : " MISSED";
  row(what, `${starts.map(short).join(" ")} -> ${short(true_)}; run: ${own} ${verdict}${missed}`);
  return { contains, agrees: ratio !== null && agree(starts, ratio) };
}

/** On logarithms; the half-widths of both 99 % intervals add as squares. */
function agree(
  starts: readonly number[],
  { estimate, low, high }: NonNullable<SummaryRow["ratio"]>,
): boolean {
  const long = meanInterval(starts.map(Math.log));
  if (long === null) return false;
  const difference = long.estimate - Math.log(estimate);
  const half = Math.log(difference > 0 ? high / estimate : estimate / low);
  return Math.abs(difference) <= Math.hypot(half, long.high - long.estimate);
}

function short(ratio: number): string {
  return ratio.toFixed(3);
}
