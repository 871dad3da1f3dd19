import type { Command } from "commander";
import type { VantagesPlanOptions } from "../actions/vantages-plan.ts";
import { withExamples } from "../examples.ts";
import type { Exit } from "../exit.ts";
import { collect, wholeNumber } from "../quantity.ts";
import { withSelection } from "../selection-options.ts";
import { ALL_CASES, DEFAULT_SUITE } from "../suite-options.ts";

/** Where both platforms, and most people, are. */
const REGIONS = ["us-east-1", "eu-central-1", "ap-northeast-1"];

/** `evenbench vantages plan`: proves the targets from here, and writes what clients elsewhere are to play. */
export function addVantagesPlan(parent: Command, exit: Exit): void {
  const command = parent
    .command("plan")
    .description("preflight from here, then write the plan, a script for k6, and what each engine needs")
    .requiredOption("-o, --out <folder>", "a folder that is empty, or is not there yet")
    .optionsGroup("What to measure:")
    .option("-c, --case <id...>", "a case to measure (default: those of the suite)", collect)
    .option(
      "--suite <name>",
      `the cases of a suite; "${ALL_CASES}" for every case (default: "${DEFAULT_SUITE}", with --app all of its cases)`,
    )
    .option(
      "--baseline <target>",
      'the target that the others are compared with (default: "node", else the first)',
    )
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
    .option("--seed <n>", "seed of all random order (default: random)", wholeNumber(0, 2 ** 32 - 1))
    .option("--region <name...>", "regions for Kubernetes and AWS", collect)
    .option("--allow <setting...>", "let a setting that must be equal differ", collect);
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
