import { HostError } from "@evenbench/host";
import { ResultsError } from "@evenbench/results";
import { RunError } from "@evenbench/runner";
import { Command, CommanderError } from "commander";
import { compare } from "./commands/compare.ts";
import { history } from "./commands/history.ts";
import { list } from "./commands/list.ts";
import { preflight } from "./commands/preflight.ts";
import { report } from "./commands/report.ts";
import { run } from "./commands/run.ts";
import { serve } from "./commands/serve.ts";
import { type Exit, ExitCode } from "./exit.ts";
import { UsageError } from "./nearest.ts";
import { BuildError } from "./selection.ts";
import { version } from "./version.ts";

/** What a user can cause: printed as its message alone. Anything else is a defect of ours and keeps its stack. */
const EXPECTED = [BuildError, HostError, ResultsError, RunError, UsageError];

/**
 * Runs the `evenbench` command.
 *
 * @returns the exit code: 0 when what was asked happened, 1 when not, 2 for a wrong command line, 130 after Ctrl-C.
 */
export async function main(args: readonly string[]): Promise<number> {
  const exit: Exit = { code: ExitCode.done };
  const program = new Command("evenbench")
    .description(
      "Compares how the same JavaScript runs on Cloudflare Workers, Vercel Functions and a Node.js cluster.",
    )
    .version(version)
    .showHelpAfterError("(add --help for the options)")
    .exitOverride();
  for (const command of [run, list, preflight, serve, report, compare, history]) command(program, exit);
  try {
    await program.parseAsync(args, { from: "user" });
    return exit.code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
    if (!EXPECTED.some((kind) => error instanceof kind)) throw error;
    console.error(`evenbench: ${(error as Error).message}`);
    return error instanceof UsageError ? ExitCode.usage : ExitCode.failed;
  }
}
