import type { Command } from "commander";
import type { Exit } from "../exit.ts";

export default function addNewCommand(program: Command, _exit: Exit): void {
  program
    .command("new")
    .helpGroup("Develop:")
    .description("add a case, a platform or an app: a working folder with its test")
    .argument("<kind>", "what to add: case, platform or app (for a framework: docs/adding-a-framework.md)")
    .argument("<id>", "its name, such as markdown-page")
    .action(async (kind: string, id: string) => {
      const { newCommand } = await import("../actions/new.ts");
      await newCommand(kind, id);
    });
}
