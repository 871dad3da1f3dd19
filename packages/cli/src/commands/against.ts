import type { Command } from "commander";
import type { AgainstOptions } from "../actions/against.ts";
import { withBuildsMeasured } from "../common-options.ts";
import { withExamples } from "../examples.ts";
import type { Exit } from "../exit.ts";
import { parseFailOn } from "../fail-on.ts";
import { withOutput } from "../output-options.ts";
import { withSelection } from "../selection-options.ts";

export default function addAgainstCommand(program: Command, exit: Exit): void {
  const command = program
    .command("against")
    .helpGroup("Measure:")
    .description("measure the working copy against another commit: both are built, served and asked in turns")
    .argument("<ref>", "a branch, a tag or a commit")
    .option("--fail-on <condition>", 'exit with 1 when a case is, for example, "slower 5%"', parseFailOn);
  withBuildsMeasured(command, "the folder that takes the runs, by commit", "results/against");
  withExamples(command, [
    ["npm run bench -- against main --case react-ssr", "your change against the branch main, on one case"],
    ['npm run bench -- against HEAD --fail-on "slower 5%"', "what is not committed yet, as a check"],
  ]);
  withOutput(withSelection(command)).action(async (ref: string, options: AgainstOptions) => {
    const { againstCommand } = await import("../actions/against.ts");
    await againstCommand(ref, options, exit);
  });
}
