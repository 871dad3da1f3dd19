import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { descendants } from "@evenbench/host/testing";
import type { describe } from "../src/dev/page.ts";
import { start } from "./evenbench.ts";

type State = ReturnType<typeof describe>;

export interface DevCommand {
  readonly url: string;
  readonly output: readonly string[];
  state(): Promise<State>;
  told(): Promise<string>;
  interrupt(): Promise<{ code: number | null; below: readonly number[] }>;
}

export async function startDev(root: string, ...args: string[]): Promise<DevCommand> {
  const file = join(root, "packages/cli/evenbench.ts");
  const { child } = start(["dev", "--port", "0", ...args], { file, cwd: root });
  const output: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream as Readable }).on("line", (line) => {
        output.push(line);
        const found = /^Every case on every target: (\S+)/.exec(line)?.[1];
        if (found !== undefined) resolve(found);
      });
    child.once("exit", (code) => reject(new Error(`It ended with ${code}:\n${output.join("\n")}`)));
  });
  const state = async () => (await (await fetch(`${url}/state`)).json()) as State;
  return {
    url,
    output,
    state,
    async told() {
      const { servers } = await state();
      const logs = servers.map(async ({ logFile }) => `${logFile}:\n${await readFile(logFile, "utf8")}`);
      return [...output, ...(await Promise.all(logs))].join("\n");
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
