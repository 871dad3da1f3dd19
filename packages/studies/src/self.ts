// `npm run bench:self -- <study>`: simulations of the bench's own verdicts, and the numbers that documents take from runs.
import { UserError } from "@evenbench/core";
import { registerTextImports } from "@evenbench/host/text-imports";
import { Command, InvalidArgumentError } from "commander";

// Styles of pages are imported as text, by what makes reports.
registerTextImports();

const program = new Command("npm run bench:self --")
  .usage("<study>")
  .helpCommand(false)
  .exitOverride(({ exitCode, code }) => process.exit(exitCode === 0 || code === "commander.help" ? 0 : 2));

program
  .command("findings <folder>")
  .description("keeps a run in docs/findings/<date>, and puts its numbers into README.md")
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
