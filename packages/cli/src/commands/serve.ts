import { once } from "node:events";
import { dirname } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { withQuotes } from "@evenbench/core/errors";
import type { ServedTarget } from "@evenbench/runner";
import { ExitCode, exit, interruptible } from "../exit.ts";
import { ALL_CASES, type OptionsOf, shared, withLocalTargets } from "../options.ts";
import { say, sayJson, sayNote } from "../say.ts";

/** Declares the command `serve`. */
export function declare(program: Command) {
  const command = program
    .command("serve")
    .helpGroup("Develop:")
    .description("start the local targets and keep them up until Ctrl-C");
  return withLocalTargets(command)
    .option("--json", "print one line of JSON when all are ready")
    .addOption(shared.workers());
}

/** Serves the local targets until Ctrl-C, or until one of them ends. */
export default async function serve(options: OptionsOf<typeof declare>): Promise<void> {
  const { startInterruptibly } = await import("../proving.ts");
  const { chooseOfRepository, isLocal } = await import("../selection.ts");
  const { targets, cases } = await chooseOfRepository({ ...options, case: [ALL_CASES] });
  const signal = interruptible("Stopping all servers.");
  const services = Object.values(cases).flatMap((all) => all.flatMap((manifest) => manifest.services));
  const { workers } = options;
  const served = await startInterruptibly(targets.filter(isLocal), { workers, services, signal });
  try {
    const rows = served.targets();
    if (options.json) {
      sayJson({ targets: rows });
    } else {
      sayRows(rows);
    }
    sayNote("Ctrl-C stops all of them.");
    const interrupted = signal.aborted ? Promise.resolve() : once(signal, "abort");
    const reason = await Promise.race([interrupted.then(() => null), served.died]);
    if (reason === null) {
      exit.code = ExitCode.interrupted;
    } else {
      sayNote(`evenbench: ${withQuotes(reason)}`);
      exit.code = ExitCode.failed;
    }
  } finally {
    await served.stop();
  }
}

function sayRows(rows: readonly ServedTarget[]): void {
  for (const { name, url, pids } of rows) {
    say(`${name.padEnd(22)} ${url}  (pid ${pids.join(", ")})`);
  }
  for (const folder of new Set(rows.map(({ logFile }) => dirname(logFile)))) {
    say(`Logs: ${folder}`);
  }
}
