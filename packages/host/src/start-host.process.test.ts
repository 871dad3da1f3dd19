import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createWebServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { TYPE_STRIPPING } from "#repository";
import { testFolder } from "../test/folder.ts";
import { descendants, isRunning, stillRunning } from "../test/processes.ts";
import { commandOf, serve as serveIn } from "../test/serve.ts";
import { splitCores } from "./cores.ts";
import { HostError, LOOPBACK } from "./loopback.ts";
import { sharedPortCommand } from "./runtimes.ts";
import { claimPort, type StartHostOptions } from "./start-host.ts";

const folder = testFolder();

let logs = 0;
function serve(behaviour: string, options: Partial<StartHostOptions> = {}) {
  return serveIn(behaviour, { logFile: join(folder, `log-${++logs}`, "host.log"), ...options });
}

async function listen(port = 0, server: Server = createServer()): Promise<Server> {
  server.listen(port, LOOPBACK);
  await once(server, "listening");
  return server;
}

test.each(["good", "stubborn"])(
  "a %s host answers on a free loopback port until it is stopped, and then nothing is left",
  async (behaviour) => {
    const host = await serve(behaviour);
    expect(host.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${host.url}/identity`)).status).toBe(200);
    const [pid = 0] = host.pids();
    const all = [pid, ...descendants(pid)];
    expect(all).toHaveLength(2);
    await Promise.all([host.stop(), host.stop()]);
    expect(isRunning(pid)).toBe(false);
    expect(await stillRunning(all)).toEqual([]);
    expect(host.pids()).toEqual([]);
    await expect(fetch(host.url)).rejects.toThrow();
  },
);

test("a server does not see the settings of the caller's shell", async () => {
  vi.stubEnv("EVENBENCH_TEST_SETTING", "1");
  const host = await serve("good");
  const { env } = JSON.parse(await (await fetch(host.url)).text());
  await host.stop();
  expect(env).toMatchObject({ NODE_ENV: "production", TZ: "UTC", HOST: LOOPBACK });
  for (const name of ["EVENBENCH_TEST_SETTING", "NODE_OPTIONS"]) {
    expect(env).not.toHaveProperty(name);
  }
});

test("a taken port gives one line with the port and what to do", async () => {
  const other = await listen();
  const { port } = other.address() as AddressInfo;
  const words = `Port ${port} on 127.0.0.1 is taken: another server listens there. Choose another port, or 0 for a free one.`;
  await expect(serve("good", { port })).rejects.toThrow(new HostError(words));
  other.close();
});

/** Starts a server whose first port another process takes meanwhile. @returns it, and the ports that it was given. */
async function serveBeside(other: Server, options: Partial<StartHostOptions> = {}) {
  let preparedAt = 0;
  const tried: number[] = [];
  onTestFinished(() => void other.close());
  const host = await serve("good", {
    ...options,
    async command(port) {
      if (tried.push(port) === 1) {
        await listen(port, other);
      }
      preparedAt = performance.now();
      return commandOf("good", port);
    },
  });
  await host.stop();
  return { host, tried, preparedAt };
}

test("a free port that another process takes meanwhile is replaced; its process is said to start after what was prepared", async () => {
  const logFile = join(folder, "race.log");
  const { host, tried, preparedAt } = await serveBeside(createServer(), { logFile });
  expect(tried).toHaveLength(2);
  expect(host.url).toBe(`http://127.0.0.1:${tried[1]}`);
  expect(readFileSync(logFile, "utf8")).toContain("EADDRINUSE");
  expect(host.startedAt).toBeGreaterThanOrEqual(preparedAt);
  expect(host.readyAt).toBeGreaterThan(Number(host.startedAt));
  expect(host.readyAt).toBeLessThan(performance.now());
});

// Whose a connection is, is read in /proc.
test.runIf(process.platform === "linux")(
  "an answer of another process is no sign that the server is ready",
  async () => {
    const { host, tried } = await serveBeside(createWebServer((_request, response) => void response.end()));
    expect(tried).toHaveLength(2);
    expect(host.url).toBe(`http://127.0.0.1:${tried[1]}`);
  },
);

test("a server that left the process that started it is ready, and no other process", async () => {
  const tried: number[] = [];
  const host = await serve("good", {
    command(port) {
      tried.push(port);
      const { file, args, ...rest } = commandOf("good", port);
      return { ...rest, file: "/bin/sh", args: ["-c", '("$@" &); exec sleep 600', "sh", file, ...args] };
    },
  });
  await host.stop();
  expect(tried).toHaveLength(1);
});

test("what another process has claimed is given to nobody here", async () => {
  // So many that two who knew nothing of each other would both have some of them.
  const claiming = `import { claimPort } from ${JSON.stringify(new URL("start-host.ts", import.meta.url))};
    console.log(JSON.stringify(await Promise.all(Array.from({ length: 500 }, () => claimPort(0)))));
    process.stdin.resume();`;
  const other = spawn(process.execPath, [...TYPE_STRIPPING, "--input-type=module", "--eval", claiming], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void other.kill());
  const [line] = await once(createInterface({ input: other.stdout }), "line");
  const taken = new Set<number>(JSON.parse(line));
  const own = await Promise.all(Array.from({ length: 500 }, () => claimPort(0)));
  expect(own.filter((port) => taken.has(port))).toEqual([]);
});

test.runIf(splitCores() !== null)(
  "a host with cores runs on these alone, under the server's own pid",
  async () => {
    const servers = splitCores()?.servers ?? "";
    const host = await serve("good", { cores: servers });
    const status = readFileSync(`/proc/${host.pids()[0]}/status`, "utf8");
    await host.stop();
    expect(/^Name:\s*(.*)$/m.exec(status)?.[1]).not.toBe("taskset");
    expect(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1]).toBe(servers);
  },
);

test("when the supervisor itself is killed, the server goes too and the host says so", async () => {
  const host = await serve("good");
  const [server = 0] = host.pids();
  const below = descendants(process.pid);
  const supervisor = below.find((pid) => pid !== server && descendants(pid).includes(server));
  process.kill(supervisor ?? 0, "SIGKILL");
  expect((await host.died).message).toMatch(/supervisor was ended from outside/);
  expect(await stillRunning([server])).toEqual([]);
  await host.stop();
});

function serveShared(behaviour: string, workers: number) {
  const command = (port: number) => {
    const alone = commandOf(behaviour, port);
    return { ...alone, ...sharedPortCommand(alone, workers) };
  };
  return serve(behaviour, { command });
}

// Other systems take SO_REUSEPORT, but hand all connections to one of the processes, or none at all.
describe.runIf(process.platform === "linux")("several servers behind one port", () => {
  test("all serve, one that is killed is replaced, and none outlives the host", async () => {
    const host = await serveShared("sharing", 3);
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
    await expect(serveShared("fail", 2)).rejects.toMatchObject({
      quotes: [expect.stringContaining("on purpose")],
    });
  });
});
