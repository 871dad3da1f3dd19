import { type Identity, openRecord } from "@evenbench/core";
import {
  formatPreflight,
  type PreflightResult,
  preflight as prove,
  unknownSetting,
} from "@evenbench/probe/preflight";
import { appIdOf, preflightTargetOf, quoteBlamedLogs, startTargets } from "@evenbench/runner";
import { goldenWriter } from "../accept.ts";
import { targetsWith } from "../cases.ts";
import { type Exit, ExitCode } from "../exit.ts";
import { interruptible } from "../interrupt.ts";
import { UsageError } from "../nearest.ts";
import type { OutputOptions } from "../output-options.ts";
import { say, sayJson } from "../say.ts";
import { buildTargets, isLocal, selectTargets } from "../selection.ts";
import type { SelectionOptions } from "../selection-options.ts";
import { casesToMeasure } from "../services.ts";

export interface PreflightCommandOptions extends SelectionOptions, OutputOptions {
  readonly case?: readonly string[];
  readonly accept?: readonly string[];
  readonly allow?: readonly string[];
}

export async function preflightCommand(options: PreflightCommandOptions, exit: Exit): Promise<void> {
  const { accept = [] } = options;
  const named = [...(options.case ?? []), ...accept];
  const selected = await targetsWith(await selectTargets(options, exit), named);
  const writeGolden = await goldenWriter(accept);
  const { targets, missing, casesLeftOut } = await buildTargets(selected, options);
  if (missing.length > 0 || (casesLeftOut && named.length === 0)) exit.code = ExitCode.failed;
  const { byApp, otherIds } = await casesToMeasure(targets, named);
  const signal = interruptible();
  const local = targets.filter(isLocal);
  const services = Object.values(byApp).flatMap((cases) => cases.flatMap((one) => one.services));
  const served = local.length > 0 ? await startTargets(local, { services }) : null;
  const results = openRecord<PreflightResult>();
  let failed = false;
  try {
    const running = served?.targets() ?? [];
    const urls = new Map(running.map(({ name, url }) => [name, url]));
    const logFiles = new Map(running.map(({ name, logFile }) => [name, logFile]));
    for (const [app, cases] of Object.entries(byApp)) {
      const own = targets.filter((target) => appIdOf(target) === app);
      const result = await prove({
        targets: own.map((target) => preflightTargetOf(target, urls.get(target.name))),
        cases: cases.map((one) => (accept.includes(one.id) ? { ...one, golden: null } : one)),
        otherCaseIds: otherIds,
        allow: options.allow ?? [],
        signal,
      });
      results[app] = result;
      if (!options.json) {
        const quoted = quoteBlamedLogs(result.problems, logFiles);
        say([...quoted, formatPreflight(result, accept)].join("\n\n"));
      }
      if (result.ok) await writeGolden(result);
      else failed = true;
    }
    if (options.json)
      sayJson(openRecord(Object.entries(results).map(([app, one]) => [app, foundBy(one)])), 2);
    const identities = Object.values(results).map(({ identities: own }) => own);
    const unknown = unknownSetting(options.allow ?? [], Object.assign(openRecord<Identity>(), ...identities));
    if (unknown !== null && !signal.aborted) throw new UsageError(unknown);
    if (failed) exit.code = ExitCode.failed;
    if (signal.aborted) exit.code = ExitCode.interrupted;
  } finally {
    await served?.stop(failed);
  }
}

/** What others can use; whole bodies are not. */
function foundBy({ ok, problems, warnings, differences, identities }: PreflightResult) {
  return { ok, problems, warnings, differences, identities };
}
