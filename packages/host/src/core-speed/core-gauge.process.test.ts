import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { TYPE_STRIPPING } from "#repository";
import { descendants, stillRunning } from "../../test/processes.ts";
import { oneCore, splitCores } from "../cores.ts";
import { CoreGauge } from "./core-gauge.ts";

const core = Number(oneCore(null));

/** A gauge with one helper, with the helper's pid and the reasons that the gauge gives for its end. */
async function gaugeWithHelper(signal?: AbortSignal) {
  const reasons: string[] = [];
  const before = descendants(process.pid);
  const gauge = new CoreGauge({ signal, onEnd: (reason) => reasons.push(reason) });
  onTestFinished(() => gauge[Symbol.asyncDispose]());
  await gauge.prepare(core);
  const helpers = descendants(process.pid).filter((pid) => !before.includes(pid));
  expect(helpers).toHaveLength(1);
  return { gauge, reasons, helper: helpers[0] as number };
}

// Where no process can be kept on one core, there is no gauge.
describe.runIf(splitCores() !== null)("a gauge", () => {
  test("says a time of a core that was prepared, and none of another core or where there is no such core", async () => {
    const { gauge, reasons } = await gaugeWithHelper();
    expect(await gauge.on(core)).toBeGreaterThan(0);
    expect(await gauge.on(core + 1)).toBeNull();
    await gauge.prepare(9999);
    expect(await gauge.on(9999)).toBeNull();
    expect(reasons).toEqual([]);
  });

  test.each([
    ["stands still", "SIGSTOP", /^The helper that gauges core \d+ has not answered for 2 s\.$/],
    ["is ended from outside", "SIGKILL", /^The helper that gauges core \d+ ended\.$/],
  ] as const)(
    "whose helper %s says nothing more, says so once, and leaves no process",
    async (_, signal, reason) => {
      const { gauge, reasons, helper } = await gaugeWithHelper();
      process.kill(helper, signal);
      expect(await gauge.on(core)).toBeNull();
      expect(await gauge.on(core)).toBeNull();
      await gauge.prepare(core + 1);
      expect(reasons).toEqual([expect.stringMatching(reason)]);
      expect(await stillRunning([helper])).toEqual([]);
    },
  );

  test("whose run is aborted waits for no answer, says nothing of it, and ends a helper that stands still", async () => {
    const aborting = new AbortController();
    const { gauge, reasons, helper } = await gaugeWithHelper(aborting.signal);
    process.kill(helper, "SIGSTOP");
    const answer = gauge.on(core);
    aborting.abort();
    expect(await answer).toBeNull();
    expect(reasons).toEqual([]);
    await gauge[Symbol.asyncDispose]();
    expect(await stillRunning([helper])).toEqual([]);
  });

  test("ends its helpers also where its own process is killed", async () => {
    const script = `
      import { CoreGauge } from ${JSON.stringify(fileURLToPath(new URL("core-gauge.ts", import.meta.url)))};
      await new CoreGauge().prepare(${core});
      console.log("ready");
      setInterval(() => {}, 1000);
    `;
    const child = spawn(process.execPath, [...TYPE_STRIPPING, "--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    const helpers = descendants(child.pid as number);
    expect(helpers).toHaveLength(1);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await stillRunning(helpers)).toEqual([]);
  });
});
