// `npm run bench:self -- <study>`: studies of the bench's own verdicts and clients. Best on a quiet machine.
import { type DisposableTempDir, mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "@evenbench/cli/build";
import { collectNames } from "@evenbench/cli/option-values";
import { UserError } from "@evenbench/core";
import { registerTextImports } from "@evenbench/host/text-imports";
import { type LocalTarget, listTargets } from "@evenbench/runner";
import { Command, InvalidArgumentError, Option } from "commander";
import type { AgainstStudyOptions } from "./against.ts";
import type { PoolOptions } from "./pool.ts";
import type { ReportCostOptions } from "./report-cost.ts";

// Styles of pages are imported as text, by what makes reports.
registerTextImports();

const program = new Command("npm run bench:self --")
  .usage("<study>")
  .helpCommand(false)
  .exitOverride(({ exitCode, code }) => process.exit(exitCode === 0 || code === "commander.help" ? 0 : 2));

/** The draws of the study "pool" where the user gives no others. */
const USUAL_DRAWS: PoolOptions = { draws: 400, sizes: [3, 5], most: 6, seed: 1 };

program
  .command("pool <run...>")
  .description(
    "draws short runs from long ones (run --trials 20): how often are intervals and verdicts right?",
  )
  .option("--draws <count>", "runs to draw", parsedNumber, USUAL_DRAWS.draws)
  .option("--trials <sizes>", "trials of each case", parsedNumbers, USUAL_DRAWS.sizes)
  .option("--most <trials>", "of a case that ends when it is decided", parsedNumber, USUAL_DRAWS.most)
  .option("--seed <seed>", "of the draws", parsedNumber, USUAL_DRAWS.seed)
  .action(async (folders: readonly string[], { trials, ...options }) => {
    const { studyPool } = await import("./pool.ts");
    console.log(await studyPool(folders, { ...options, sizes: trials }));
  });

measuring(
  "slowed [cases...]",
  "measures builds that are the same, 5 % and 10 % slower, and studies that pool",
)
  .option("--trials <count>", "trials of each case", parsedNumber, 20)
  .option("--out <folder>", "where the run's folder is made", "results")
  .action(async (cases: readonly string[], { trials, out }) => {
    const { measureSlowed } = await import("./slowed.ts");
    const { studyPool } = await import("./pool.ts");
    await using builds = await scratch("slowed");
    const folder = await measureSlowed(await nodeTarget(), cases, builds.path, { trials, out });
    console.log(`${folder}\n\n${await studyPool([folder], USUAL_DRAWS)}`);
  });

program
  .command("against")
  .description("what `against` says of builds that do not differ, and of one whose cases are slower")
  .option("--runs <count>", "of each", parsedNumber, 20)
  .option("--slowdown <percent>", "of the slower build", parsedNumber, 5)
  .addOption(new Option("--only <which>", "one of the two").choices(["same", "slower"]))
  .option("--case <id...>", "cases of the app bundle (default: those of the published suite)", collectNames)
  .option("--target <name...>", "targets on this machine (default: all of the app bundle)", collectNames)
  .option("--no-build", "measure what was built last")
  .action(async (options: AgainstStudyOptions) => {
    const { against } = await import("./against.ts");
    await using folder = await scratch("against");
    await against(options, folder.path);
  });

program
  .command("findings <folder>")
  .description(
    "keeps a run in docs/findings/<date>, and puts its numbers into README.md and docs/findings/three-platforms.md",
  )
  .action(async (folder: string) => {
    const { findings } = await import("./findings.ts");
    await findings(folder);
  });

program
  .command("claims <folder...>")
  .description("puts the verdicts of runs of claims into docs/findings/published-claims.md")
  .action(async (folders: readonly string[]) => {
    const { claims } = await import("./findings.ts");
    await claims(folders);
  });

program
  .command("report-cost")
  .description("time and memory of reports of many samples, and of a gallery of many runs; all are synthetic")
  .option("--samples <counts>", "of a run, and of a load", parsedNumbers, [1e4, 1e5, 1e6])
  .option("--runs <counts>", "of a gallery", parsedNumbers, [50, 500])
  .action(async (options: ReportCostOptions) => {
    const { studyReportCost } = await import("./report-cost.ts");
    await using folder = await scratch("report-cost");
    console.log(await studyReportCost(options, folder.path));
  });

program
  .command("coverage")
  .description("simulated runs whose truth is known: the tables of docs/coverage.md")
  .argument("[runs]", "a row", parsedNumber, 4000)
  .option("--out <file>", "takes the tables, in the place of those of the same heading")
  .option("--only <words>", "makes the tables whose title has these words")
  .action(async (runs: number, { out, only }: { readonly out?: string; readonly only?: string }) => {
    const { coverage } = await import("./coverage.ts");
    await coverage(runs, { file: out, only });
  });

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof UserError)) {
    throw error;
  }
  console.error(error.message);
  process.exitCode = 1;
}

/** Declares a study that measures the apps: they are built first, unless `--no-build` says otherwise. */
function measuring(name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option("--no-build", "measure what was built last")
    .hook("preAction", async (_, command) => {
      if (command.opts().build !== true) {
        return;
      }
      const targets = (await listTargets()).filter(({ platform }) => !platform.offUnlessNamed);
      const built = await build(targets);
      if (built.brokenBelow || built.failures.size > 0) {
        throw new Error(`The build failed.\n${built.summary}`);
      }
    });
}

/** Parses an option. @throws where it is no number. */
function parsedNumber(text: string): number {
  const value = Number(text);
  if (Number.isNaN(value)) {
    throw new InvalidArgumentError("It must be a number.");
  }
  return value;
}

/** Parses numbers with commas between. */
function parsedNumbers(text: string): readonly number[] {
  return text.split(",").map(parsedNumber);
}

/** Makes a folder that is removed when it is disposed of. */
function scratch(name: string): Promise<DisposableTempDir> {
  return mkdtempDisposable(join(tmpdir(), `evenbench-${name}-`));
}

/** Finds the app bundle on the platform node. @throws where there is none. */
async function nodeTarget(): Promise<LocalTarget> {
  const targets = await listTargets();
  const node = targets.find(({ app, platform }) => app.id === "bundle" && platform.id === "node");
  if (node === undefined) {
    throw new Error("There is no target on the platform node.");
  }
  return node;
}
