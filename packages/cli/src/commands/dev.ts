import type { Command } from "commander";
import type { DevCommandOptions } from "../actions/dev.ts";
import type { Exit } from "../exit.ts";
import { collect, wholeNumber } from "../quantity.ts";

export default function addDevCommand(program: Command, _exit: Exit): void {
  program
    .command("dev")
    .helpGroup("Develop:")
    .description("start servers for developing, which reload at every change; never to be measured")
    .option(
      "-F, --filter <name...>",
      "only these targets: a platform's or an app's name (default: all)",
      collect,
    )
    .option(
      "--port <n>",
      "port of the page that lists everything; 0 for a free one",
      wholeNumber(0, 65_535),
      4400,
    )
    .action(async (options: DevCommandOptions) => {
      const { devCommand } = await import("../actions/dev.ts");
      await devCommand(options);
    });
}
