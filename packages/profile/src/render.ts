import { counted, fittedTable, formatCount, formatPercent, terminalOptions, wrap } from "@evenbench/page";
import type { ProfileRecord, TargetRecord } from "@evenbench/results";

/** Share of the busy samples below which a row is not shown, if it is smaller on every target. */
const SMALLEST_SHOWN_SHARE = 0.001;

/** The columns of a row that say which function it is of. */
const KEYS_OF_FUNCTIONS = 2;

/** Writes a profile's record for a terminal, in lines of at most `width` columns; a name that is wider stays whole. */
export function renderProfile(
  { caseId, targets, collectorCounted }: ProfileRecord,
  { width } = terminalOptions(),
): string {
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
  const lines = [
    `${caseId}: where the time goes`,
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
  ];
  return `${lines.join("\n")}\n`;
}

/** A block of lines that ends with an empty one; none where no function of a file was seen. */
function hottestLines({ target, hottest }: TargetRecord, width: number): readonly string[] {
  if (hottest.length === 0) {
    return [];
  }
  const rows = hottest.map(({ name, owner, file, line, share }) => [
    formatPercent(share),
    name,
    `${file}:${line}`,
    owner,
  ]);
  const head = ["self time", `hottest functions on ${target}`, "begins at", "of"];
  return [...fittedTable({ head, rows, numeric: [0] }, width, KEYS_OF_FUNCTIONS), ""];
}

/** Writes a target's line: its runtime, how many samples were taken, in how long, and how many have no owner. */
function describeProfiled(target: TargetRecord): string {
  const { samples, busySamples, sampledMs, cpuMs, intervalUs, load, warmup, identity } = target;
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const cpu = cpuMs === null ? "" : ` (${seconds(cpuMs)} of CPU time)`;
  const rest = warmup.steady ? "" : `; not warm: ${describeShort(warmup)}`;
  return `${target.target} (${identity.facts.runtime ?? "runtime not given"}): ${formatCount(busySamples)} of ${formatCount(samples)} samples not idle, aimed at one each ${intervalUs / 1000} ms, in ${seconds(sampledMs)}${cpu}, ${counted(load.exchanges, "request")}${rest}; ${formatPercent(target.unattributedShare)} unattributed.`;
}

/** Says by how much a warm-up was too short. */
function describeShort({ exchanges, needed }: TargetRecord["warmup"]): string {
  if (needed === null) {
    return `${counted(exchanges, "request")} of warm-up, too few to find out how many it needs`;
  }
  return `${formatCount(exchanges)} of the ${formatCount(needed)} requests that warm it up`;
}
