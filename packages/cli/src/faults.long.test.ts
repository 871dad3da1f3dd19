// What happens when a target goes wrong after it was proven: told on the way, in the report, and by the exit code.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { listTargets, type ServedTargets, startTargets } from "@evenbench/runner";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { evenbench, runIn, start, testFolder, words } from "../test/evenbench.ts";
import { type Fault, type FaultyProxy, startFaultyProxy } from "../test/faulty-proxy.ts";

const PREFLIGHT_EXCHANGES = 2;

const at = testFolder();
let served: ServedTargets;
let url: string;
beforeAll(async () => {
  served = await startTargets((await listTargets()).filter(({ name }) => name === "node"));
  url = served.targets()[0]?.url ?? "";
});
afterAll(() => served.stop());

const faults: Fault[] = ["gzip", "truncated", "HTTP 503"];
test.each(faults)(
  "a target that is dropped for %s ends the run with 1, and the report is made",
  async (fault) => {
    const proxy = await startFaultyProxy(url, fault, PREFLIGHT_EXCHANGES + 3);
    try {
      const { code, said } = await evenbench(
        ...words`run --no-build --case payload --quick --out ${at(fault)}`,
        ...words`--target node --target odd=${proxy.url}`,
      );
      expect(said).toContain("odd was dropped from payload");
      const run = await runIn(at(fault));
      expect(existsSync(`${run}/report.html`)).toBe(true);
      expect(await readFile(`${run}/report.md`, "utf8")).toContain("A target was dropped");
      expect(code).toBe(1);
    } finally {
      await proxy.close();
    }
  },
);

// They wait for most of their time: each in a process of its own, all at once.
describe.concurrent("a target that does not answer any more", () => {
  const silences: Fault[] = ["silent", "endless 1xx"];

  async function runBeside(proxy: FaultyProxy, ...options: string[]) {
    const targets = words`--target node --target odd=${proxy.url}`;
    try {
      const run = start([...words`run --no-build --case payload`, ...options, ...targets]);
      const { code, stdout, stderr } = await run.ended;
      return { code, said: stdout + stderr };
    } finally {
      await proxy.close();
    }
  }

  test.each(silences)(
    "a target that is %s after it was proven is given up within limits that follow --total",
    async (fault) => {
      const proxy = await startFaultyProxy(url, fault, PREFLIGHT_EXCHANGES + 3);
      const short = words`--total 8s --trials 1 --warm-up 3 --rounds 3 --out ${at(fault)}`;
      const { code, said } = await runBeside(proxy, ...short);
      expect(said).toMatch(/odd was dropped from \w+: 3 errors in a row, .* within 2000 ms/);
      expect(code).toBe(1);
    },
  );

  test.each(silences)(
    "a target that is %s from the start is refused within the time given, without asking it for every case",
    async (fault) => {
      const proxy = await startFaultyProxy(url, fault, 1);
      const asked = words`--case empty --total 11s --out ${at("refused", fault)}`;
      const { code, said } = await runBeside(proxy, ...asked);
      expect(said).toMatch(
        /Case "\w+" did not end on odd: .* within 11000 ms\)\. odd is not asked for the other cases/,
      );
      expect(said.match(/did not end on odd/g)).toHaveLength(1);
      expect(code).toBe(1);
    },
  );
});

async function reportOf(name: string, proxy: FaultyProxy): Promise<string> {
  await evenbench(
    ...words`run --no-build --case empty --trials 2 --rounds 60 --warm-up 2 --out ${at(name)}`,
    ...words`--target node --target odd=${proxy.url}`,
  ).finally(() => void proxy.close());
  const report = await readFile(`${await runIn(at(name))}/report.md`, "utf8");
  expect(report).not.toMatch(/node's instances|instance of node|node had/);
  return report;
}

test("a worker that is replaced while it is measured is told by the audit", async () => {
  const replace = () => process.kill(served.targets()[0]?.pids[0] ?? 0, "SIGKILL");
  const proxy = await startFaultyProxy(url, null, PREFLIGHT_EXCHANGES + 5, replace);
  expect(await reportOf("replaced", proxy)).toContain(
    "another instance of odd answered than before, 1 time in 1 of 2 trials",
  );
});

test("a server that closes connections without a word is told by the audit", async () => {
  const proxy = await startFaultyProxy(url, "closing", PREFLIGHT_EXCHANGES);
  expect(await reportOf("closing", proxy)).toMatch(/odd needed a new connection for \d+ of \d+ measured/);
});

test("requests of others between those of a run are told by the audit", async () => {
  const proxy = await startFaultyProxy(url, null, 0);
  const others = setInterval(() => fetch(`${url}/empty`).catch(() => {}), 10);
  const report = await reportOf("others", proxy).finally(() => clearInterval(others));
  expect(report).toMatch(/odd's instances served \d+ requests of others/);
});
