// `npm run bench:self -- <study>`: simulations of the bench's own verdicts, and the numbers that documents take from runs.
import { UserError } from "@evenbench/core";
import { registerTextImports } from "@evenbench/host/text-imports";
import { Command, InvalidArgumentError } from "commander";
import type { PoolOptions } from "./pool.ts";

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
