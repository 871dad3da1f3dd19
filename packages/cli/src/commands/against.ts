import type { Command } from "@commander-js/extra-typings";
import { withExamples } from "../help.ts";
import { type OptionsOf, shared, withBuildsMeasured, withOutput, withSelection } from "../options.ts";

export function declare(program: Command) {
  const command = program
    .command("against")
    .helpGroup("Compare a change:")
    .description(
      "compare the working copy with another commit: build and serve both, and measure them in turns",
    )
    .argument("<ref>", "a branch, a tag or a commit")
    .addOption(shared.failOn("case"));
  return withExamples(
    withOutput(
      withSelection(withBuildsMeasured(command, "folder for the runs, by commit", "results/against")),
    ),
    ["npm run bench -- against main --case react-ssr", "your change against the branch main, on one case"],
    ['npm run bench -- against HEAD --fail-on "slower 5%"', "what is not committed yet, as a check"],
  );
}

export default async function against(ref: string, options: OptionsOf<typeof declare>): Promise<void> {
  const { againstCommit } = await import("../against/index.ts");
  await againstCommit(ref, options);
}
