import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import platform from "../test/platform.ts";
import { descendants, ENDINGS, endParentOf, stillRunning } from "../test/processes.ts";

const folder = mkdtempSync(join(tmpdir(), "evenbench-host-"));
const platformFile = fileURLToPath(new URL("../test/platform.ts", import.meta.url));
afterAll(() => rmSync(folder, { recursive: true }));

test.each(ENDINGS)("no process is left when the parent ends by %s", async (ending) => {
  const { below, serving } = await endParentOf(platformFile, "good", join(folder, "log"), ending);
  expect(serving).toHaveLength(1);
  // Supervisor, server, and the server's child.
  expect(below.length).toBeGreaterThanOrEqual(3);
  expect(below).toEqual(expect.arrayContaining([...serving]));
  expect(await stillRunning(below)).toEqual([]);
});

test("a server that ignores SIGTERM does not outlive its parent either", async () => {
  const { below } = await endParentOf(platformFile, "stubborn", join(folder, "log"), "SIGKILL");
  expect(await stillRunning(below)).toEqual([]);
});

test("when the supervisor itself is killed, the server goes too and the host says so", async () => {
  const host = await platform.serve({
    deployable: "good",
    port: 0,
    logFile: join(folder, "log"),
    cores: null,
    workers: 1,
    v8Flags: [],
  });
  const [server = 0] = host.pids();
  const below = descendants(process.pid);
  const supervisor = below.find((pid) => pid !== server && descendants(pid).includes(server));
  process.kill(supervisor ?? 0, "SIGKILL");
  expect(await host.died).toMatch(/supervisor was ended from outside/);
  expect(await stillRunning([server])).toEqual([]);
  await host.stop();
});
