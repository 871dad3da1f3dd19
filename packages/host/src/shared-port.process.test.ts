import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { testFolder } from "../test/folder.ts";
import { isRunning, stillRunning } from "../test/processes.ts";
import { commandOf, serve } from "../test/serve.ts";
import { sharedPortCommand } from "./own-runtime.ts";

const logFile = join(testFolder(), "host.log");

function start(behaviour: string, workers: number) {
  const command = (port: number) => {
    const alone = commandOf(behaviour, port);
    return { ...alone, ...sharedPortCommand(alone, workers) };
  };
  return serve(behaviour, { logFile, command });
}

// Other systems take SO_REUSEPORT, but hand all connections to one of the processes, or none at all.
describe.runIf(process.platform === "linux")("several servers behind one port", () => {
  test("all serve, one that is killed is replaced, and none outlives the host", async () => {
    const host = await start("sharing", 3);
    const before = host.pids();
    expect(before).toHaveLength(3);
    const answered = new Set<number>();
    await vi.waitFor(async () => {
      const answer = await fetch(host.url, { headers: { connection: "close" } });
      answered.add(JSON.parse(await answer.text()).pid);
      expect([...answered].sort()).toEqual([...before].sort());
    }, 60_000);

    const [killed = 0] = before;
    process.kill(killed, "SIGKILL");
    await vi.waitFor(() => {
      expect(host.pids()).toHaveLength(3);
      expect(host.pids()).not.toContain(killed);
    }, 60_000);
    const after = host.pids();
    expect(after.every(isRunning)).toBe(true);
    await host.stop();
    expect(await stillRunning(after)).toEqual([]);
  });

  test("that cannot start are given up soon, with their own words", async () => {
    await expect(start("fail", 2)).rejects.toThrow(/on purpose/);
  });
});
