import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "@evenbench/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { testFolder } from "../test/folder.ts";
import { descendants, stillRunning } from "../test/processes.ts";
import { startedWith } from "./process-tree.ts";
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

// One that leaves the foreground, as a daemon does: what serves is in a session of its own. It says which
// process that is.
const DAEMON = `
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
const [script, endsAtFile, env] = process.argv.slice(2);
const server = spawn(process.execPath, [script], {
  detached: true,
  stdio: "ignore",
  env: env === "bare" ? { PORT: process.env.PORT } : process.env,
});
server.unref();
console.log("serves as " + server.pid);
setInterval(() => existsSync(endsAtFile) && process.exit(0), 20);
`;
writeFileSync(join(folder, "daemon.mjs"), DAEMON);
// One that says in the log what it is asked.
const SPEAKING = `
import { createServer } from "node:http";
createServer((request, response) => {
  const { "x-a": own, accept, "accept-encoding": encoding, "user-agent": agent, connection } = request.headers;
  console.log(request.method, request.url, own, accept, encoding, agent, connection);
  response.end("answer");
}).listen(Number(process.env.PORT), "127.0.0.1", () => console.log("listening"));
`;
writeFileSync(join(folder, "speaking.mjs"), SPEAKING);

const AN_HOUR_MS = 3_600_000;

interface Served {
  readonly method?: string;
  readonly readyWithinMs?: number;
  readonly signal?: AbortSignal;
  readonly environment?: Readonly<Record<string, string>>;
}

async function serve(
  command: string,
  { method = "GET", readyWithinMs = AN_HOUR_MS, signal, environment = { NAMED: "1" } }: Served = {},
): Promise<Host> {
  rmSync(logFile, { force: true });
  const body = method === "POST" ? Buffer.from('{"n":1}') : null;
  const request = { readyPath: "/a?b=c", method, headers: { "x-a": "1" }, body };
  const ownCommand = { command, folder, ...request, readyWithinMs, environment };
  const host = await serveCommand(ownCommand, { port: 0, logFile, cores: null, ...(signal && { signal }) });
  onTestFinished(() => host.stop());
  return host;
}

/** Starts a command that never becomes ready, and gives up once its log says what it is given up for. */
async function giveUp(command: string, said: RegExp, method = "GET"): Promise<string> {
  const over = new AbortController();
  const failed = serve(command, { method, signal: over.signal }).then(String, String);
  await expect.poll(() => logged(said)).toBeDefined();
  over.abort();
  return failed;
}

const logged = (pattern: RegExp) =>
  existsSync(logFile) ? pattern.exec(readFileSync(logFile, "utf8"))?.[1] : undefined;

async function ask({ url }: Host): Promise<{ pid: number; env: Record<string, string>; cwd: string }> {
  return JSON.parse(await (await fetch(`${url}/ask`)).text());
}

test("a command runs in its folder, for production, with a port on the loopback interface and the variables that the user named", async () => {
  vi.stubEnv("MY_OWN_SECRET", "1");
  vi.stubEnv("EVENBENCH_TOKEN", "1");
  const host = await serve("node server.mjs");
  const { env, cwd } = await ask(host);
  expect(env).toMatchObject({ NODE_ENV: "production", HOST: "127.0.0.1", NAMED: "1" });
  expect(host.url).toBe(`http://127.0.0.1:${env.PORT}`);
  for (const name of ["MY_OWN_SECRET", "EVENBENCH_TOKEN", "NODE_OPTIONS"]) {
    expect(env).not.toHaveProperty(name);
  }
  expect(cwd.endsWith(folder)).toBe(true);
});

test("what ends early is told with its exit code, its last words and what next", async () => {
  await expect(serve("echo no database; exit 3")).rejects.toMatchObject({
    message: expect.stringMatching(
      /The command "echo no database; exit 3" did not start: before http.*\/a\?b=c answered, its process ended with exit code 3\.\nIt must stay in the foreground.*PORT\.$/,
    ),
    quotes: [expect.stringMatching(/^Last lines of .*command\.log:\n {2}\| no database$/)],
  });
});

test("what cannot be started is told why, and not what a server must do", async () => {
  const environment = { BLOB: "x".repeat(2_000_000) };
  await expect(serve("node server.mjs", { environment })).rejects.toThrow(
    /its process could not run: .* BLOB, with 2000000 bytes: shorten it, or leave it out\.$/,
  );
});

test("what never answers is told, and ended", async () => {
  const failure = await giveUp("echo pid $$; exec sleep 600", /pid (\d+)/);
  expect(failure).toMatch(/not ready within 3600 s \(.+\nIt must listen on 127\.0\.0\.1/);
  expect(await stillRunning([Number(logged(/pid (\d+)/))])).toEqual([]);
});

test("a command has the time that it is given, and no more", async () => {
  await expect(serve("exec sleep 600", { readyWithinMs: 100 })).rejects.toThrow(/not ready within 0\.1 s/);
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

const OWN_PACKAGE = { name: "own", private: true, scripts: { start: "cd . && node server.mjs" } };

// Which process is a package manager is read in /proc.
test
  .runIf(process.platform === "linux")
  .each(["npm start", "cd . && npm run --silent start", "node npm-cli.cjs"])(
  "of %j only what the package manager starts is measured",
  async (command) => {
    writeFileSync(join(folder, "package.json"), JSON.stringify(OWN_PACKAGE));
    writeFileSync(
      join(folder, "npm-cli.cjs"),
      DETACHED.replace(/^import (.*) from/m, "const $1 = require(").replace(
        'child_process"',
        'child_process")',
      ),
    );
    const asked = performance.now();
    const host = await serve(command);
    const { pid } = await ask(host);
    expect(host.pids()).toEqual([pid]);
    const startedAt = Number(host.startedAt);
    expect(startedAt).toBeGreaterThan(asked);
    expect(startedAt).toBeLessThan(performance.now());
    await host.stop();
    expect(await stillRunning([pid])).toEqual([]);
  },
);

test.runIf(process.platform === "linux")("the NODE_ENV that a command gives its server is seen", async () => {
  const host = await serve("NODE_ENV=development exec node server.mjs");
  expect(startedWith("NODE_ENV", host.pids())).toEqual(["development"]);
});

test.runIf(process.platform === "linux")(
  "a package manager that a server starts is the server's",
  async () => {
    writeFileSync(join(folder, "npm-cli.cjs"), "setInterval(() => {}, 1000);");
    const starts = `import { spawn } from "node:child_process";
    spawn(process.execPath, ["npm-cli.cjs"], { stdio: "ignore" });
    await import("./server.mjs");`;
    writeFileSync(join(folder, "starts-npm.mjs"), starts);
    const host = await serve("exec node starts-npm.mjs");
    const { pid } = await ask(host);
    expect(host.pids()).toEqual([pid, ...descendants(pid)]);
    expect(host.pids()).toHaveLength(2);
  },
);

// What left the foreground is found by its mark, in /proc.
test.runIf(process.platform === "linux").each([
  ["its environment as it was", "all"],
  ["another environment", "bare"],
])(
  "a command that leaves the foreground is told so, and what serves is ended: with %s",
  async (_, environment) => {
    const host = await serve(`exec node daemon.mjs server.mjs ${environment}.end ${environment}`);
    const { pid } = await ask(host);
    writeFileSync(join(folder, `${environment}.end`), "");
    expect(logged(/serves as (\d+)/)).toBe(String(pid));
    expect((await host.died).message).toMatch(
      new RegExp(
        `left the foreground \\(.*exit code 0, and pid ${pid} went on\\)[\\s\\S]*Start it in the foreground`,
      ),
    );
    expect(await stillRunning([pid])).toEqual([]);
  },
);

test.runIf(process.platform === "linux")(
  "a command that leaves the foreground before it answers does not start, and leaves no process",
  async () => {
    writeFileSync(join(folder, "idle.mjs"), "setInterval(() => {}, 1000);");
    const failed = serve("exec node daemon.mjs idle.mjs idle.mjs all");
    await expect(failed).rejects.toThrow(
      /answered, its process left the foreground[\s\S]*nginx -g "daemon off;", or gunicorn without --daemon\.\n/,
    );
    expect(await stillRunning([Number(logged(/serves as (\d+)/))])).toEqual([]);
  },
);

test("what left the foreground is ended with its command", async () => {
  const host = await serve("node daemon.mjs server.mjs never all & wait");
  const { pid } = await ask(host);
  await host.stop();
  expect(await stillRunning([pid])).toEqual([]);
});

test.each([
  ["GET", ["GET /a?b=c 1 */* identity evenbench keep-alive"]],
  ["HEAD", ["HEAD /a?b=c 1 */* identity evenbench keep-alive"]],
  ["POST", ["POST /a?b=c 1 */* identity evenbench keep-alive"]],
])(
  "a command that is measured by %s is asked no other way for whether it is ready",
  async (method, asked) => {
    const host = await serve("exec node speaking.mjs", { method });
    await expect.poll(() => logged(/(listening)/)).toBeDefined();
    await host.stop();
    expect(readFileSync(logFile, "utf8").trim().split("\n")).toEqual(["listening", ...asked]);
  },
);

test.each([
  ["another protocol", "SSH-2.0-OpenSSH_9.6\\r\\n"],
  ["headers that are too long", `HTTP/1.1 200 OK\\r\\nx: ${"y".repeat(20_000)}\\r\\n\\r\\n`],
])("a server that answers with %s is not waited for", async (name, answer) => {
  const file = `${name.replaceAll(" ", "-")}.mjs`;
  writeFileSync(
    join(folder, file),
    `import { createServer } from "node:net";
    createServer((socket) => socket.on("error", () => {}).once("data", () => socket.end("${answer}")))
      .listen(process.env.PORT, process.env.HOST);`,
  );
  await expect(serve(`exec node ${file}`)).rejects.toThrow(
    /cannot be measured: .*\nCorrect what it sends(?![\s\S]*below 500)/,
  );
});

const LISTENS = `
import { createServer } from "node:net";
const [, , port, host] = process.argv;
createServer().listen(port || process.env.PORT, host, () => console.log("listening"));
`;
writeFileSync(join(folder, "listens.mjs"), LISTENS);

// Where processes listen is read in /proc.
test.runIf(process.platform === "linux")(
  "a server on another address is named, and not waited for",
  async () => {
    await expect(serve("exec node listens.mjs '' ::1")).rejects.toThrow(
      /did not start: http:\S+ cannot be measured: it listens on \[::1\]:\d+\.\nIt must listen on 127\.0\.0\.1/,
    );
  },
);

test.runIf(process.platform === "linux")("a server on another port is named", async () => {
  expect(await giveUp("exec node listens.mjs 0 127.0.0.1", /(listening)/)).toMatch(
    /ECONNREFUSED.*; it listens on 127\.0\.0\.1:\d+\)\.\nIt must listen/,
  );
});

// One that listens before it is ready, and ends by a request that it cannot read, as an unguarded JSON.parse does.
const EARLY = `
import { createServer } from "node:http";
let asked = 0;
createServer(async (request, response) => {
  const text = Buffer.concat(await request.toArray()).toString();
  const { n } = JSON.parse(text);
  asked += 1;
  console.log(request.method, "n=" + n, "length=" + request.headers["content-length"]);
  response.writeHead(asked < 3 ? 503 : 201).end("order " + n);
}).listen(Number(process.env.PORT), "127.0.0.1");
`;
writeFileSync(join(folder, "early.mjs"), EARLY);

test("a command that listens before it is ready is asked with the measured body until it answers below 500", async () => {
  const host = await serve("exec node early.mjs", { method: "POST" });
  await host.stop();
  const asked = readFileSync(logFile, "utf8").trim().split("\n");
  expect(asked).toEqual(Array.from({ length: 3 }, () => "POST n=1 length=7"));
});

test("a command that never answers POST below 500 is told with its status and what it must do", async () => {
  const server = `let asked = 0;
    require("node:http").createServer((_, r) => {
      console.log("asked " + ++asked);
      r.writeHead(503).end();
    }).listen(process.env.PORT, "127.0.0.1")`;
  writeFileSync(join(folder, "never.cjs"), server);
  // It is asked again once its first answer was read.
  expect(await giveUp("exec node never.cjs", /asked (2)/, "POST")).toMatch(
    /not ready within 3600 s \(HTTP 503\)[\s\S]*answer POST \/a\?b=c, sent as it is measured, with a status below 500/,
  );
});
