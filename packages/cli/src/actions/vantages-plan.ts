import { makePlan, vantageName, writePlan } from "@evenbench/vantages";
import { targetsWith } from "../cases.ts";
import { type Exit, ExitCode } from "../exit.ts";
import { interruptible } from "../interrupt.ts";
import { pick, UsageError } from "../nearest.ts";
import { say, sayAside, sayNote } from "../say.ts";
import { refuseLocal, selectTargets } from "../selection.ts";
import type { SelectionOptions } from "../selection-options.ts";
import { casesToMeasure } from "../services.ts";
import { casesAskedFor } from "../suites.ts";

export interface VantagesPlanOptions extends SelectionOptions {
  readonly out: string;
  readonly suite?: string;
  readonly baseline?: string;
  readonly rounds: number;
  readonly trials: number;
  readonly warmUp: number;
  readonly seed?: number;
  readonly region: readonly string[];
  readonly allow?: readonly string[];
}

export async function vantagesPlan(options: VantagesPlanOptions, exit: Exit): Promise<void> {
  const odd = options.region.find((name) => !vantageName.safeParse(name).success);
  if (odd !== undefined)
    throw new UsageError(
      `"${odd}" is no region. Use lower-case letters, digits and hyphens, such as eu-central-1.`,
    );
  const named = await selectTargets(options, exit);
  refuseLocal(named);
  const asked = await casesAskedFor(options, named);
  const targets = await targetsWith(named, asked);
  const { baseline } = options;
  if (baseline !== undefined)
    pick(
      "target",
      [baseline],
      targets.map(({ name }) => name),
    );
  const chosen = await casesToMeasure(targets, asked, options.case !== undefined);
  const signal = interruptible("Stopping; nothing was written.");
  sayNote("Preflight from here ...");
  const made = await makePlan({
    targets,
    cases: chosen.byApp,
    otherCaseIds: chosen.otherIds,
    allow: options.allow ?? [],
    rounds: options.rounds,
    trials: options.trials,
    warmUpExchanges: options.warmUp,
    signal,
    onEvent: ({ detail }) => sayAside(`! ${detail}`),
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(baseline === undefined ? {} : { baseline }),
  });
  if (signal.aborted) {
    exit.code = ExitCode.interrupted;
    return;
  }
  for (const line of await writePlan(made, options.out, options.region)) say(line);
  say(`Nothing of it is sent yet. ${options.out}/README.md has the commands for each engine.`);
}
