import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { descendants } from "@evenbench/host/testing";
import { start } from "./evenbench.ts";

export type DevCommand = Awaited<ReturnType<typeof startDev>>;

export async function startDev(root: string, ...args: string[]) {
  const file = join(root, "packages/cli/evenbench.ts");
  const { child } = start(["dev", "--port", "0", ...args], { file, cwd: root });
  const output: string[] = [];
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        output.push(line);
        if (line.startsWith("Ctrl-C ends it")) {
          resolve();
        }
      });
    }
    child.once("exit", (code) => reject(new Error(`It ended with ${code}:\n${output.join("\n")}`)));
  });
  return {
    output,
    /** What it says of a server last. */
    last: (name: string) => output.findLast((line) => line.startsWith(`${name} is `)) ?? "",
    servers() {
      const up = output.flatMap((line) => [...line.matchAll(/^(\S+) is up at (\S+)/g)]);
      return [...new Map(up.map(([, name = "", at = ""]) => [name, at]))].map(([name, at]) => ({
        name,
        url: at,
      }));
    },
    async interrupt() {
      const below = descendants(child.pid ?? 0);
      const exited = once(child, "exit");
      child.kill("SIGINT");
      const [code] = await exited;
      return { code, below };
    },
  };
}
