import { compareRuns, type FailOn, failing, renderComparison } from "@evenbench/report";
import { type Command, InvalidArgumentError } from "commander";
import { type Exit, ExitCode } from "../exit.ts";

/** `evenbench compare`: the same targets in two runs, before and after a change. */
export default function compare(program: Command, exit: Exit): void {
  program
    .command("compare")
    .description("compare the same targets in two runs: before and after a change")
    .argument("<before>", "a run's folder")
    .argument("<after>", "a run's folder")
    .option("--fail-on <condition>", 'exit with 1 when a target is, for example, "slower 5%"', parseFailOn)
    .option("--json", "print the comparison as JSON")
    .action(async (before: string, after: string, options: { failOn?: FailOn; json?: boolean }) => {
      const compared = await compareRuns(before, after);
      console.log(options.json ? JSON.stringify(compared, null, 2) : renderComparison(compared));
      if (options.failOn === undefined) return;
      const failed = failing(compared.rows, options.failOn);
      for (const { caseId, target, verdict, ratio } of failed)
        console.error(`evenbench: ${target} is ${verdict} in ${caseId}: ${ratio?.estimate.toFixed(3)}×.`);
      if (failed.length > 0) exit.code = ExitCode.failed;
    });
}

function parseFailOn(text: string): FailOn {
  const match = /^(slower|faster)\s+(\d+(?:\.\d+)?)\s*%$/.exec(text.trim());
  if (match === null) throw new InvalidArgumentError('Give a verdict and a percentage, such as "slower 5%".');
  return { verdict: match[1] as FailOn["verdict"], by: Number(match[2]) / 100 };
}
