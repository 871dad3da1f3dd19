import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { join } from "node:path";
import { stillRunning } from "@evenbench/host/testing";
import { listen } from "@evenbench/probe/testing";
import { type Run, readRun } from "@evenbench/results";
import { generate } from "selfsigned";
import { beforeAll, expect, test } from "vitest";
import { evenbench, runIn, start, succeeded, testFolder, words } from "../test/evenbench.ts";

/** Writes its pid down, and sends what NAME says at /named and the time at /now. */
const SERVER = `
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
const { NAME = "", PIDS, PORT } = process.env;
appendFileSync(PIDS, process.pid + "\\n");
createServer((request, response) => {
  let sum = 0;
  for (let index = 0; index < 2e6; index++) sum += Math.sqrt(index);
  response.setHeader("content-type", "text/plain");
  response.setHeader("set-cookie", "a=b");
  const { cookie = "no cookie", "x-key": key = "no key" } = request.headers;
  if (request.url === "/named") response.end(NAME);
  else if (request.url === "/now") response.end("at " + process.hrtime.bigint());
  else response.end([request.method, cookie, key, sum > 0].join());
}).listen(Number(PORT), "127.0.0.1");
`;

const at = testFolder();
let pids: string;
beforeAll(async () => {
  pids = at("pids");
  await writeFile(at("server.mjs"), SERVER);
  await writeFile(at("body.json"), "{}");
});

const command = (name: string) => `${name}=cmd: PIDS=${pids} NAME=${name} exec node ${at("server.mjs")}`;
const SHORT = words`--trials 2 --time 1s`;
const two = () => ["--target", command("old"), "--target", command("new"), ...SHORT];

/** Measures in a folder of its own, as whoever measures something else than this repository. */
async function measure(name: string, ...args: string[]) {
  await writeFile(pids, "");
  const ended = await start(["run", ...args, "--out", at(name)], { cwd: at() }).ended;
  return { ...ended, folder: await runIn(at(name)) };
}

const startedPids = async () => (await readFile(pids, "utf8")).trim().split("\n").map(Number);

test("two commands are measured like ours: fresh for each trial, with CPU time and memory, beside a copy, equal but for what is masked, and nothing is built", async () => {
  const header = ["--header", "x-key: secret"];
  const result = await succeeded(
    measure("equal", ...two(), ...words`--path /a --path /now --mask \d{3,}`, ...header),
  );
  expect(result.stderr).not.toContain("Building");
  const { run, samples } = await readRun(result.folder);
  expect(run.status).toBe("complete");
  expect(run.plan.targets).toMatchObject([
    { name: "old", platform: null, command: command("old").slice("old=cmd: ".length) },
    { name: "new" },
    { name: "old~copy", copyOf: "old" },
  ]);
  // Two for preflight, and for each of two cases two trials; the first has a copy there.
  const started = await startedPids();
  expect(new Set(started).size).toBe(started.length);
  expect(started).toHaveLength(2 * 2 + 2 * 2 * 3);
  expect(await stillRunning(started)).toEqual([]);
  expect(run.usage).toHaveLength(2 * 2 * 3);
  for (const { residentBytes } of run.usage) {
    expect(residentBytes).toBeGreaterThan(20e6);
  }
  // The kernel may account at its clock ticks alone, and a trial is short.
  expect(run.usage.reduce((sum, { cpuMs }) => sum + cpuMs, 0)).toBeGreaterThan(0);
  const measured = samples.filter(({ caseId, phase }) => caseId === "a" && phase === "measure");
  // In each round of two trials, each of the three is asked once.
  expect(measured.length).toBeGreaterThan(0);
  expect(measured.length % (2 * 3)).toBe(0);
  expect(measured.every(({ error, cpuMs }) => error === null && cpuMs !== null)).toBe(true);
  expect(samples.every(({ caseId, error }) => caseId !== "now" || error === null)).toBe(true);
  expect(run.events.some(({ kind }) => kind === "work-unproven")).toBe(false);
  for (const file of ["run.json", "report.html", "report.md"]) {
    expect(await readFile(join(result.folder, file), "utf8")).not.toContain("secret");
  }
});

const DIFFERING = words`--path /named --path /a`;

test("answers that differ end the run before anything is measured", async () => {
  const { code, stderr } = await measure("differing", ...two(), ...DIFFERING);
  expect(code).toBe(1);
  expect(stderr).toMatch(/\/named .*"old" from old; "new" from new/);
  expect(await stillRunning(await startedPids())).toEqual([]);
});

test("answers that differ are compared where the work is assumed to be the same, and every output says so", async () => {
  const args = [...two(), ...DIFFERING, "--same-work", "assumed"];
  const { stdout, folder: run } = await succeeded(measure("assumed", ...args));
  const unproven = /Answers differ, and were compared all the same|"unproven-work"/;
  expect(stdout).toMatch(unproven);
  const { stdout: compared } = await evenbench("compare", run, run);
  expect(compared).toMatch(unproven);
  for (const file of ["report.md", "report.html", "facts.json"]) {
    expect(await readFile(join(run, file), "utf8"), file).toMatch(unproven);
  }
  expect(await readFile(join(run, "facts.csv"), "utf8")).toMatch(/^named,[^,]*,new,new,old,/m);
  const gallery = at("gallery");
  await evenbench("site", run, "--out", gallery);
  expect(await readFile(join(gallery, "index.html"), "utf8")).toMatch(unproven);
});

test("one target is measured beside its copy, with the method and body that were given, and no cookie", async () => {
  const args = ["--target", command("old"), ...SHORT, ...words`--path /a --body ${at("body.json")}`];
  const { stderr, stdout, folder: run } = await succeeded(measure("single", ...args));
  expect(stderr).toContain("There is one target, so nothing is compared");
  expect(stdout).toContain("Nothing was compared.");
  const record: Run = JSON.parse(await readFile(join(run, "run.json"), "utf8"));
  expect(record.plan.cases[0]?.request).toMatchObject({ method: "POST", body: { bytes: 2 } });
  expect(record.events.map(({ detail }) => detail).join()).toContain(
    "old set a cookie with /a; no request sends it back",
  );
});

test("Ctrl-C while a command does not answer ends at once, and leaves no process", async () => {
  await writeFile(pids, "");
  const args = ["--target", `old=cmd: echo $$ >> ${pids}; exec sleep 1000`, "--out", at("silent")];
  const { child, ended } = start(["run", ...args], { cwd: at() });
  await expect.poll(() => readFile(pids, "utf8")).not.toBe("");
  child.kill("SIGINT");
  const { code, stderr } = await ended;
  expect(code, stderr).toBe(130);
  expect(await stillRunning(await startedPids())).toEqual([]);
});

test("over HTTPS a certificate that nobody trusts is told with what next; with one that is trusted, URLs are measured, none beside a copy, which would be the same process", async () => {
  const { cert, private: key } = await generate(undefined, {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
  });
  await writeFile(at("certificate.pem"), cert);
  const serve = async () => {
    const server = createServer({ key, cert }, (_, response) => {
      response.setHeader("content-type", "text/plain").end("hello");
    });
    return (await listen(server)).replace("http", "https");
  };
  const a = await serve();
  const b = await serve();
  const args = [...words`run --target a=${a} --target b=${b} --path / --out`, at("urls"), ...SHORT];
  const untrusted = await evenbench(...args);
  expect(untrusted.code).toBe(1);
  expect(untrusted.stderr).toMatch(/https:\S+ .*\(DEPTH_ZERO/);
  expect(untrusted.stderr).toContain("NODE_EXTRA_CA_CERTS");
  await rm(at("urls"), { recursive: true, force: true });

  const env = { ...process.env, NODE_EXTRA_CA_CERTS: at("certificate.pem") };
  await succeeded(start(args, { env }).ended);
  const { samples, run: record } = await readRun(await runIn(at("urls")));
  expect(record.plan.targets.map(({ name, place, url: at }) => [name, place, at])).toEqual([
    ["a", "url", a],
    ["b", "url", b],
  ]);
  expect(samples.every(({ caseId, error }) => caseId !== "root" || error === null)).toBe(true);
});

test("a server of one's own is profiled by its path: the process that serves, below a package manager", async () => {
  await mkdir(at("profiled"));
  // V8 may inline a handler into Node.js's own code, but never all of a recursion.
  await writeFile(
    at("profiled/server.mjs"),
    `import { createServer } from "node:http";
const fibonacci = (n) => (n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2));
createServer((_, response) => response.end(String(fibonacci(25)))).listen(process.env.PORT, "127.0.0.1");
`,
  );
  await writeFile(at("profiled/package.json"), '{ "scripts": { "start": "node server.mjs" } }');
  const out = at("profiles");
  const args = ["profile", "--target", "new=cmd: npm start", ...words`--path /x --time 500ms --out ${out}`];
  const { stdout } = await succeeded(start(args, { cwd: at("profiled") }).ended);
  expect(stdout).toMatch(/your code +[\d.]+ %/);
  expect(stdout).toMatch(/new \(Node\.js \d/);
  const folder = await runIn(out);
  expect(stdout).toContain(`${folder}/*.cpuprofile`);
  expect((await readdir(folder)).sort()).toEqual(words`logs new.cpuprofile profile.json`);
});
