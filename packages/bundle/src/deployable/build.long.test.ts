import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { folderOfEachTest } from "@evenbench/host/testing/folder";
import { afterEach, expect, test, vi } from "vitest";
import { forgetFailure, readBuildFailure, readBuildRecord, recordBuild } from "./build.ts";
import { exclusively } from "./build-app.ts";
import { sizeOfFolder } from "./server-platform.ts";

let folder: string;
folderOfEachTest((path) => {
  folder = path;
});
afterEach(() => vi.restoreAllMocks());

const task = () => ({ app: "test", platform: "node", deployable: join(folder, "node") });
const node = (source: string) => [process.execPath, "-e", source] as const;

test("a build leaves its time, its size as the platform counts it, and its output", async () => {
  const { deployable } = task();
  const built = await recordBuild(task(), async (build) => {
    await build("compile", node("console.log('compiling')"), { cwd: folder });
    await mkdir(deployable);
    await writeFile(join(deployable, "server.mjs"), "x".repeat(5000));
  });
  expect(built).toBe(true);
  const record = await readBuildRecord(deployable);
  expect(record?.ms).toBeGreaterThan(1);
  // The guard stands before it by then.
  expect(record?.size).toMatchObject({ bytes: (await sizeOfFolder(deployable)).bytes, limit: null });
  expect(record?.size.gzipBytes).toBeLessThan(5000);
  expect(await readFile(join(deployable, "server.mjs"), "utf8")).toContain("EVENBENCH_TOKEN");
  expect(await readFile(join(deployable, "open-server.mjs"), "utf8")).toBe("x".repeat(5000));
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

test("work under one lock waits for the process that holds it, also where that one is killed", async () => {
  const [lock, log] = [join(folder, "dist/lock"), join(folder, "log")];
  const source = `import { appendFileSync } from "node:fs";
    import { exclusively } from ${JSON.stringify(join(import.meta.dirname, "build-app.ts"))};
    await exclusively(${JSON.stringify(lock)}, async () => {
      process.stdout.write("held");
      await new Promise((resolve) => setTimeout(resolve, 500));
      appendFileSync(${JSON.stringify(log)}, "killed");
      process.kill(process.pid, "SIGKILL");
    });`;
  const holder = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(holder.stdout, "data");
  expect(await exclusively(lock, () => readFile(log, "utf8"))).toBe("killed");
});

test("the size of a folder counts files below it once, and follows no folder that is a link", async () => {
  await mkdir(join(folder, "a/b"), { recursive: true });
  await writeFile(join(folder, "a/b/file"), "12345");
  await writeFile(join(folder, "a/other"), "123");
  await symlink("b", join(folder, "a/link"));
  expect((await sizeOfFolder(folder)).bytes).toBe(8);
});
