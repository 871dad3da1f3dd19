import type { Command } from "commander";
import type { VantagesPlanOptions } from "../actions/vantages-plan.ts";
import { allowOption, baselineOption, casesOption, seedOption, suiteOption } from "../common-options.ts";
import { withExamples } from "../examples.ts";
import type { Exit } from "../exit.ts";
import { collect, wholeNumber } from "../quantity.ts";
import { withSelection } from "../selection-options.ts";

/** Where both platforms, and most people, are. */
const REGIONS = ["us-east-1", "eu-central-1", "ap-northeast-1"];

export function addVantagesPlan(parent: Command, exit: Exit): void {
  const command = parent
    .command("plan")
    .description("preflight from here, then write the plan, a script for k6, and what each engine needs")
    .requiredOption("-o, --out <folder>", "a folder that is empty, or is not there yet")
    .optionsGroup("What to measure:")
    .addOption(casesOption())
    .addOption(suiteOption())
    .addOption(baselineOption())
    .optionsGroup("How:")
    .option("--rounds <n>", "measured rounds of each trial", wholeNumber(1, 1e5), 60)
    .option(
      "--trials <n>",
      "trials of each case at each vantage, over fresh connections",
      wholeNumber(1, 1000),
      5,
    )
    .option(
      "--warm-up <n>",
      "requests to each target before the rounds of each trial",
      wholeNumber(1, 1e4),
      20,
    )
    .addOption(seedOption())
    .option("--region <name...>", "regions for Kubernetes and AWS", collect)
    .addOption(allowOption());
  withExamples(command, [
    [
      "npm run bench -- vantages plan --where deployed --case react-ssr --rounds 60 --out vantages/react",
      "a plan for one case",
    ],
  ]);
  withSelection(command).action(async (options: VantagesPlanOptions) => {
    const { vantagesPlan } = await import("../actions/vantages-plan.ts");
    await vantagesPlan({ ...options, region: options.region ?? REGIONS }, exit);
  });
}
