import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { confinedCommand } from "./cores.ts";

/** For each line, how long a fixed piece of work takes: the middle of five, since one may be interrupted. Milliseconds. */
const LOOP = `
  const piece = () => {
    const begun = performance.now();
    let sum = 0;
    for (let index = 0; index < 6000; index++) sum += Math.sin(index);
    return sum > 6000 ? 0 : performance.now() - begun;
  };
  for (let warmUp = 0; warmUp < 200; warmUp++) piece();
  process.stdin.on("data", () => {
    const pieces = Array.from({ length: 5 }, piece).sort((a, b) => a - b);
    process.stdout.write(pieces[2] + "\\n");
  });
`;

/** How fast a core is just now: other machines on the same hardware slow it down, for tenths of a second or for seconds. */
export class CoreGauge {
  readonly #loops = new Map<number, ReturnType<typeof loopOn>>();

  /** Milliseconds; null where no process can be kept on that core. One question at a time. */
  async on(core: number): Promise<number | null> {
    const loop = this.#loops.get(core) ?? loopOn(core);
    this.#loops.set(core, loop);
    return loop.ask();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#loops.values()].map((loop) => loop.stop()));
  }
}

function loopOn(core: number) {
  const command = { file: process.execPath, args: ["-e", LOOP], env: {} };
  const { file, args } = confinedCommand(command, String(core));
  const env = { ...process.env, NODE_OPTIONS: "" };
  const child = spawn(file, args, { env, stdio: ["pipe", "pipe", "ignore"] });
  const closed = once(child, "close").catch(() => {});
  // Where the system starts no further process, Node.js gives it no pipes, whatever its types say.
  if (child.pid === undefined) return { ask: async () => null, stop: () => closed.then(() => {}) };
  // Without it, there is no answer.
  child.stdin.on("error", () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(): Promise<number | null> {
      child.stdin.write("\n");
      const { value, done } = await lines.next();
      return done ? null : Number(value);
    },
    async stop(): Promise<void> {
      child.kill("SIGKILL");
      await closed;
    },
  };
}
