import type { Command } from "@commander-js/extra-typings";
import { withExamples } from "../help.ts";
import { type OptionsOf, shared, withLocalTargets, withOutput } from "../options.ts";

export function declare(program: Command) {
  const command = program
    .command("against")
    .helpGroup("Compare a change:")
    .description(
      "compare the working copy with another commit: build and serve both, and measure them in turns",
    )
    .argument("<base>", "a branch, a tag or a commit; or a checkout that is built, such as ../before")
    .addOption(shared.failOn("case"))
    .addOption(shared.cases())
    .addOption(shared.suite())
    .addOption(shared.time("case", " (default: what it takes to be warm)"))
    .addOption(shared.seed())
    .addOption(shared.allow())
    .addOption(shared.out("folder for the runs, by commit", "results/against"));
  return withExamples(
    withOutput(withLocalTargets(command)),
    ["npm run bench -- against main --case react-ssr", "your change against the branch main, on one case"],
    ['npm run bench -- against HEAD --fail-on "slower 5%"', "what is not committed yet, as a check"],
  );
}

export default async function againstBase(base: string, options: OptionsOf<typeof declare>): Promise<void> {
  const { against } = await import("../against/index.ts");
  await against(base, options);
}
