import { once } from "node:events";
import { dirname } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import type { ServedTarget } from "@evenbench/runner";
import { ExitCode, exit, interruptible } from "../exit.ts";
import { UsageError } from "../nearest.ts";
import { ALL_CASES, type OptionsOf, shared, withSelection } from "../options.ts";
import { say, sayAside, sayJson, sayNote } from "../say.ts";

export function declare(program: Command) {
  const command = program
    .command("serve")
    .helpGroup("Develop:")
    .description("start the local targets and keep them up until Ctrl-C");
  return withSelection(command)
    .option("--json", "print one line of JSON when all are ready")
    .addOption(shared.workers());
}

export default async function serve(options: OptionsOf<typeof declare>): Promise<void> {
  const { startTargets } = await import("@evenbench/runner");
  const { chooseOfRepository } = await import("../cases.ts");
  const { isLocal } = await import("../targets.ts");
  if (options.where === "deployed") throw new UsageError(LOCAL_ONLY);
  const asked = { ...options, suite: ALL_CASES };
  const { targets, cases } = await chooseOfRepository(asked, (selected) => {
    const others = selected.filter((target) => !isLocal(target)).map(({ name }) => name);
    if (others.length === selected.length) throw new UsageError(LOCAL_ONLY);
    if (others.length > 0) sayNote(`Not started, since it runs already: ${others.join(", ")}.`);
  });
  const signal = interruptible("Stopping all servers.");
  const services = Object.values(cases).flatMap((all) => all.flatMap((manifest) => manifest.services));
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

const LOCAL_ONLY =
  "serve starts local targets only, and these run already (at a URL, or deployed). Leave --target and --where out to start the local ones.";

function sayRows(rows: readonly ServedTarget[]): void {
  for (const { name, url, pids } of rows) say(`${name.padEnd(22)} ${url}  (pid ${pids.join(", ")})`);
  for (const folder of new Set(rows.map(({ logFile }) => dirname(logFile)))) say(`Logs: ${folder}`);
}
