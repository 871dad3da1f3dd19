import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, test, vi } from "vitest";
import { fixtureTarget } from "../test/fixture.ts";
import { startTargets } from "./instance.ts";
import { ownServerCommand } from "./own-targets.ts";

const folder = testFolder();

test("the folder of its logs is gone after a clean stop, and kept where a host died, did not start, or logs are asked for", async () => {
  const temporary = join(folder, "temporary");
  mkdirSync(temporary);
  vi.stubEnv("TMPDIR", temporary);
  const folders = () => readdirSync(temporary).filter((name) => name.startsWith("evenbench-serve-"));
  const clean = await startTargets([fixtureTarget("node")]);
  const [{ url } = { url: "" }] = clean.targets();
  expect((await fetch(`${url}/short`)).status).toBe(200);
  expect(folders()).toHaveLength(1);
  await clean.stop();
  await clean.stop();
  expect(folders()).toEqual([]);
  const failed = await startTargets([fixtureTarget("node")]);
  const [{ logFile } = { logFile: "" }] = failed.targets();
  await failed.stop(true);
  expect(existsSync(logFile)).toBe(true);
  rmSync(dirname(logFile), { recursive: true });
  const dying = await startTargets([fixtureTarget("node")]);
  for (const pid of dying.targets()[0]?.pids ?? []) {
    process.kill(pid, "SIGKILL");
  }
  expect((await dying.died).message).toMatch(/^node: .*SIGKILL/);
  await dying.stop();
  expect(folders()).toHaveLength(1);
  // It is named, and the others are stopped.
  const sound = fixtureTarget("node");
  const broken = fixtureTarget("broken", () => ({ PINS: "no JSON" }));
  await expect(startTargets([sound, broken])).rejects.toThrow(/1 of 2 targets did not start\.\nbroken: /);
  expect(sound.hosts[0]?.pids()).toEqual([]);
  expect(folders()).toHaveLength(2);
});

test("a start that is stopped ends at once, though a target never becomes ready, and leaves no logs", async () => {
  const temporary = join(folder, "stopped");
  mkdirSync(temporary);
  vi.stubEnv("TMPDIR", temporary);
  const stopped = new AbortController();
  const request = { method: "POST", headers: {}, body: null };
  const never = { command: "exec sleep 3600", folder, readyPath: "/", ...request, readyWithinMs: 3_600_000 };
  const starting = startTargets([ownServerCommand("never", never, request)], { signal: stopped.signal });
  stopped.abort();
  await expect(starting).rejects.toThrow(/1 of 1 targets did not start/);
  expect(readdirSync(temporary)).toEqual([]);
});
