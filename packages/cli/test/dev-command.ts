import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { descendants } from "@evenbench/host/testing";
import { start } from "./evenbench.ts";

/** A `dev` command that is under way. */
export interface DevCommand {
  /** All lines that it has written so far. */
  readonly output: readonly string[];
  /** Gives the last line that it wrote of the state of a server; "" where there is none. */
  last(name: string): string;
  /** Lists the servers that have been up, each with the address that it had last. */
  servers(): readonly { readonly name: string; readonly url: string }[];
  /** Ends the command by SIGINT. Gives its exit code, and the ids of the processes that were below it. */
  interrupt(): Promise<{ readonly code: number | null; readonly below: readonly number[] }>;
}

/** Starts `dev` in a copy of the repository, and resolves when all servers have been started. */
export async function startDev(root: string, ...args: string[]): Promise<DevCommand> {
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
