// Vantages on machines: this one, and others that a program in place of ssh runs as folders of this one.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { folderOfEachTest } from "@evenbench/host/testing/folder";
import { type CountingServer, K6, NEEDS_K6, startCountingServer } from "@evenbench/load/testing/k6";
import { beforeEach, expect, test, vi } from "vitest";
import { type PlanParts, planOf, readLog, useFakeSsh } from "../test/index.ts";
import { demandOf } from "./plan.ts";
import { parsePlaces, type RunVantagesOptions, runVantages, type VantageOutcome } from "./play.ts";
import { readPlan } from "./read-plan.ts";
import { writePlan } from "./write-plan.ts";

const TOKEN = "feedfacefeedfacefeedfacefeedface";
let folder: string;
let server: CountingServer;
folderOfEachTest((path) => {
  folder = path;
});
beforeEach(async () => {
  server = await startCountingServer();
  return () => server[Symbol.asyncDispose]();
});

async function planned(parts: Partial<PlanParts> = {}) {
  const plan = planOf({ targets: { node: server.origin }, ...parts });
  const at = join(folder, "plan");
  await writePlan(plan, at, ["eu-central-1"]);
  return { plan, at };
}

async function run(at: string, words: readonly string[], options: Partial<RunVantagesOptions> = {}) {
  const usual = { token: null, together: false };
  return runVantages({ ...usual, read: await readPlan(at), places: parsePlaces(words), ...options });
}

test(
  "vantages here and elsewhere play the same plan one after another; ssh asks nothing and never sees the token",
  NEEDS_K6,
  async () => {
    const ssh = await useFakeSsh(folder, K6, vi.stubEnv);
    const { plan, at } = await planned({ isClosed: true });
    const outcomes = await run(at, ["here=local", "eu=ssh:me@vm1"], { token: TOKEN });
    const logFile = (vantage: string) => join(at, "logs", `${vantage}.log`);
    const whole = { exchanges: demandOf(plan).requests, problem: null };
    expect(outcomes).toEqual(["here", "eu"].map((vantage) => ({ vantage, log: logFile(vantage), ...whole })));
    const [here, eu] = await Promise.all(
      ["here", "eu"].map(async (name) => readLog(await readFile(logFile(name), "utf8"))),
    );
    expect([here?.begin?.vantage, eu?.begin?.vantage]).toEqual(["here", "eu"]);
    const served = (log: typeof here) => log?.exchanges.map((line) => line.served ?? -1) ?? [];
    expect(Math.max(...served(here))).toBeLessThan(Math.min(...served(eu)));
    expect(server.requests.every(({ headers }) => headers.authorization === `Bearer ${TOKEN}`)).toBe(true);
    // Nothing of it stays over there.
    expect(await readdir(ssh.home)).toEqual([]);

    const calls = await ssh.calls();
    const options = ["-o", "BatchMode=yes", "-o", "ServerAliveInterval=15"];
    expect(calls).toEqual([[...options, "--", "me@vm1", expect.stringMatching(/EVENBENCH_VANTAGE=eu/)]]);
    expect(JSON.stringify(calls)).not.toContain(TOKEN);
  },
);

test(
  "a machine without k6, and one that ssh does not reach, are told; the others play",
  NEEDS_K6,
  async () => {
    await useFakeSsh(folder, join(folder, "no-k6"), vi.stubEnv);
    const { at } = await planned();
    const outcomes = await run(at, ["eu=ssh:me@vm1", "here=local"]);
    expect(outcomes.map(({ problem }) => problem)).toEqual([
      expect.stringMatching(/^me@vm1 has no k6/),
      null,
    ]);
    await writeFile(join(folder, "bin", "ssh"), "#!/bin/sh\necho 'Connection refused' >&2\nexit 255\n");
    const [unreached] = await run(at, ["us=ssh:me@vm2"]);
    expect(unreached?.problem).toMatch(/^ssh me@vm2 failed: Connection refused$/);
  },
);

test("a log that is whole is not written over; one that is not is", NEEDS_K6, async () => {
  const { at } = await planned();
  const log = join(at, "logs", "here.log");
  await writeFile(log, "cut off");
  expect(await run(at, ["here=local"])).toMatchObject([{ problem: null }]);
  const kept = await readFile(log, "utf8");
  await expect(run(at, ["here=local"])).rejects.toThrow(
    /here has played this plan already: .*here\.log is whole/,
  );
  expect(await readFile(log, "utf8")).toBe(kept);
});

test("an interrupted run ends k6, over there too", NEEDS_K6, async () => {
  await useFakeSsh(folder, K6, vi.stubEnv);
  const stuck = new AbortController();
  await using slow = await startCountingServer({
    workMs: 50,
    answer() {
      stuck.abort();
      return false;
    },
  });
  const { at } = await planned({ targets: { node: slow.origin }, rounds: 10_000 });
  const outcomes: VantageOutcome[] = [];
  const onEnd = (outcome: VantageOutcome) => outcomes.push(outcome);
  await run(at, ["eu=ssh:me@vm1", "us=ssh:me@vm2"], { signal: stuck.signal, onEnd });
  expect(outcomes).toMatchObject([
    { vantage: "eu", problem: expect.stringMatching(/did not come to its end/) },
  ]);
  // What its death left on the way arrives; nothing that plays 10,000 rounds would ever stop.
  await expect
    .poll(
      async () => {
        const seen = slow.requests.length;
        await new Promise((resolve) => setTimeout(resolve, 300));
        return slow.requests.length - seen;
      },
      { timeout: 30_000 },
    )
    .toBe(0);
});

test("without k6 on the machine nothing is started", async () => {
  const { at } = await planned({ isClosed: true });
  for (const [name, value] of Object.entries({
    PATH: folder,
    K6: "",
    HOME: folder,
    XDG_CACHE_HOME: folder,
  })) {
    vi.stubEnv(name, value);
  }
  await expect(run(at, ["here=local"], { token: TOKEN })).rejects.toThrow(
    /k6 is not installed.*tried: 2\.2\.0.*get-k6\.mjs$/,
  );
  expect(server.requests).toEqual([]);
});
