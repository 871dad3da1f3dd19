import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "@evenbench/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { testFolder } from "../test/folder.ts";
import { descendants, stillRunning } from "../test/processes.ts";
import { serveCommand } from "./serve-command.ts";
import { accountant } from "./usage.ts";

const folder = testFolder();
const logFile = join(folder, "command.log");

const SERVER = `
import { createServer } from "node:http";
const told = JSON.stringify({ pid: process.pid, env: process.env, cwd: process.cwd() });
createServer((request, response) => response.end(told)).listen(Number(process.env.PORT), "127.0.0.1");
`;
writeFileSync(join(folder, "server.mjs"), SERVER);
// One that leaves the process group of who started it, and so is not reached by a signal to that.
const DETACHED = `
import { spawn } from "node:child_process";
spawn(process.execPath, ["server.mjs"], { detached: true, stdio: "inherit" });
setInterval(() => {}, 1000);
`;
writeFileSync(join(folder, "detached.mjs"), DETACHED);

async function serve(command: string, readyWithinMs = 30_000): Promise<Host> {
  const ownCommand = { command, folder, readyPath: "/a?b=c", headers: { "x-a": "1" }, readyWithinMs };
  const host = await serveCommand(ownCommand, { port: 0, logFile, cores: null });
  onTestFinished(() => host.stop());
  return host;
}

async function ask({ url }: Host): Promise<{ pid: number; env: Record<string, string>; cwd: string }> {
  return JSON.parse(await (await fetch(`${url}/ask`)).text());
}

test("a command runs in its folder, for production, with a port on the loopback interface and the caller's own variables", async () => {
  vi.stubEnv("MY_OWN_SETTING", "1");
  vi.stubEnv("npm_config_of_test", "1");
  const host = await serve("node server.mjs");
  vi.unstubAllEnvs();
  const { env, cwd } = await ask(host);
  expect(env).toMatchObject({ NODE_ENV: "production", HOST: "127.0.0.1", MY_OWN_SETTING: "1" });
  expect(host.url).toBe(`http://127.0.0.1:${env.PORT}`);
  for (const name of ["npm_config_of_test", "NODE_OPTIONS"]) expect(env).not.toHaveProperty(name);
  expect(cwd.endsWith(folder)).toBe(true);
});

test("what ends early is told with its exit code, its last words and what next", async () => {
  await expect(serve("echo no database; exit 3")).rejects.toThrow(
    /The command "echo no database; exit 3" did not start: its process ended with exit code 3 before http.*\/a\?b=c answered\.\nLast lines of .*command\.log:\n {2}\| no database\n[\s\S]*PORT/,
  );
});

test("what never answers is told, and ended", async () => {
  const failed = serve(`echo pid $$; exec sleep 600`, 3000);
  await expect(failed).rejects.toThrow(/not ready within 3 s \(.*ECONNREFUSED[\s\S]*stay in the foreground/);
  const pid = Number(/pid (\d+)/.exec(readFileSync(logFile, "utf8"))?.[1]);
  expect(await stillRunning([pid])).toEqual([]);
});

test.each([
  ["a shell that waits for it", "cd . && node server.mjs; echo over"],
  ["a server that left the process group", "node detached.mjs"],
])("all processes serve, are accounted and end: %s", async (_, command) => {
  const host = await serve(command);
  const { pid } = await ask(host);
  const all = host.pids();
  const [first = 0] = all;
  expect([...all].sort()).toEqual([first, ...descendants(first)].sort());
  expect(all.slice(1)).toContain(pid);
  expect((await accountant.read(all))?.residentBytes).toBeGreaterThan(20e6);
  await host.stop();
  expect(await stillRunning(all)).toEqual([]);
  expect(host.pids()).toEqual([]);
});
