import type { Command } from "@commander-js/extra-typings";
import type { Exit } from "../exit.ts";
import { withExamples } from "../help.ts";
import { shared, withBuildsMeasured, withOutput, withSelection } from "../options.ts";

export default function addAgainstCommand(program: Command, exit: Exit): void {
  const command = program
    .command("against")
    .helpGroup("Compare a change:")
    .description(
      "compare the working copy with another commit: build and serve both, and measure them in turns",
    )
    .argument("<ref>", "a branch, a tag or a commit")
    .addOption(shared.failOn("case"));
  const declared = withOutput(
    withSelection(withBuildsMeasured(command, "folder for the runs, by commit", "results/against")),
  );
  withExamples(declared, [
    ["npm run bench -- against main --case react-ssr", "your change against the branch main, on one case"],
    ['npm run bench -- against HEAD --fail-on "slower 5%"', "what is not committed yet, as a check"],
  ]);
  declared.action(async (ref, options) => {
    const { againstCommit } = await import("../against/index.ts");
    await againstCommit(ref, options, exit);
  });
}
