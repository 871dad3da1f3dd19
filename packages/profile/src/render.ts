import {
  counted,
  fittedTable,
  formatBytes,
  formatCount,
  formatPercent,
  terminalOptions,
  wrap,
} from "@evenbench/page";
import type { KeptRecord, ProfileRecord, TargetRecord } from "@evenbench/results";

/** Share of the busy samples below which a row is not shown, if it is smaller on every target. */
const SMALLEST_SHOWN_SHARE = 0.001;

/** The columns of a row that say which function it is of. */
const KEYS_OF_FUNCTIONS = 2;

/** Writes a profile's record for a terminal, in lines of at most `width` columns; a name that is wider stays whole. */
export function renderProfile(record: ProfileRecord, { width } = terminalOptions()): string {
  const lines = record.of === "memory" ? keptLines(record, width) : sampledLines(record, width);
  return `${lines.join("\n")}\n`;
}

/** What is profiled where no request asks for the case. */
const START_WORDS = "where the time of the start goes";
/** What a profile of a start does not have. */
const START_NOTE =
  "A start under the profiler takes longer. What a platform compiles before it is ready is in no profile.";

function sampledLines(
  { caseId, of, targets, collectorCounted }: ProfileRecord,
  width: number,
): readonly string[] {
  const all = targets.flatMap((target) => target.rows.map((row) => ({ ...row, target })));
  const busy = all.filter(({ kind }) => kind !== "idle");
  const rows = [...Map.groupBy(busy, ({ name }) => name)].map(([name, group]) => ({
    name,
    isCollector: group.at(-1)?.kind === "collector",
    shares: targets.map((target) => group.find((row) => row.target === target)?.share ?? null),
    largest: Math.max(...group.map(({ share }) => share ?? 0)),
  }));
  rows.sort((a, b) => b.largest - a.largest || (a.name < b.name ? -1 : 1));
  const shown = rows.filter(({ isCollector, largest }) => isCollector || largest >= SMALLEST_SHOWN_SHARE);
  const cells = shown.map(({ name, shares }) => [
    name,
    ...shares.map((share) => (share === null ? "–" : formatPercent(share))),
  ]);
  const head = ["self time by package", ...targets.map(({ target }) => target)];
  const hidden = counted(rows.length - shown.length, "row");
  return [
    `${caseId}: ${of === "start" ? START_WORDS : "where the time goes"}`,
    "",
    ...fittedTable({ head, rows: cells, numeric: targets.map((_, index) => index + 1) }, width),
    "",
    ...targets.flatMap((target) => wrap(describeProfiled(target), width, 2)),
    "",
    ...targets.flatMap((target) => hottestLines(target, width)),
    ...wrap(`The collector's share: ${collectorCounted}.`, width, 2),
    ...(shown.length < rows.length
      ? [`Not shown: ${hidden} below ${formatPercent(SMALLEST_SHOWN_SHARE)}.`]
      : []),
    ...(of === "start" ? wrap(START_NOTE, width, 2) : []),
  ];
}

function keptLines({ caseId, kept }: ProfileRecord, width: number): readonly string[] {
  return [`${caseId}: what requests leave in memory`, "", ...kept.flatMap((each) => keptTable(each, width))];
}

/** The columns of a row that say which constructor it is of. */
const KEYS_OF_KEPT = 1;

/** A block of lines that ends with an empty one. */
function keptTable({ target, identity, requests, rows }: KeptRecord, width: number): readonly string[] {
  const between = `${target} (${identity.facts.runtime ?? "runtime not given"}): two snapshots of the heap, each after a collection, with ${counted(requests, "request")} between them.`;
  const cells = rows.map(({ name, objects, bytes }) => [
    name,
    formatCount(objects),
    formatBytes(bytes),
    formatBytes(bytes / requests),
  ]);
  const head = ["more of", "objects", "bytes", "a request"];
  const table =
    cells.length === 0
      ? ["There is nothing more in the second one."]
      : fittedTable({ head, rows: cells, numeric: [1, 2, 3] }, width, KEYS_OF_KEPT);
  return [...wrap(between, width, 2), ...table, ""];
}

/** A block of lines that ends with an empty one; none where no function of a file was seen. */
function hottestLines({ target, hottest }: TargetRecord, width: number): readonly string[] {
  if (hottest.length === 0) {
    return [];
  }
  const rows = hottest.map(({ name, owner, file, line, share }) => [
    formatPercent(share),
    name,
    line === null ? file : `${file}:${line}`,
    owner,
  ]);
  const head = ["self time", `hottest functions on ${target}`, "at", "of"];
  return [...fittedTable({ head, rows, numeric: [0] }, width, KEYS_OF_FUNCTIONS), ""];
}

/** Share of samples that are idle from which on a thread that is asked all the time waits for others. */
const WAITING_SHARE = 0.8;

/** Says that the thread that serves waited for others through most of the time; empty where it did not. */
function waitedWords({ samples, busySamples, load }: TargetRecord): string {
  const idle = 1 - busySamples / Math.max(1, samples);
  return load === null || idle < WAITING_SHARE
    ? ""
    : ` Through ${formatPercent(idle)} of the time it waited: what others did meanwhile, such as threads, processes and services, is in no sample.`;
}

/** Writes a target's line: its runtime, how many samples were taken, in how long, and how many have no owner. */
function describeProfiled(target: TargetRecord): string {
  const { samples, busySamples, sampledMs, cpuMs, intervalUs, load, warmup, identity } = target;
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const cpu = cpuMs === null ? "" : ` (${seconds(cpuMs)} of CPU time)`;
  const rest = warmup === null || warmup.steady ? "" : `; not warm: ${describeShort(warmup)}`;
  const requests = load === null ? "" : `, ${counted(load.exchanges, "request")}`;
  return `${target.target} (${identity.facts.runtime ?? "runtime not given"}): ${formatCount(busySamples)} of ${formatCount(samples)} samples not idle, aimed at one each ${intervalUs / 1000} ms, in ${seconds(sampledMs)}${cpu}${requests}${rest}; ${formatPercent(target.unattributedShare)} unattributed.${waitedWords(target)}`;
}

function describeShort({ exchanges, needed }: NonNullable<TargetRecord["warmup"]>): string {
  if (needed === null) {
    return `${counted(exchanges, "request")} of warm-up, too few to find out how many it needs`;
  }
  return `${formatCount(exchanges)} of the ${formatCount(needed)} requests that warm it up`;
}
