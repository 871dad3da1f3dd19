import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Run } from "@evenbench/results";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fixtureTarget, scratchFolder } from "../test/fixture.ts";
import { eventsOf, type ShortRun, shortRunInto } from "../test/short-run.ts";

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
beforeEach(async () => {
  scratch = await scratchFolder();
});
afterEach(() => scratch[Symbol.asyncDispose]());

const shortRun = (options: ShortRun) => shortRunInto(scratch.path, options);

describe("a run is refused", () => {
  test("when preflight finds targets that differ, with the values and a remedy", async () => {
    const odd = fixtureTarget("odd", () => ({ PINS: JSON.stringify({ artifact: "bbbb" }) }));
    const node = fixtureTarget("node", () => ({ PINS: JSON.stringify({ artifact: "aaaa" }) }));
    await expect(shortRun({ targets: [node, odd] })).rejects.toThrow(/aaaa[\s\S]*bbbb[\s\S]*Remedy/);
    const [folder = ""] = readdirSync(scratch.path);
    const entry: Run = JSON.parse(readFileSync(join(scratch.path, folder, "run.json"), "utf8"));
    expect(entry.status).toBe("failed");

    const allowed = await shortRun({ targets: [node, odd], allow: ["artifact"], rounds: 1 });
    expect(allowed.run.status).toBe("complete");
    expect(eventsOf(allowed, "pin-allowed")[0]?.detail).toContain("bbbb");
  });

  test("when a setting that nobody has is to differ", async () => {
    await expect(shortRun({ targets: [fixtureTarget("node")], allow: ["artefact"] })).rejects.toThrow(
      'no setting "artefact"',
    );
  });

  test("when a target does not start, naming it", async () => {
    const broken = fixtureTarget("broken", () => ({ PINS: "no JSON" }));
    await expect(shortRun({ targets: [fixtureTarget("node"), broken] })).rejects.toThrow(
      /1 of 2 targets did not start[\s\S]*broken/,
    );
  });

  test("when there is nothing to measure", async () => {
    await expect(shortRun({ targets: [] })).rejects.toThrow('no target serves "short"');
    await expect(shortRun({ targets: [fixtureTarget("node")], cases: {} })).rejects.toThrow("no case");
  });

  test("when the results folder cannot be written", async () => {
    const file = join(scratch.path, "file");
    writeFileSync(file, "");
    await expect(shortRun({ targets: [fixtureTarget("node")], out: file })).rejects.toThrow("--out");
  });
});

test("two runs at the same time have folders, ports and samples of their own", async () => {
  const [first, second] = await Promise.all([
    shortRun({ targets: [fixtureTarget("node")], rounds: 3 }),
    shortRun({ targets: [fixtureTarget("node")], rounds: 3 }),
  ]);
  expect(first.folder).not.toBe(second.folder);
  for (const result of [first, second]) {
    expect(result.samples.filter(({ phase }) => phase === "measure")).toHaveLength(2 * 3 * 2);
    expect(result.samples.every(({ error }) => error === null)).toBe(true);
  }
});

test("a URL is measured like a local target, without being started; as the baseline its A/A copy is another connection", async () => {
  const host = await fixtureTarget("remote").platform.serve({
    deployable: fixtureTarget("remote").deployable,
    port: 0,
    logFile: join(scratch.path, "remote.log"),
    cores: null,
    workers: 1,
    v8Flags: [],
  });
  try {
    const remote = { place: "url", name: "remote", app: "fixture", url: host.url } as const;
    const result = await shortRun({
      targets: [remote, fixtureTarget("node")],
      baseline: "remote",
      rounds: 2,
    });
    expect(result.run.status).toBe("complete");
    expect(result.run.plan.targets).toMatchObject([
      { name: "remote", place: "url", url: host.url, platform: "fixture" },
      { name: "node", place: "local", url: null },
      { name: "remote~copy", place: "url", copyOf: "remote" },
    ]);
    const measured = result.samples.filter(({ phase }) => phase === "measure");
    expect(measured).toHaveLength(2 * 2 * 3);
    const own = measured.filter(({ target }) => target !== "node");
    expect(new Set(own.map(({ instanceId }) => instanceId)).size).toBe(1);
  } finally {
    await host.stop();
  }
});

test("a URL at which nobody listens is refused with its address", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise((resolve) => server.close(resolve));
  const gone = { place: "url", name: "gone", app: "fixture", url } as const;
  await expect(shortRun({ targets: [fixtureTarget("node"), gone] })).rejects.toThrow(url);
});
