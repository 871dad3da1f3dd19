import { readdirSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CaseManifest } from "@evenbench/core";
import { findService, howToInstall } from "@evenbench/host/services";
import { needs } from "@evenbench/host/services/testing";
import { descendants, stillRunning } from "@evenbench/host/testing";
import { profileSchema, type RunEvent } from "@evenbench/results";
import { type LocalTarget, listTargets, ownServerCase, ownServerCommand } from "@evenbench/runner";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type ProfileRunOptions, profile } from "./profile.ts";
import { profileTarget } from "./profile-target.ts";
import { renderProfile } from "./render.ts";

const PLATFORMS = ["cloudflare", "node", "vercel"];

let folder: string;
let targets: readonly LocalTarget[];
let reactSsr: CaseManifest;
let doubleSpend: CaseManifest;
let empty: CaseManifest;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-profile-"));
  targets = (await listTargets()).filter(({ name }) => PLATFORMS.includes(name));
  const cases = (await targets[0]?.app.cases()) ?? [];
  reactSsr = cases.find(({ id }) => id === "react-ssr") as CaseManifest;
  doubleSpend = cases.find(({ id }) => id === "double-spend") as CaseManifest;
  empty = cases.find(({ id }) => id === "empty") as CaseManifest;
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(() => rm(folder, { recursive: true }));

const profiled = (out: string, options: Partial<ProfileRunOptions> = {}) =>
  profile({
    ...{ targets, case: reactSsr, timeMs: 500, mostWarmUpMs: 500, serverCores: "all" },
    out: join(folder, out),
    ...options,
  });
const onlyNode = () => targets.filter(({ name }) => name === "node");
/** What a test leaves behind. */
const left = (before: readonly number[]) =>
  stillRunning(descendants(process.pid).filter((pid) => !before.includes(pid)));

test("all three platforms side by side: real profiles, react-dom and the collector in each, no process left", async () => {
  const before = descendants(process.pid);
  const during = new Set<number>();
  const result = await profiled("platforms", {
    timeMs: 1000,
    onPhase: () => {
      for (const pid of descendants(process.pid)) during.add(pid);
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
    expect(target.load.exchanges).toBeGreaterThan(0);
    if (process.platform === "linux") expect(target.cpuMs).not.toBeNull();
    expect(target.identity.platform).toBe(target.target);
    const file = JSON.parse(await readFile(join(result.folder, target.file), "utf8"));
    expect(file.samples).toHaveLength(target.samples);
  }
});

test("a profile marks this process, tells of another one that measures, and keeps what its target needs", async () => {
  const scratch = join(folder, "marked");
  const marks = join(scratch, "evenbench", "measuring");
  await mkdir(marks, { recursive: true });
  // The parent process lives as long as this test does.
  await writeFile(join(marks, String(process.ppid)), "");
  vi.stubEnv("XDG_CACHE_HOME", scratch);
  const told: string[] = [];
  const seen: string[][] = [];
  const options = {
    targets: onlyNode(),
    // It answers at once, so that what it needs to be warm is found in a second.
    case: empty,
    mostWarmUpMs: 60_000,
    warmUpFile: join(scratch, "warm-up.json"),
    onPhase: () => void seen.push(readdirSync(marks)),
    onEvent: ({ detail }: RunEvent) => told.push(detail),
  };
  const { record } = await profiled("marked", options);
  const other = expect.stringContaining(`pid ${process.ppid}`);
  expect(record.events).toMatchObject([{ kind: "other-run-active", detail: other }]);
  expect(told).toEqual([other]);
  expect(seen.every((pids) => pids.includes(String(process.pid)))).toBe(true);
  expect(await readdir(marks)).toEqual([String(process.ppid)]);

  const [first] = record.targets;
  const { needed = null, exchanges = 0, steady } = first?.warmup ?? {};
  expect(needed).not.toBeNull();
  expect(steady).toBe(exchanges >= (needed ?? 0));
  // What a busy machine finds is not used again; tests run beside others.
  const kept = await readFile(options.warmUpFile, "utf8");
  await writeFile(options.warmUpFile, kept.replaceAll('"quiet":false', '"quiet":true'));
  const [second] = (await profiled("marked", options)).record.targets;
  expect(second?.warmup).toMatchObject({ steady: true, exchanges: needed, needed });
});

test("a warm-up that its time ends early is said in the record and the table", async () => {
  const { record } = await profiled("cut-short", { targets: onlyNode(), mostWarmUpMs: 1 });
  expect(record.targets[0]?.warmup).toMatchObject({ exchanges: 1, steady: false, needed: null });
  const words = "not warm: 1 request of warm-up, too few to find out how many it needs";
  expect(renderProfile(record)).toContain(words);
});

test("an interrupted profile keeps what was sampled, and begins no other target", async () => {
  const interrupt = new AbortController();
  const result = await profiled("interrupted", {
    timeMs: 60_000,
    signal: interrupt.signal,
    onPhase: (_target, phase) => {
      if (phase === "sample") setTimeout(() => interrupt.abort(), 300);
    },
  });
  expect(result.record.status).toBe("interrupted");
  expect(result.record.targets).toHaveLength(1);
  expect(result.record.targets[0]?.samples).toBeGreaterThan(0);
  expect((await readdir(result.folder)).sort()).toEqual(
    ["logs", "profile.json", `${targets[0]?.name}.cpuprofile`].sort(),
  );
});

test.each([
  { during: "the first target", at: 1, taken: 0 },
  { during: "a later one", at: 2, taken: 1 },
])("interrupted while $during is warmed up, it ends with what there is", async ({ at, taken }) => {
  const interrupt = new AbortController();
  let begun = 0;
  const result = await profiled(`interrupted-${at}`, {
    signal: interrupt.signal,
    onPhase: (_target, phase) => {
      if (phase === "warmup" && ++begun === at) interrupt.abort();
    },
  });
  expect(result.record).toMatchObject({ status: "interrupted" });
  expect(result.record.targets).toHaveLength(taken);
});

const memcached = await findService("memcached");
test(
  "the services of a case are up while its targets are profiled, and then are gone",
  needs(memcached.path === null ? howToInstall(memcached) : null),
  async () => {
    const before = descendants(process.pid);
    const { record } = await profiled("with-services", { case: doubleSpend });
    expect(record.targets.map(({ target }) => target).sort()).toEqual(PLATFORMS);
    for (const { load } of record.targets) expect(load.exchanges).toBeGreaterThan(0);
    expect(await left(before)).toEqual([]);
  },
);

/** A server of our own in place of the node target's. */
async function nodeTargetWith(name: string, server: string): Promise<LocalTarget> {
  const node = targets.find((target) => target.name === "node") as LocalTarget;
  const deployable = join(folder, name);
  await mkdir(deployable);
  await writeFile(join(deployable, "server.mjs"), server);
  return { ...node, deployable };
}

const SERVER = `import { createServer } from "node:http";
createServer((request, response) => response.end("something else")).listen(Number(process.env.PORT), process.env.HOST);
`;

test("a runtime that opens no inspector is said so, with its own words", async () => {
  const server = `import inspector from "node:inspector";\ninspector.close();\n${SERVER}`;
  const target = await nodeTargetWith("no-inspector", server);
  const before = descendants(process.pid);
  const attempt = profileTarget(target, reactSsr, { timeMs: 500, logFolder: folder, cores: null });
  await expect(attempt).rejects.toThrow(
    /V8's inspector does not answer at http:\/\/127\.0\.0\.1:\d+\/json[\s\S]*Debugger listening on ws:/,
  );
  expect(await left(before)).toEqual([]);
});

test("a target that does other work than the case's is not profiled", async () => {
  const target = await nodeTargetWith("other-work", SERVER);
  const attempt = profileTarget(target, reactSsr, { timeMs: 500, logFolder: folder, cores: null });
  await expect(attempt).rejects.toThrow(/node is not profiled\.[\s\S]*Preflight failed/);
});

test("a server of one's own that refuses is profiled where that is assumed to be the work", async () => {
  const file = join(folder, "refusing.mjs");
  const server = `createServer((_, response) => response.writeHead(404).end("no"))`;
  await writeFile(
    file,
    `import { createServer } from "node:http";\n${server}.listen(process.env.PORT, process.env.HOST);\n`,
  );
  const command = `'${process.execPath}' '${file}'`;
  const started = { command, folder, readyPath: "/", headers: {}, readyWithinMs: 30_000 };
  const own = ownServerCommand("own", started, { method: "GET", headers: {}, body: null });
  const asked = ownServerCase("/", [], { method: "GET", headers: [], body: null }, []);
  const options = { targets: [own], case: asked };
  await expect(profiled("refused", options)).rejects.toThrow("HTTP 404");
  const { record } = await profiled("assumed", { ...options, sameWork: "assumed" });
  expect(record.targets).toHaveLength(1);
});
