import { once } from "node:events";
import { serveTargets } from "@evenbench/runner";
import type { Command } from "commander";
import { type Exit, ExitCode } from "../exit.ts";
import { interruptible } from "../interrupt.ts";
import { wholeNumber } from "../quantity.ts";
import { buildTargets, isLocal, type SelectionOptions, selectTargets, withSelection } from "../selection.ts";
import { casesToMeasure } from "../services.ts";

interface ServeCommandOptions extends SelectionOptions {
  readonly json?: boolean;
  readonly workers: number;
}

/** `evenbench serve`: local targets that stay up until interrupted. */
export default function serve(program: Command, exit: Exit): void {
  withSelection(program.command("serve").description("start the local targets and keep them up until Ctrl-C"))
    .option("--json", "print one line of JSON when all are ready")
    .option("--workers <n>", "worker processes of a Node.js cluster", wholeNumber(1, 256), 1)
    .action(async (options: ServeCommandOptions) => {
      const selected = (await selectTargets(options)).filter(isLocal);
      const { targets, missing, casesLeftOut } = await buildTargets(selected, options);
      if (missing.length > 0 || casesLeftOut) exit.code = ExitCode.failed;
      const signal = interruptible("Stopping all servers.");
      const { byApp } = await casesToMeasure(targets, []);
      const services = Object.values(byApp).flatMap((cases) => cases.flatMap((one) => one.services));
      const served = await serveTargets(targets.filter(isLocal), { workers: options.workers, services });
      try {
        const rows = served.targets();
        if (options.json) console.log(JSON.stringify({ targets: rows }));
        else
          for (const { name, url, pids } of rows)
            console.log(`${name.padEnd(22)} ${url}  (pid ${pids.join(", ")})`);
        const interrupted = signal.aborted ? Promise.resolve() : once(signal, "abort");
        const reason = await Promise.race([interrupted.then(() => null), served.died]);
        if (reason !== null) {
          console.error(`evenbench: ${reason}`);
          exit.code = ExitCode.failed;
        }
      } finally {
        await served.stop();
      }
    });
}
