import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host/repository";
import { say } from "../say.ts";

const SHELLS = new URL("../completion/shells/", import.meta.url);

/** Prints the script of a shell, with the place of this checkout in it. */
export async function completionCommand(shell: string): Promise<void> {
  const script = await readFile(new URL(`evenbench.${shell}`, SHELLS), "utf8");
  const door = join(repositoryRoot, "packages/setup/start.mjs");
  const cli = join(repositoryRoot, "packages/cli/evenbench.ts");
  say(
    script
      .replaceAll("@door@", () => quoted("node", door, "bench"))
      .replaceAll("@complete@", () => quoted(process.execPath, cli, "complete", "--no-config", "--"))
      .trimEnd(),
  );
}

/** As all three shells read it. */
function quoted(...words: readonly string[]): string {
  return words
    .map((word) => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}
