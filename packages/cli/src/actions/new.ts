import { createFolder, kinds } from "../create/index.ts";
import { pick } from "../nearest.ts";
import { say } from "../say.ts";

export async function newCommand(kind: string, id: string): Promise<void> {
  pick("kind of thing to add", [kind], kinds);
  const { folder, files, next } = await createFolder(kind, id);
  say(`New: ${folder}\n${files.map((file) => `  ${file}`).join("\n")}`);
  say(`\nNext:\n${next.map((command) => `  ${command}`).join("\n")}`);
}
