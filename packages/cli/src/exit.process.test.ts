import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";

const EXIT = JSON.stringify(join(import.meta.dirname, "exit.ts"));

/** Says when it may be interrupted, and when it was; answers each line, as long as it goes on. */
const program = (work: string) => `
import { interruptible, orInterrupted } from ${EXIT};
process.stdin.on("data", () => console.log("goes on"));
const listen = (signal) => signal.addEventListener("abort", () => console.log("interrupted"));
${work}
console.log("ready");
`;

const WORK = {
  "a measurement": "listen(interruptible());",
  "a build": `void orInterrupted((signal) => { listen(signal); return new Promise(() => {}); }, "Stopped.");`,
};

async function start(work: string) {
  const words = ["--input-type=module-typescript", "--eval", program(work)];
  const child = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value as string | undefined;
  expect(await next()).toBe("ready");
  return { child, next };
}

const ORDERS = [
  ["SIGINT", "SIGINT", 130],
  ["SIGINT", "SIGTERM", null],
  ["SIGTERM", "SIGINT", 130],
  ["SIGTERM", "SIGTERM", null],
  ["SIGHUP", "SIGTERM", null],
  ["SIGHUP", "SIGINT", 129],
] as const;

test.each(
  Object.entries(WORK).flatMap(([what, work]) => ORDERS.map((order) => [what, ...order, work] as const)),
)(
  "%s that is interrupted by %s, and by %s at once, ends with exit code %s (null: it goes on)",
  async (_, first, second, code, work) => {
    const { child, next } = await start(work);
    const ended = once(child, "exit");
    child.kill(first);
    expect(await next()).toBe("interrupted");
    child.kill(second);
    if (code !== null) {
      expect((await ended)[0]).toBe(code);
      return;
    }
    // A signal that came is handled before a line that was written behind an answer.
    for (let time = 0; time < 2; time++) {
      child.stdin.write("\n");
      expect(await next()).toBe("goes on");
    }
  },
);
