import { createFolder, listKinds } from "@evenbench/create";
import type { Command } from "commander";
import type { Exit } from "../exit.ts";
import { pick } from "../nearest.ts";

/** `evenbench new`: a working folder with its test, from a template. */
export default function create(program: Command, _exit: Exit): void {
  program
    .command("new")
    .description("add a case, a platform or an app: a working folder with its test")
    .argument("<kind>", "what to add: case, platform or app")
    .argument("<id>", "its name, such as markdown-page")
    .action(async (kind: string, id: string) => {
      pick("kind of thing to add", [kind], await listKinds());
      const { folder, files, next } = await createFolder(kind, id);
      console.log(`New: ${folder}\n${files.map((file) => `  ${file}`).join("\n")}`);
      console.log(`\nNext:\n${next.map((command) => `  ${command}`).join("\n")}`);
    });
}
