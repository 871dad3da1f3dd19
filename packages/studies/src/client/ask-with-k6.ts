import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Expectation } from "@evenbench/probe";
import {
  bundleScript,
  clientEnvironment,
  type ExchangeLine,
  K6_ARGUMENTS,
  lineSchema,
} from "@evenbench/vantages";

const run = promisify(execFile);

/** Sends requests by the script of vantages. The CPU time is of all threads of k6, from its start to its end. */
export async function askWithK6(
  k6: string,
  url: string,
  bytes: number,
  rounds: number,
): Promise<{ readonly exchanges: readonly ExchangeLine[]; readonly cpuMs: number }> {
  const folder = await mkdtemp(join(tmpdir(), "evenbench-k6-"));
  try {
    const script = join(folder, "vantages.js");
    await writeFile(script, await bundleScript("rounds", planFor(url, bytes, rounds)));
    // The shell's own account of what it started: nothing of a process is left when it has ended.
    const words = ["-c", `"$@" 2>"$0"; times`, join(folder, "log"), k6, ...K6_ARGUMENTS, script];
    const { stdout } = await run("sh", words, { env: { ...process.env, ...clientEnvironment("here") } });
    const lines = (await readFile(join(folder, "log"), "utf8")).split("\n").filter((line) => line !== "");
    const exchanges = lines
      .map((line) => lineSchema.parse(JSON.parse(line)))
      .filter((line) => line.evenbench === "exchange");
    const failed = exchanges.find(({ error }) => error !== null);
    if (failed !== undefined) throw new Error(`A request of k6 failed: ${failed.error?.detail}.`);
    return { exchanges, cpuMs: childrenMs(stdout) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The second line of `times`: "0m1.230000s 0m0.120000s". */
function childrenMs(times: string): number {
  const [, children = ""] = times.trim().split("\n");
  const parts = [...children.matchAll(/(\d+)m([\d.]+)s/g)];
  if (parts.length !== 2) throw new Error(`The shell's account of k6 cannot be read: "${times}".`);
  return parts.reduce(
    (sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1000,
    0,
  );
}

/** The server's bytes mean nothing: their number is checked, as everywhere. */
export function expectedBytes(bytes: number): Expectation {
  return {
    ...{ status: 200, contentType: "text/plain", bytes, sha256: "" },
    ...{ masks: [], variation: null, isPage: false },
  };
}

function planFor(url: string, bytes: number, rounds: number): Parameters<typeof bundleScript<"rounds">>[1] {
  return {
    ...{ hash: "0".repeat(64), seed: 1, trials: 1, rounds, exchanges: rounds, warmUp: 0, timeoutMs: 30_000 },
    // The first round's digest would be checked.
    digestEvery: Number.MAX_SAFE_INTEGER,
    cases: [
      {
        id: "known",
        targets: ["known"],
        request: { path: "/", expected: { ...expectedBytes(bytes), unchecked: "body" } },
        transfer: null,
      },
    ],
    origins: { known: url },
    ...{ copies: [], hosts: {}, closed: [] },
  };
}
