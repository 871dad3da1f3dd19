import type { Command } from "commander";
import type { ServeCommandOptions } from "../actions/serve.ts";
import { workersOption } from "../common-options.ts";
import type { Exit } from "../exit.ts";
import { withSelection } from "../selection-options.ts";

export default function addServeCommand(program: Command, exit: Exit): void {
  withSelection(
    program
      .command("serve")
      .helpGroup("Develop:")
      .description("start the local targets and keep them up until Ctrl-C"),
  )
    .option("--json", "print one line of JSON when all are ready")
    .addOption(workersOption())
    .action(async (options: ServeCommandOptions) => {
      const { serveCommand } = await import("../actions/serve.ts");
      await serveCommand(options, exit);
    });
}
