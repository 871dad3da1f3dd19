import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CaseManifest, Host } from "@evenbench/core";
import { writeWhole } from "@evenbench/results";
import type { LocalTarget } from "@evenbench/runner";
import { PlainClient, type PlainExchange } from "./plain-client.ts";
import { median } from "./print.ts";

/** Before anything counts: so many exchanges, or so much CPU time, alone and back to back. */
const WARM_UP = { exchanges: 300, cpuMs: 5000 };
/** What then counts, in turns: at least this many, for this long. */
const MEASURED = { exchanges: 25, forMs: 8000, atMost: 150 };

/** What a plain client found of one target and case, as ratios to the baseline: one for each fresh start. */
export interface LongSeries {
  readonly caseId: string;
  readonly target: string;
  readonly lastByteMs: number[];
  readonly cpuMs: number[];
}

export interface TrueCase {
  readonly manifest: CaseManifest;
  readonly otherCaseIds: readonly string[];
  readonly targets: readonly LocalTarget[];
}

/**
 * A start of every case, then the next of every case: what the machine does for some minutes reaches one or
 * two of each.
 */
export async function measureLongSeries(
  cases: readonly TrueCase[],
  starts: number,
  folders: { readonly logs: string; readonly file: string },
): Promise<readonly LongSeries[]> {
  const found: LongSeries[] = [];
  for (let start = 0; start < starts; start++) {
    for (const one of cases) await addStart(one, found, folders.logs);
    await writeWhole(folders.file, `${JSON.stringify(found, null, 2)}\n`);
  }
  return found;
}

export async function readLongSeries(file: string): Promise<readonly LongSeries[]> {
  return JSON.parse(await readFile(file, "utf8"));
}

async function addStart(
  { manifest, targets }: TrueCase,
  found: LongSeries[],
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
      const series = seriesOf(found, manifest.id, targets[index + 1]?.name ?? "");
      series.lastByteMs.push(withinRounds(other, baseline, "ms"));
      series.cpuMs.push(withinRounds(other, baseline, "cpuMs"));
    });
    for (const client of clients) client.close();
  } finally {
    await Promise.all(hosts.map((host) => host.stop()));
  }
}

function seriesOf(found: LongSeries[], caseId: string, target: string): LongSeries {
  const known = found.find((series) => series.caseId === caseId && series.target === target);
  if (known !== undefined) return known;
  const series: LongSeries = { caseId, target, lastByteMs: [], cpuMs: [] };
  found.push(series);
  return series;
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
