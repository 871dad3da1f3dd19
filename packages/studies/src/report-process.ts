// Makes a report or a gallery, and prints what this process took for it: `node report-process.ts <kind> <folder>`.
// It imports reports late, as `bench` does: with the modules that were read before, and once Node.js is told that the
// styles of their pages are text.
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { registerTextImports } from "@evenbench/host/text-imports";

/** The kind of document that is made: a run's report, a load's report, a gallery, or one with an address. */
export type ReportKind = "report" | "load" | "site" | "published-site";

/** The address of a gallery that has pictures, which nobody asks for anything. */
const ADDRESS = "https://pages.example/evenbench/";

/** The time and memory that a process took. */
export interface ProcessCost {
  /** Time from its start on, in milliseconds. */
  readonly wallMs: number;
  /** CPU time of all its threads, in milliseconds. */
  readonly cpuMs: number;
  /** The most memory that it had at a time (resident set), in bytes. */
  readonly peakBytes: number;
}

/** Makes a report or a gallery in this process. @returns what the process took until then. */
async function costHere(kind: string | undefined, folder: string): Promise<ProcessCost> {
  if (kind === "load") {
    const { createLoadReport } = await import("@evenbench/load");
    await createLoadReport(folder);
  } else if (kind === "site") {
    const { createSite } = await import("@evenbench/report/site");
    await createSite([folder], join(folder, "gallery"));
  } else if (kind === "published-site") {
    const { createSite } = await import("@evenbench/report/site");
    await createSite([folder], join(folder, "gallery"), { baseUrl: ADDRESS });
  } else {
    const { createReport } = await import("@evenbench/report");
    await createReport(folder);
  }
  const { user, system } = process.cpuUsage();
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  return { wallMs: performance.now(), cpuMs: (user + system) / 1000, peakBytes };
}

if (process.argv[1] === import.meta.filename) {
  enableCompileCache(join(import.meta.dirname, "../../../node_modules/.cache/evenbench/compiled"));
  registerTextImports();
  console.log(JSON.stringify(await costHere(process.argv[2], process.argv[3] ?? "")));
}
