import { counted, formatCount, formatPercent, textTable } from "@evenbench/page";
import type { ProfileRecord, TargetRecord } from "@evenbench/results";

/** Share of the busy samples below which a row is not shown, if it is smaller on every target. */
const SMALLEST_SHOWN_SHARE = 0.001;

/** Writes a profile's record for a terminal. */
export function renderProfile({ caseId, targets, collectorCounted }: ProfileRecord): string {
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
    ...textTable({ head, rows: cells, numeric: targets.map((_, index) => index + 1) }),
    "",
    ...targets.map(describeTarget),
    "",
    ...targets.flatMap(hottestLines),
    `The collector's share: ${collectorCounted}.`,
    ...(shown.length < rows.length
      ? [`Not shown: ${hidden} below ${formatPercent(SMALLEST_SHOWN_SHARE)}.`]
      : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** Writes a table of the hottest functions, and an empty line; nothing where no function of a file was seen. */
function hottestLines({ target, hottest }: TargetRecord): readonly string[] {
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
  return [...textTable({ head, rows, numeric: [0] }), ""];
}

/** Writes a target's line: its runtime, how many samples were taken, in how long, and how many have no owner. */
function describeTarget(target: TargetRecord): string {
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
