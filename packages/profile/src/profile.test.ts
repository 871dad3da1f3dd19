import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CaseManifest } from "@evenbench/core";
import { descendants, stillRunning } from "@evenbench/host/testing";
import { type LocalTarget, listTargets } from "@evenbench/runner";
import { findService } from "@evenbench/services";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { parseCpuProfile } from "./cpu-profile.ts";
import { type ProfileResult, profile } from "./profile.ts";
import { profileTarget } from "./profile-target.ts";

const PLATFORMS = ["cloudflare", "node", "vercel"];

let folder: string;
let targets: readonly LocalTarget[];
let reactSsr: CaseManifest;
let doubleSpend: CaseManifest;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-profile-"));
  targets = (await listTargets()).filter(({ name }) => PLATFORMS.includes(name));
  const cases = (await targets[0]?.app.cases()) ?? [];
  reactSsr = cases.find(({ id }) => id === "react-ssr") as CaseManifest;
  doubleSpend = cases.find(({ id }) => id === "double-spend") as CaseManifest;
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(() => rm(folder, { recursive: true }));

test("all three platforms side by side: real profiles, react-dom and the collector in each, no process left", async () => {
  const before = descendants(process.pid);
  const during = new Set<number>();
  const result: ProfileResult = await profile({
    targets,
    case: reactSsr,
    timeMs: 1000,
    out: folder,
    evenbenchVersion: "0.0.0",
    onPhase: () => {
      for (const pid of descendants(process.pid)) during.add(pid);
    },
  });
  expect(during.size).toBeGreaterThan(before.length);
  expect(await stillRunning([...during].filter((pid) => !before.includes(pid)))).toEqual([]);

  expect(result.record.targets.map(({ target }) => target).sort()).toEqual(PLATFORMS);
  expect(JSON.parse(await readFile(join(result.folder, "profile.json"), "utf8"))).toEqual(result.record);
  for (const target of result.record.targets) {
    const rows = new Map(target.rows.map((row) => [row.name, row]));
    expect(rows.get("react-dom")?.samples, target.target).toBeGreaterThan(0);
    expect(rows.get("garbage collector")?.kind, target.target).toBe("collector");
    expect(rows.get("the case")?.samples, target.target).toBeGreaterThan(0);
    expect(target.collectorShare).toBe(rows.get("garbage collector")?.share);
    expect(target.unattributedShare, target.target).toBeLessThan(0.05);
    expect(target.load.exchanges).toBeGreaterThan(0);
    if (process.platform === "linux") expect(target.cpuMs).toBeGreaterThan(0);
    expect(target.identity.platform).toBe(target.target);
    const file = JSON.parse(await readFile(join(result.folder, target.file), "utf8"));
    expect(parseCpuProfile(file).samples).toHaveLength(target.samples);
  }
  const page = await readFile(join(result.folder, "profile.html"), "utf8");
  expect(Buffer.byteLength(page)).toBeLessThanOrEqual(1_000_000);
  for (const platform of PLATFORMS) expect(page).toContain(`id="target-${platform}"`);
});

test("an interrupted profile keeps what was sampled, and begins no other target", async () => {
  const interrupt = new AbortController();
  const result = await profile({
    targets,
    case: reactSsr,
    timeMs: 60_000,
    out: join(folder, "interrupted"),
    evenbenchVersion: "0.0.0",
    signal: interrupt.signal,
    onPhase: (_target, phase) => {
      if (phase === "sample") setTimeout(() => interrupt.abort(), 300);
    },
  });
  expect(result.record.targets).toHaveLength(1);
  expect(result.record.targets[0]?.samples).toBeGreaterThan(0);
  expect((await readdir(result.folder)).sort()).toEqual(
    ["logs", "profile.html", "profile.json", `${targets[0]?.name}.cpuprofile`].sort(),
  );
});

const { path: memcached } = await findService("memcached");
test.skipIf(memcached === null)(
  "the services of a case are up while its targets are profiled, and then are gone",
  async () => {
    const before = descendants(process.pid);
    const { record } = await profile({
      targets,
      case: doubleSpend,
      timeMs: 500,
      out: join(folder, "with-services"),
      evenbenchVersion: "0.0.0",
    });
    expect(record.targets.map(({ target }) => target).sort()).toEqual(PLATFORMS);
    for (const { load } of record.targets) expect(load.exchanges).toBeGreaterThan(0);
    expect(await stillRunning(descendants(process.pid).filter((pid) => !before.includes(pid)))).toEqual([]);
  },
);

test("a service that is not installed is said with the command that installs it", async () => {
  vi.stubEnv("PATH", folder);
  const options = { targets, case: doubleSpend, timeMs: 500, out: folder, evenbenchVersion: "0.0.0" };
  await expect(profile(options)).rejects.toThrow(
    "memcached is not installed. Install it with: apt-get install memcached",
  );
});

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
  const target = await nodeTargetWith(
    "no-inspector",
    `import inspector from "node:inspector";\ninspector.close();\n${SERVER}`,
  );
  const before = descendants(process.pid);
  const attempt = profileTarget(target, reactSsr, { timeMs: 500, logFolder: folder, cores: null });
  await expect(attempt).rejects.toThrow(
    /V8's inspector does not answer at http:\/\/127\.0\.0\.1:\d+\/json[\s\S]*Debugger listening on ws:/,
  );
  expect(await stillRunning(descendants(process.pid).filter((pid) => !before.includes(pid)))).toEqual([]);
});

test("a target that does other work than the case's is not profiled", async () => {
  const target = await nodeTargetWith("other-work", SERVER);
  const attempt = profileTarget(target, reactSsr, { timeMs: 500, logFolder: folder, cores: null });
  await expect(attempt).rejects.toThrow(/node is not profiled\.[\s\S]*Preflight failed/);
});
