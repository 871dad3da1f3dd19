import { type Command, Option } from "@commander-js/extra-typings";
import { IN_CLONE } from "@evenbench/core/called";
import type { FailOn } from "@evenbench/report";
import { askedFor, replaceWords } from "../asked.ts";
import { exit } from "../exit.ts";
import { withExamples } from "../help.ts";
import type { OptionsOf } from "../options.ts";
import { type AgainstCommandOptions, compareStates, withStates } from "./against.ts";

type CiOptions = AgainstCommandOptions & Pick<OptionsOf<typeof declare>, "undecided">;

/** Marks the command as one of the published package, too. */
export const worksOutside = true;

/** What fails a check where nobody says it: CPU time varies least on machines that are shared. */
const USUAL_CONDITION: FailOn = { of: "CPU time", verdict: "slower", by: 0.1 };

/** Declares the command `ci`. */
export function declare(program: Command) {
  const command = program
    .command("ci")
    .helpGroup("Compare a change:")
    .description(
      "in a CI: find and fetch the commit that a pull request began from, compare as `against` does, and write a summary, annotations and a comment",
    )
    .argument("[base]", "a branch, a tag or a commit (default: where the pull request began)");
  const whole = withStates(command).addOption(
    new Option("--undecided <what>", "what a check that cannot be decided does: warn, fail or ignore")
      .choices(["warn", "fail", "ignore"])
      .default("warn" as const),
  );
  return withExamples(whole, [
    'npm run bench -- ci --own-app . --start "node server.js" --path /products --fail-on "cpu slower 10%"',
    "a pull request's app, against where it began",
  ]);
}

/** Compares what a CI checked out with the commit that it began from, and writes what the CI shows. */
export default async function ci(word: string | undefined, options: CiOptions): Promise<void> {
  const { failOn = [USUAL_CONDITION], undecided } = options;
  const base = word ?? (options.with === undefined ? await baseOf(options) : undefined);
  if (base !== undefined) {
    // Elsewhere no CI says the base.
    const { command = [] } = askedFor();
    replaceWords(["against", base, ...command.slice(word === undefined ? 1 : 2)]);
  }
  const found = await compareStates(base, { ...options, failOn });
  if (found !== null) {
    const { writeForCi } = await import("../ci/media.ts");
    exit.code = await writeForCi({ ...found, code: exit.code, undecided }, process.env);
  }
}

/** Finds the commit to compare with. @returns undefined where no CI and no settings file names one. */
async function baseOf({ ownApp, base }: CiOptions): Promise<string | undefined> {
  const { findBase } = await import("../ci/base.ts");
  const { gitIn } = await import("../against/find-commit.ts");
  const { repositoryRoot } = await import("@evenbench/host/repository");
  const folder = ownApp ?? (IN_CLONE ? repositoryRoot : ".");
  return (await findBase(process.env, gitIn(folder))) ?? base;
}
