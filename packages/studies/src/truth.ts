import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CaseManifest, Host } from "@evenbench/core";
import { createReport } from "@evenbench/report";
import type { RunSummary, SummaryRow } from "@evenbench/results";
import { type LocalTarget, run } from "@evenbench/runner";
import { meanInterval } from "@evenbench/stats";
import { PlainClient, type PlainExchange } from "./plain-client.ts";
import { median, row } from "./print.ts";

/** Fresh starts of each target, each case in its turn. Their median counts: a start in a busy minute of the machine is no truth. */
const STARTS = 7;
/** Before anything counts: so many exchanges, or so much CPU time, alone and back to back. */
const WARM_UP = { exchanges: 300, cpuMs: 5000 };
/** What then counts, in turns: at least this many, for this long. */
const MEASURED = { exchanges: 25, forMs: 8000, atMost: 150 };

/** Time and CPU time of a target against the baseline, one figure for each start. */
interface Ratios {
  readonly lastByteMs: number[];
  readonly cpuMs: number[];
}

/** A case with the targets that serve it, the baseline first. */
export interface TrueCase {
  readonly manifest: CaseManifest;
  readonly otherCaseIds: readonly string[];
  readonly targets: readonly LocalTarget[];
}

/** Held against long series where nobody names others: of each kind of work one, and those that were furthest off when code was cold. */
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

/** Ids of the cases that a run measured. */
export async function casesOf(runFolder: string): Promise<readonly string[]> {
  const { rows } = await summaryOf(runFolder);
  return [...new Set(rows.map(({ caseId }) => caseId))];
}

/** The cases named, or the usual ones, each with the targets of its app, the one on Node.js first. */
export async function trueCases(
  targets: readonly LocalTarget[],
  named: readonly string[],
): Promise<readonly TrueCase[]> {
  const wanted = named.length > 0 ? named : USUAL;
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

/**
 * Whether the intervals of a default run contain what a plain client finds on long series: for each case and target the ratios to the
 * baseline of some fresh starts, warmed up by 300 requests or 5 s of CPU time, then asked in turns. Prints each, and the share of
 * intervals that contain their median; and in how many the two differ by no more than both are uncertain.
 *
 * @param runFolder of a run that is done; null: each case gets a run of its own.
 */
export async function truth(
  cases: readonly TrueCase[],
  runFolder: string | null,
  starts = STARTS,
): Promise<void> {
  const out = await mkdtemp(join(tmpdir(), "evenbench-truth-"));
  const done = runFolder === null ? null : await summaryOf(runFolder);
  let [contained, agreeing, all] = [0, 0, 0];
  try {
    const long = await longSeries(cases, starts, out);
    for (const one of cases) {
      const { rows } = done ?? (await runOf(one, out));
      for (const [name, found] of long.get(one) ?? []) {
        for (const metric of ["lastByteMs", "cpuMs"] as const) {
          const said = rows.find(
            (other) => other.caseId === one.manifest.id && other.target === name && other.metric === metric,
          );
          const what = `${one.manifest.id} ${name} ${metric === "cpuMs" ? "CPU" : "time"}`;
          // A run need not have all targets.
          if (done !== null && said === undefined) continue;
          all += 1;
          const { contains, agrees } = say(what, found[metric], said);
          if (contains) contained += 1;
          if (agrees) agreeing += 1;
        }
      }
    }
    row("Intervals that contain the long series' median", `${contained} of ${all}`);
    row("Ratios that differ by no more than both intervals allow", `${agreeing} of ${all}`);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

async function runOf({ manifest, targets, otherCaseIds }: TrueCase, out: string): Promise<RunSummary> {
  const app = targets[0]?.app.id ?? "";
  const { folder } = await run({ targets, cases: { [app]: [manifest] }, otherCaseIds, seed: 1, out });
  return summaryOf(folder);
}

async function summaryOf(folder: string): Promise<RunSummary> {
  await createReport(folder);
  return JSON.parse(await readFile(join(folder, "summary.json"), "utf8"));
}

/** How a run's ratio lies to the starts' ratios. */
interface Held {
  /** Whether its interval has their median in it. */
  readonly contains: boolean;
  /** Whether the two differ by no more than both intervals allow: the starts are uncertain, too. */
  readonly agrees: boolean;
}

function say(what: string, starts: readonly number[], said: SummaryRow | undefined): Held {
  const true_ = median(starts);
  const interval = said?.ratio ?? null;
  const isIn = interval !== null && interval.low <= true_ && true_ <= interval.high;
  const own = interval === null ? "-" : [interval.estimate, interval.low, interval.high].map(short).join(" ");
  row(
    what,
    `${starts.map(short).join(" ")} -> ${short(true_)}; run: ${own} ${said?.verdict}${isIn ? "" : " MISSED"}`,
  );
  return { contains: isIn, agrees: interval !== null && agree(starts, interval) };
}

/** On logarithms; the half-widths of both 95 % intervals add as squares. */
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

/** A start of every case, then the next of every case: what the machine does for some minutes reaches one or two of each. */
async function longSeries(
  cases: readonly TrueCase[],
  starts: number,
  logFolder: string,
): Promise<Map<TrueCase, Map<string, Ratios>>> {
  const found = new Map(
    cases.map((one) => [one, new Map(one.targets.slice(1).map(({ name }) => [name, noRatios()]))]),
  );
  for (let start = 0; start < starts; start++) {
    for (const one of cases) await addStart(one, found.get(one) ?? new Map(), logFolder);
  }
  return found;
}

const noRatios = (): Ratios => ({ lastByteMs: [], cpuMs: [] });

async function addStart(
  { manifest, targets }: TrueCase,
  found: ReadonlyMap<string, Ratios>,
  logFolder: string,
): Promise<void> {
  const hosts: Host[] = [];
  try {
    for (const { platform, deployable, name } of targets) {
      const logFile = join(logFolder, `${name}.log`);
      hosts.push(
        await platform.serve({ deployable, port: 0, logFile, cores: null, workers: 1, v8Flags: [] }),
      );
    }
    const clients = hosts.map(({ url, pids }) => new PlainClient(url + manifest.path, pids()));
    for (const client of clients) await warmUp(client);
    const [baseline = [], ...others] = await inTurns(clients);
    others.forEach((other, index) => {
      const ratios = found.get(targets[index + 1]?.name ?? "");
      ratios?.lastByteMs.push(withinRounds(other, baseline, "ms"));
      ratios?.cpuMs.push(withinRounds(other, baseline, "cpuMs"));
    });
    for (const client of clients) client.close();
  } finally {
    await Promise.all(hosts.map((host) => host.stop()));
  }
}

/** The quantity that a run's interval is of: the median of the ratios within rounds. */
function withinRounds(
  other: readonly PlainExchange[],
  baseline: readonly PlainExchange[],
  metric: "ms" | "cpuMs",
): number {
  return median(other.map((exchange, round) => exchange[metric] / (baseline[round]?.[metric] ?? Number.NaN)));
}

async function warmUp(client: PlainClient): Promise<void> {
  let usedMs = 0;
  for (let asked = 0; asked < WARM_UP.exchanges && usedMs < WARM_UP.cpuMs; asked++) {
    usedMs += (await client.ask()).cpuMs;
  }
}

async function inTurns(clients: readonly PlainClient[]): Promise<PlainExchange[][]> {
  const measured: PlainExchange[][] = clients.map(() => []);
  const begun = performance.now();
  for (let round = 0; round < MEASURED.atMost; round++) {
    if (round >= MEASURED.exchanges && performance.now() - begun > MEASURED.forMs) break;
    for (const [index, client] of shuffled(clients)) measured[index]?.push(await client.ask());
  }
  return measured;
}

/** In an order of chance: who comes after whom changes what a request finds in the caches. */
function shuffled(clients: readonly PlainClient[]): [number, PlainClient][] {
  return [...clients.entries()]
    .map((entry) => ({ entry, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ entry }) => entry);
}

function short(ratio: number): string {
  return ratio.toFixed(3);
}
