import {
  createExperimentsPage,
  discoverExperiments,
  readToResume,
  runExperiments,
  sidesOf,
} from "@evenbench/experiments";
import { listTargets } from "@evenbench/runner";
import { type Exit, ExitCode } from "../exit.ts";
import { interruptible } from "../interrupt.ts";
import { sayLeftOut } from "../left-out.ts";
import { pick, UsageError } from "../nearest.ts";
import type { OutputOptions } from "../output-options.ts";
import { progressLine } from "../progress.ts";
import { say, sayJson, sayNote, sayPainted } from "../say.ts";
import { buildTargets, isLocal } from "../selection.ts";
import { WARM_UP_FILE } from "../warm-up-file.ts";

export interface ExperimentCommandOptions extends OutputOptions {
  readonly time?: number;
  readonly resume?: string;
  readonly seed?: number;
  readonly out: string;
  readonly build: boolean;
}

export async function experimentCommand(
  ids: readonly string[],
  options: ExperimentCommandOptions,
  exit: Exit,
): Promise<void> {
  const known = await discoverExperiments();
  if (ids.length === 0) {
    if (options.resume !== undefined)
      throw new UsageError("Name the claims that are to be measured with --resume, or all: experiment all.");
    sayClaims(known, options);
    return;
  }
  const wanted = ids.includes("all")
    ? known.map(({ id }) => id)
    : pick(
        "experiment",
        ids,
        known.map(({ id }) => id),
      );
  const experiments = known.filter(({ id }) => wanted.includes(id));
  const all = await listTargets(sayLeftOut);
  const needed = new Set(experiments.flatMap(sidesOf).map(({ target }) => target));
  for (const name of needed)
    if (!all.some((target) => target.name === name)) throw new UsageError(`There is no target "${name}".`);
  const chosen = all.filter(({ name }) => needed.has(name));
  // Before anything is built, which takes minutes.
  if (options.resume !== undefined) await readToResume(options.resume);
  const { missing } = await buildTargets(chosen, options);
  const progress = progressLine(process.stderr);
  const { folder, run } = await runExperiments({
    experiments,
    targets: chosen.filter(isLocal),
    missing: new Map(missing.map(({ name, detail }) => [name, detail])),
    out: options.out,
    warmUpFile: WARM_UP_FILE,
    signal: interruptible(),
    ...(options.time === undefined ? {} : { timeMs: options.time }),
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(options.resume === undefined ? {} : { resume: options.resume }),
    onProgress: progress.show,
    onEvent(line) {
      progress.clear();
      sayNote(`! ${line}`);
    },
  });
  progress.clear();
  const page = await createExperimentsPage(folder, run);
  if (options.json) sayJson(run, 2);
  else {
    sayPainted(page.terminal);
    say(`Claims: ${page.htmlFile}\n        ${page.markdownFile}`);
  }
  if (run.status === "interrupted") exit.code = ExitCode.interrupted;
}

function sayClaims(
  known: readonly { readonly id: string; readonly claim: string }[],
  { json }: ExperimentCommandOptions,
): void {
  if (json) {
    sayJson(
      known.map(({ id, claim }) => ({ id, claim })),
      2,
    );
    return;
  }
  const width = Math.max(...known.map(({ id }) => id.length));
  for (const { id, claim } of known) say(`${id.padEnd(width)} ${claim}`);
}
