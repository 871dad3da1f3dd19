import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type CaseManifest, shellWord } from "@evenbench/core";
import { descendants, stillRunning } from "@evenbench/host/testing";
import { testFolder } from "@evenbench/host/testing/folder";
import { profileSchema } from "@evenbench/results";
import { type LocalTarget, listTargets, ownServerCase, ownServerCommand } from "@evenbench/runner";
import { expect, test } from "vitest";
import { heldBy } from "./heap-snapshot.ts";
import { type ProfileRunOptions, profile } from "./profile.ts";
import { renderProfile } from "./render.ts";

const PLATFORMS = ["cloudflare", "node", "vercel"];

const folder = testFolder();
const targets = (await listTargets()).filter(({ name }) => PLATFORMS.includes(name));
const node = targets.find(({ name }) => name === "node") as LocalTarget;
const caseOf = async (wanted: string) =>
  (await node.app.cases()).find(({ id }) => id === wanted) as CaseManifest;
const reactSsr = await caseOf("react-ssr");

const profiled = (out: string, options: Partial<ProfileRunOptions> = {}) =>
  profile({
    targets,
    case: reactSsr,
    out: join(folder, out),
    timeMs: 500,
    mostWarmUpMs: 500,
    serverCores: "all",
    ...options,
  });

test("all three platforms side by side: real profiles, react-dom and the collector in each, no process left", async () => {
  const before = descendants(process.pid);
  const during = new Set<number>();
  const result = await profiled("platforms", {
    timeMs: 1000,
    onPhase: () => {
      for (const pid of descendants(process.pid)) {
        during.add(pid);
      }
    },
  });
  expect(during.size).toBeGreaterThan(before.length);
  expect(await stillRunning([...during].filter((pid) => !before.includes(pid)))).toEqual([]);

  expect(result.record.targets.map(({ target }) => target).sort()).toEqual(PLATFORMS);
  const written: unknown = JSON.parse(await readFile(join(result.folder, "profile.json"), "utf8"));
  expect(written).toEqual(result.record);
  expect(profileSchema.parse(written)).toEqual(written);
  for (const target of result.record.targets) {
    const rows = new Map(target.rows.map((row) => [row.name, row]));
    expect(rows.get("react-dom")?.samples, target.target).toBeGreaterThan(0);
    expect(rows.get("the case")?.samples, target.target).toBeGreaterThan(0);
    expect(target.collectorShare).toBe(rows.get("garbage collector")?.share ?? 0);
    expect(target.load?.exchanges).toBeGreaterThan(0);
    if (process.platform === "linux") {
      expect(target.cpuMs).not.toBeNull();
    }
    expect(target.identity.platform).toBe(target.target);
    const file = JSON.parse(await readFile(join(result.folder, target.file), "utf8"));
    expect(file.samples).toHaveLength(target.samples);
  }
});

test("of a start, each platform has the functions of the app's modules with their places, and no request", async () => {
  const { record } = await profiled("starts", { of: "start" });
  expect(record.targets.map(({ target }) => target).sort()).toEqual(PLATFORMS);
  // A start is short: on a busy machine one platform's may have no sample.
  expect(record.targets.some(({ busySamples }) => busySamples > 0)).toBe(true);
  expect(record.targets.some(({ rows, hottest }) => rows.length > 0 && hottest.length > 0)).toBe(true);
  for (const { target, load, hottest } of record.targets) {
    expect(load, target).toBeNull();
    for (const { file, line } of hottest) {
      expect(file).not.toBe("");
      // Elsewhere V8 compiles modules under the profiler.
      expect(line !== null || target === "cloudflare").toBe(true);
    }
  }
});

test("what requests leave in memory is said by constructor, with both snapshots, on each platform", async () => {
  const { record, folder: made } = await profiled("memory", { of: "memory", case: await caseOf("empty") });
  expect(record.kept.map(({ target }) => target).sort()).toEqual(PLATFORMS);
  for (const { before, after, requests } of record.kept) {
    expect(requests).toBeGreaterThan(0);
    const [held, later] = await Promise.all(
      [before, after].map((file) => readFile(join(made, file), "utf8")),
    );
    expect(heldBy(held ?? "").size).toBeGreaterThan(0);
    expect(heldBy(later ?? "").size).toBeGreaterThan(0);
  }
});

test.each([
  { phase: "warmup", at: 1, taken: 0 },
  { phase: "sample", at: 1, taken: 1 },
])("interrupted in the $phase of target $at, it ends with what there is", async ({ phase, at, taken }) => {
  const interrupt = new AbortController();
  let begun = 0;
  const { record, folder: made } = await profiled(`interrupted-${phase}-${at}`, {
    // A profile is cut short, and kept.
    timeMs: phase === "sample" ? 60_000 : 500,
    signal: interrupt.signal,
    onPhase: (_target, now) => {
      if (now === phase && ++begun === at) {
        setTimeout(() => interrupt.abort(), phase === "sample" ? 300 : 0);
      }
    },
  });
  expect(record.status).toBe("interrupted");
  expect(record.targets).toHaveLength(taken);
  for (const { samples } of record.targets) {
    expect(samples).toBeGreaterThan(0);
  }
  expect((await readdir(made)).filter((name) => name.endsWith(".cpuprofile"))).toHaveLength(taken);
});

test("a runtime that opens no inspector is said so, with its own words", async () => {
  const deployable = join(folder, "no-inspector");
  const real = pathToFileURL(join(node.deployable, "server.mjs"));
  const closed = `import inspector from "node:inspector";\ninspector.close();\nawait import("${real}");\n`;
  await mkdir(deployable);
  await writeFile(join(deployable, "server.mjs"), closed);
  const before = descendants(process.pid);
  await expect(profiled("closed", { targets: [{ ...node, deployable }] })).rejects.toMatchObject({
    message: expect.stringMatching(
      /V8's inspector does not answer at http:\/\/127\.0\.0\.1:\d+\/json \(.*ECONNREFUSED/,
    ),
    quotes: [expect.stringContaining("Debugger listening on ws:")],
  });
  const left = descendants(process.pid).filter((pid) => !before.includes(pid));
  expect(await stillRunning(left)).toEqual([]);
});

test("a server of one's own that refuses is profiled where that is assumed to be the work; that its time ends a warm-up early, and that it waits, is said", async () => {
  const file = join(folder, "refusing.mjs");
  const server = `import { createServer } from "node:http";
const refuse = (response) => response.writeHead(404).end("no");
createServer((_, response) => setTimeout(refuse, 50, response)).listen(process.env.PORT, process.env.HOST);`;
  await writeFile(file, server);
  const command = `${shellWord(process.execPath)} ${shellWord(file)}`;
  const request = { method: "GET", headers: {}, body: null };
  const started = { command, folder, readyPath: "/", ...request, readyWithinMs: 30_000 };
  const target = ownServerCommand("own", started, request);
  const manifest = ownServerCase(
    { path: "/", name: null },
    [],
    { method: "GET", headers: [], body: null },
    [],
  );
  const options = { targets: [target], case: manifest };
  await expect(profiled("refused", options)).rejects.toThrow("HTTP 404");
  await expect(profiled("start", { ...options, of: "start", sameWork: "assumed" })).rejects.toThrow(
    /The start of own is not measured/,
  );
  const { record } = await profiled("assumed", { ...options, sameWork: "assumed", mostWarmUpMs: 1 });
  expect(record.targets.map(({ warmup }) => warmup)).toMatchObject([
    { exchanges: 1, steady: false, needed: null },
  ]);
  const words = "not warm: 1 request of warm-up, too few to find out how many it needs";
  expect(renderProfile(record)).toContain(words);
  expect(renderProfile(record)).toMatch(/of the time it waited/);
  const closed = ownServerCommand("closed", { ...started, command: `NODE_OPTIONS= ${command}` }, request);
  const both = { ...options, targets: [closed, target], sameWork: "assumed", of: "memory" } as const;
  const { record: kept } = await profiled("both", both);
  expect(kept.kept.map((each) => each.target)).toEqual(["own"]);
  const dropped = expect.objectContaining({ kind: "target-dropped", target: "closed" });
  expect(kept).toMatchObject({ status: "failed", events: expect.arrayContaining([dropped]) });
});
