import { dirname, join } from "node:path";
import { UserError } from "@evenbench/core";
import { expect, test, vi } from "vitest";
import { testFolder } from "../test/folder.ts";
import { needs } from "../test/needs.ts";
import { findProgram, missingServices, startServices } from "./services.ts";

const logFolder = testFolder();

test("a service whose program is not installed is refused with the command that installs it", async () => {
  vi.stubEnv("PATH", logFolder);
  const [missing] = await missingServices(["memcached", "memcached"]);
  const words = "memcached is not installed. Install it with: apt-get install memcached";
  expect(missing?.missing).toBe(words);
  const starting = startServices(["memcached"], { logFolder, cores: null });
  await expect(starting).rejects.toThrow(new UserError(words));
});

test("a program is found by its name or its path, and on the PATH alone", async () => {
  expect(await findProgram(process.execPath)).toBe(process.execPath);
  vi.stubEnv("PATH", dirname(process.execPath));
  expect(await findProgram("node")).toBe(join(dirname(process.execPath), "node"));
  vi.stubEnv("PATH", logFolder);
  expect(await findProgram("node")).toBeNull();
});

const [memcached] = await missingServices(["memcached"]);
test(
  "a service listens on the loopback interface while it is needed, and then is gone",
  needs(memcached?.missing ?? null),
  async () => {
    const services = await startServices(["memcached", "memcached"], { logFolder, cores: null });
    const address = services.environment.EVENBENCH_SERVICE_MEMCACHED;
    expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(services.addresses).toEqual({ memcached: address });
    await services[Symbol.asyncDispose]();
    await expect(fetch(`http://${address}`)).rejects.toThrow(/fetch failed/);
  },
);
