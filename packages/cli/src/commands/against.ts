import type { Command } from "commander";
import type { AgainstOptions } from "../against/index.ts";
import type { Exit } from "../exit.ts";
import { withExamples } from "../help.ts";
import { withBuildsMeasured, withOutput, withSelection } from "../options.ts";
import { parseFailOn } from "../quantity.ts";

export default function addAgainstCommand(program: Command, exit: Exit): void {
  const command = program
    .command("against")
    .helpGroup("Compare a change:")
    .description(
      "compare the working copy with another commit: build and serve both, and measure them in turns",
    )
    .argument("<ref>", "a branch, a tag or a commit")
    .option(
      "--fail-on <condition>",
      'exit with 1 when a case is, for example, "slower 5%", and with 3 when that cannot be ruled out',
      parseFailOn,
    );
  withBuildsMeasured(command, "folder for the runs, by commit", "results/against");
  withExamples(command, [
    ["npm run bench -- against main --case react-ssr", "your change against the branch main, on one case"],
    ['npm run bench -- against HEAD --fail-on "slower 5%"', "what is not committed yet, as a check"],
  ]);
  withOutput(withSelection(command)).action(async (ref: string, options: AgainstOptions) => {
    const { againstCommit } = await import("../against/index.ts");
    await againstCommit(ref, options, exit);
  });
}
