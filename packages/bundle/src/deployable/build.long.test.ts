import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { folderOfEachTest } from "@evenbench/host/testing/folder";
import { expect, test, vi } from "vitest";
import {
  type Build,
  forgetFailure,
  readBuildFailure,
  readBuildRecord,
  readBuiltSources,
  recordBuild,
} from "./build.ts";
import { sizeOfFolder } from "./server-platform.ts";

let folder: string;
folderOfEachTest((path) => {
  folder = path;
});

const task = () => ({ app: "test", platform: "node", deployable: join(folder, "node") });
const node = (source: string) => [process.execPath, "-e", source] as const;

/** Answers all with 200, as `/identity` has to be. */
const SERVER = `import { createServer } from "node:http";
createServer((_, response) => response.end("{}")).listen(process.env.PORT, process.env.HOST);
`;

async function buildServer(build: Build, place: string): Promise<void> {
  await build("compile", node("console.log('compiling')"), { cwd: folder });
  await mkdir(place);
  await writeFile(join(place, "server.mjs"), SERVER);
}

test("a build leaves its time, its size as the platform counts it, its output, and of which sources it is", async () => {
  vi.stubEnv("TURBO_HASH", "0123456789abcdef");
  const { deployable } = task();
  expect(await recordBuild(task(), buildServer)).toBe(true);
  const record = await readBuildRecord(deployable);
  expect(record?.ms).toBeGreaterThan(1);
  expect(await readBuiltSources(deployable)).toBe("0123456789abcdef");
  // The guard stands before it by then.
  expect(record?.size).toMatchObject({ bytes: (await sizeOfFolder(deployable)).bytes, limit: null });
  expect(record?.size.gzipBytes).toBeLessThan(record?.size.bytes ?? 0);
  expect(await readFile(join(deployable, "server.mjs"), "utf8")).toContain("EVENBENCH_TOKEN");
  expect(await readFile(join(deployable, "open-server.mjs"), "utf8")).toBe(SERVER);
  expect(await readFile(`${deployable}.log`, "utf8")).toContain("compiling");
  expect(await readBuildFailure(deployable)).toBeNull();
});

test("a build that fails says which step, how it ended, and the end of its output; a later one forgets it", async () => {
  const errors = vi.spyOn(console, "error").mockReturnValue();
  const { deployable } = task();
  const built = await recordBuild(task(), async (build) => {
    await build("compile", node("process.exit(0)"), { cwd: folder });
    await build("link", node("console.log('no such symbol'); process.exit(3)"), { cwd: folder });
  });
  expect(built).toBe(false);
  const failure = await readBuildFailure(deployable);
  expect(failure).toMatchObject({ what: "test for node", step: "link", lastLines: ["no such symbol"] });
  expect(failure?.logFile).toMatch(/node\.log$/);
  expect(String(errors.mock.calls[0]?.[0])).toMatch(
    /test for node: link ended with exit code 3:\nno such symbol/,
  );
  expect(await readBuildRecord(deployable)).toBeNull();
  await forgetFailure(deployable);
  expect(await readBuildFailure(deployable)).toBeNull();
});

test("what was built before is served until the next build is whole, and stays where that one does not start", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  const { deployable } = task();
  await recordBuild(task(), buildServer);
  const serverThere = () => readFile(join(deployable, "open-server.mjs"), "utf8");
  const built = await recordBuild(task(), async (_, place) => {
    await mkdir(place);
    expect(await serverThere()).toBe(SERVER);
    await writeFile(join(place, "server.mjs"), "console.log(ENV_PREFIX);");
  });
  expect(built).toBe(false);
  expect(await serverThere()).toBe(SERVER);
  const failure = await readBuildFailure(deployable);
  expect(failure?.step).toBe("start");
  expect(failure?.lastLines.join("\n")).toContain("ENV_PREFIX is not defined");
  const left = await readdir(folder);
  expect(left.filter((name) => !name.startsWith(".building.lock"))).toEqual([
    "node",
    "node.build.json",
    "node.failed.json",
    "node.log",
  ]);
});

test("the size of a folder counts files below it once, and follows no folder that is a link", async () => {
  await mkdir(join(folder, "a/b"), { recursive: true });
  await writeFile(join(folder, "a/b/file"), "12345");
  await writeFile(join(folder, "a/other"), "123");
  await symlink("b", join(folder, "a/link"));
  expect((await sizeOfFolder(folder)).bytes).toBe(8);
});
