import { once } from "node:events";
import { dirname } from "node:path";
import { type LocalTarget, type RunningTarget, startTargets } from "@evenbench/runner";
import { type Exit, ExitCode } from "../exit.ts";
import { interruptible } from "../interrupt.ts";
import { UsageError } from "../nearest.ts";
import { say, sayAside, sayJson, sayNote } from "../say.ts";
import { buildTargets, isLocal, selectTargets } from "../selection.ts";
import type { SelectionOptions } from "../selection-options.ts";
import { casesToMeasure } from "../services.ts";

export interface ServeCommandOptions extends SelectionOptions {
  readonly json?: boolean;
  readonly workers: number;
}

export async function serveCommand(options: ServeCommandOptions, exit: Exit): Promise<void> {
  const selected = await selectLocal(options, exit);
  const { targets, missing, casesLeftOut } = await buildTargets(selected, options);
  if (missing.length > 0 || casesLeftOut) exit.code = ExitCode.failed;
  const signal = interruptible("Stopping all servers.");
  const { byApp } = await casesToMeasure(targets, []);
  const services = Object.values(byApp).flatMap((cases) => cases.flatMap((one) => one.services));
  const served = await startTargets(targets.filter(isLocal), { workers: options.workers, services });
  try {
    const rows = served.targets();
    if (options.json) sayJson({ targets: rows });
    else sayRows(rows);
    const interrupted = signal.aborted ? Promise.resolve() : once(signal, "abort");
    const reason = await Promise.race([interrupted.then(() => null), served.died]);
    if (reason !== null) {
      sayAside(`evenbench: ${reason}`);
      exit.code = ExitCode.failed;
    }
  } finally {
    await served.stop();
  }
}

/** @throws {UsageError} when nothing would be started. */
async function selectLocal(options: SelectionOptions, exit: Exit): Promise<readonly LocalTarget[]> {
  const isDeployed = options.where === "deployed";
  const selected = isDeployed ? [] : await selectTargets(options, exit);
  const local = selected.filter(isLocal);
  const others = selected.filter((target) => !isLocal(target)).map(({ name }) => name);
  if (local.length > 0 && others.length > 0)
    sayNote(`Not started, since it runs already: ${others.join(", ")}.`);
  if (local.length > 0) return local;
  throw new UsageError(
    "serve starts local targets, and none is among these: those with a URL, and deployed ones, run already. Leave --target and --where out to start ours.",
  );
}

/** Each with its address, and where what they write goes. */
function sayRows(rows: readonly RunningTarget[]): void {
  for (const { name, url, pids } of rows) say(`${name.padEnd(22)} ${url}  (pid ${pids.join(", ")})`);
  for (const folder of new Set(rows.map(({ logFile }) => dirname(logFile)))) say(`Logs: ${folder}`);
}
