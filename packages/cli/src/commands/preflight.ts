import { formatPreflight, preflight as prove } from "@evenbench/preflight";
import { appIdOf, preflightTargetOf, serveTargets } from "@evenbench/runner";
import type { Command } from "commander";
import { targetsWith } from "../cases.ts";
import { type Exit, ExitCode } from "../exit.ts";
import { interruptible } from "../interrupt.ts";
import { collect } from "../quantity.ts";
import { buildTargets, isLocal, type SelectionOptions, selectTargets, withSelection } from "../selection.ts";
import { casesToMeasure } from "../services.ts";

interface PreflightCommandOptions extends SelectionOptions {
  readonly case?: readonly string[];
  readonly allow?: readonly string[];
}

/** `evenbench preflight`: proves that the targets do the same work, and measures nothing. */
export default function preflight(program: Command, exit: Exit): void {
  const command = program
    .command("preflight")
    .description("prove that the targets do the same work; nothing is measured")
    .option("-c, --case <id...>", "a case to compare (default: all)", collect)
    .option("--allow <pin...>", "let a pin differ", collect);
  withSelection(command).action(async (options: PreflightCommandOptions) => {
    const selected = await targetsWith(await selectTargets(options), options.case ?? []);
    const { targets, missing, casesLeftOut } = await buildTargets(selected, options);
    if (missing.length > 0 || (casesLeftOut && options.case === undefined)) exit.code = ExitCode.failed;
    const { byApp, otherIds } = await casesToMeasure(targets, options.case ?? []);
    const signal = interruptible();
    const local = targets.filter(isLocal);
    const services = Object.values(byApp).flatMap((cases) => cases.flatMap((one) => one.services));
    const served = local.length > 0 ? await serveTargets(local, { services }) : null;
    try {
      const urls = new Map(served?.targets().map(({ name, url }) => [name, url]));
      for (const [app, cases] of Object.entries(byApp)) {
        const own = targets.filter((target) => appIdOf(target) === app);
        const result = await prove({
          targets: own.map((target) => preflightTargetOf(target, urls.get(target.name))),
          cases,
          otherCaseIds: otherIds,
          allow: options.allow ?? [],
          signal,
        });
        console.log(formatPreflight(result));
        if (!result.ok) exit.code = ExitCode.failed;
      }
      if (signal.aborted) exit.code = ExitCode.interrupted;
    } finally {
      await served?.stop();
    }
  });
}
