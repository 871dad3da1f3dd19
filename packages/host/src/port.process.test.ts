import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { TYPE_STRIPPING } from "#supervisor-file";

/** Enough that two processes which do not know of each other would get some twice: the system gives them some 28,000. */
const EACH = 900;

test("processes that look for free ports side by side never get the same one", async () => {
  const script = `
    import { claimPort } from ${JSON.stringify(new URL("port.ts", import.meta.url).href)};
    const ports = [];
    for (let n = 0; n < ${EACH}; n++) ports.push(await claimPort(0));
    console.log(JSON.stringify(ports));
    // Until the other one has its ports, too.
    process.stdin.resume();
  `;
  const command = [...TYPE_STRIPPING, "--input-type=module", "--eval", script];
  const claimers = [1, 2].map(() => promisify(execFile)(process.execPath, command));
  const said = claimers.map(({ child }) => new Promise((resolve) => child.stdout?.once("data", resolve)));
  await Promise.all(said);
  for (const { child } of claimers) child.stdin?.end();
  const ports = (await Promise.all(claimers)).flatMap(({ stdout }): number[] => JSON.parse(stdout));
  expect(ports).toHaveLength(2 * EACH);
  expect(new Set(ports).size).toBe(2 * EACH);
});
