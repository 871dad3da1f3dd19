import { type Command, Option } from "commander";
import type { ReportOptions } from "../actions/report.ts";
import { inCloneOnly } from "../clone.ts";
import { outOption } from "../common-options.ts";
import { withExamples } from "../examples.ts";
import type { Exit } from "../exit.ts";
import { withOutput } from "../output-options.ts";

export const worksOutside = true;

export default function addReportCommand(program: Command, _exit: Exit): void {
  const command = program
    .command("report")
    .helpGroup("Look at results:")
    .description("make the reports of a run again, from its folder")
    .argument("[run]", "the run's folder (default: the newest in the results folder)")
    .addOption(outOption("the results folder"))
    .option(
      "--picture",
      "also draw a picture of each case, in cards/; that of the run, card.png, is always drawn",
    )
    .option("--hyperfine", "also write hyperfine.json, in the layout of hyperfine's --export-json")
    .addOption(
      new Option("--table", "print the ratios of a run as one Markdown table; make no report").conflicts([
        "hyperfine",
        "json",
        "prices",
      ]),
    )
    .option("--share", "print the answer with its caveats and its command, ready to paste")
    .option("--anyway", "replace the reports also where samples were lost since they were made")
    .option("--prices <file>", "prices of CPU time to use instead of the platforms' own");
  withExamples(command, [
    ["npm run bench -- report", "the newest run again"],
    ["npm run bench -- report results/<run> --table", "ratios as a Markdown table"],
  ]);
  inCloneOnly(command, "--prices");
  withOutput(command).action(async (given: string | undefined, options: ReportOptions) => {
    const { reportCommand } = await import("../actions/report.ts");
    await reportCommand(given, options);
  });
}
