import { execFile } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { TYPE_STRIPPING } from "#supervisor-file";

const run = promisify(execFile);

/**
 * Enough that two processes which do not know of each other would get some twice: the system gives them some
 * 7,000 to 28,000.
 */
const EACH = 900;

const importing = `import { claimPort } from ${JSON.stringify(new URL("ports.ts", import.meta.url).href)};`;
const command = (script: string) => [...TYPE_STRIPPING, "--input-type=module", "--eval", importing + script];

test("processes that look for free ports side by side never get the same one", async () => {
  const script = `
    const ports = [];
    for (let n = 0; n < ${EACH}; n++) ports.push(await claimPort(0));
    console.log(JSON.stringify(ports));
    // Until the other one has its ports, too.
    process.stdin.resume();
  `;
  const claimers = [1, 2].map(() => run(process.execPath, command(script)));
  const said = claimers.map(({ child }) => new Promise((resolve) => child.stdout?.once("data", resolve)));
  await Promise.all(said);
  for (const { child } of claimers) child.stdin?.end();
  const ports = (await Promise.all(claimers)).flatMap(({ stdout }): number[] => JSON.parse(stdout));
  expect(ports).toHaveLength(2 * EACH);
  expect(new Set(ports).size).toBe(2 * EACH);
});

test("where every port was claimed a moment ago, the search ends with what to do", async () => {
  const script = "await claimPort(0).catch((error) => { console.log(error.message); process.exitCode = 1; })";
  const looking = run(process.execPath, command(script), { env: allClaimed() });
  await expect(looking).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^No free port on 127\.0\.0\.1: .*Try again in five minutes\.\n$/),
  });
});

function allClaimed(): NodeJS.ProcessEnv {
  const temporary = mkdtempSync(join(tmpdir(), "evenbench-claims-"));
  onTestFinished(() => rmSync(temporary, { recursive: true }));
  const claims = join(temporary, "evenbench", "ports");
  mkdirSync(claims, { recursive: true, mode: 0o700 });
  const one = join(temporary, "claim");
  writeFileSync(one, "");
  for (let port = 32_768; port < 65_536; port++) linkSync(one, join(claims, String(port)));
  return { ...process.env, XDG_CACHE_HOME: temporary };
}
