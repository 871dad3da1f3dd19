import { createExperimentsPage, discoverExperiments, runExperiments, sidesOf } from "@evenbench/experiments";
import { listTargets } from "@evenbench/runner";
import type { Command } from "commander";
import { type Exit, ExitCode } from "../exit.ts";
import { interruptible } from "../interrupt.ts";
import { pick, UsageError } from "../nearest.ts";
import { progressLine } from "../progress.ts";
import { parseDuration, wholeNumber } from "../quantity.ts";
import { buildTargets, isLocal } from "../selection.ts";

interface ExperimentCommandOptions {
  readonly time?: number;
  readonly resume?: string;
  readonly seed?: number;
  readonly out: string;
  readonly build: boolean;
}

/** `evenbench experiment`: checks published claims. */
export default function experiment(program: Command, exit: Exit): void {
  program
    .command("experiment")
    .description("check published claims: builds and starts both sides, measures them, and says a verdict")
    .argument("[id...]", 'experiments by id, or "all" (without one: lists them)')
    .option(
      "--time <duration>",
      "time for each experiment, builds left out (default: its own)",
      parseDuration,
    )
    .option("--seed <n>", "seed of all random order (default: random)", wholeNumber(0, 2 ** 32 - 1))
    .option("--no-build", "use the targets that were built last; builds of experiments are always made")
    .option("-o, --out <folder>", "the folder that takes the run's own folder", "results")
    .option("--resume <run>", "go on with a run's folder that ended early: what it finished is kept")
    .action(async (ids: readonly string[], options: ExperimentCommandOptions) => {
      const known = await discoverExperiments();
      if (ids.length === 0) {
        for (const { id, claim } of known) console.log(`${id.padEnd(18)} ${claim}`);
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
      const all = await listTargets();
      const needed = new Set(experiments.flatMap(sidesOf).map(({ target }) => target));
      for (const name of needed)
        if (!all.some((target) => target.name === name))
          throw new UsageError(`There is no target "${name}".`);
      const chosen = all.filter(({ name }) => needed.has(name));
      const { missing } = await buildTargets(chosen, options);
      const progress = progressLine(process.stderr);
      const { folder, run } = await runExperiments({
        experiments,
        targets: chosen.filter(isLocal),
        missing: new Map(missing.map(({ name, detail }) => [name, detail])),
        out: options.out,
        signal: interruptible(),
        ...(options.time === undefined ? {} : { timeMs: options.time }),
        ...(options.seed === undefined ? {} : { seed: options.seed }),
        ...(options.resume === undefined ? {} : { resume: options.resume }),
        onProgress: progress.show,
        onEvent(line) {
          progress.clear();
          console.error(`! ${line}`);
        },
      });
      progress.clear();
      const page = await createExperimentsPage(folder, run);
      console.log(page.terminal);
      console.log(`Claims: ${page.htmlFile}\n        ${page.markdownFile}`);
      if (run.status === "interrupted") exit.code = ExitCode.interrupted;
    });
}
