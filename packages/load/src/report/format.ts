import { counted, formatCount } from "@evenbench/report/parts";
import type { LoadRun, LoadTarget, OfferedLoad } from "@evenbench/results";

export function formatLoad(load: OfferedLoad): string {
  return load.kind === "closed" ? `concurrency ${load.connections}` : `${formatRate(load.perSecond)}/s`;
}

export function offeredBy(load: OfferedLoad): number {
  return load.kind === "closed" ? load.connections : load.perSecond;
}

export function formatRate(perSecond: number | null): string {
  if (perSecond === null) return "–";
  if (perSecond >= 999.5) return formatCount(Number(perSecond.toPrecision(3)));
  return String(Number(perSecond.toPrecision(3)));
}

export function describeTarget({ instances, workers, parameters }: LoadTarget): string {
  const parts = [
    ...(instances === 1 ? [] : [counted(instances, "instance")]),
    ...(workers === 1 ? [] : [counted(workers, "worker")]),
    ...Object.entries(parameters).map(([name, value]) => `${name}=${value}`),
  ];
  return parts.join(", ");
}

export function describeClient({ plan: { engine }, machine, clients }: LoadRun): string {
  const program =
    engine === null ? `Node.js ${machine?.clientNode ?? ""}` : `${engine.name} ${engine.version}`;
  if (clients === undefined) return program;
  return `${program} on ${counted(clients.length, "machine")} (${clients.map(({ name }) => name).join(", ")})`;
}
