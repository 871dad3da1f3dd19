import type { Command } from "commander";
import type { ListOptions } from "../actions/list.ts";
import type { Exit } from "../exit.ts";
import { withSelection } from "../selection-options.ts";

export default function addListCommand(program: Command, exit: Exit): void {
  withSelection(
    program.command("list").helpGroup("Develop:").description("list the cases and the local targets"),
  )
    .option("--json", "as one JSON document")
    .action(async (options: ListOptions) => {
      const { listCommand } = await import("../actions/list.ts");
      await listCommand(options, exit);
    });
}
