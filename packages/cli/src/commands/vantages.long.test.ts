// From what was deployed to logs: real hosts of this machine, closed as deployed ones are, at addresses that
// were written down.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Host } from "@evenbench/core";
import { type Deployment, writeDeployments } from "@evenbench/deploy";
import { type LocalTarget, listTargets } from "@evenbench/runner";
import { planSchema } from "@evenbench/vantages";
import { NEEDS_K6, readLog } from "@evenbench/vantages/testing";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { evenbench } from "../../test/evenbench.ts";

const TOKEN = "feedfacefeedfacefeedfacefeedface";
const hosts: Host[] = [];
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-vantages-"));
  const targets = (await listTargets()).filter(({ name }) => ["node", "cloudflare"].includes(name));
  const deployments = [];
  for (const target of targets) deployments.push(await deployed(target));
  await writeDeployments(join(folder, "deployments.json"), { schemaVersion: 1, token: TOKEN, deployments });
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(async () => {
  await Promise.all(hosts.map((host) => host.stop()));
  await rm(folder, { recursive: true });
});

async function deployed({ name, deployable, platform }: LocalTarget): Promise<Deployment> {
  const host = await platform.serve({
    deployable,
    port: 0,
    logFile: join(folder, `${name}.log`),
    cores: null,
    workers: 1,
    v8Flags: [],
    token: TOKEN,
  });
  hosts.push(host);
  return {
    app: "bundle",
    platform: platform.id,
    name: "evenbench",
    state: "deployed",
    url: host.url,
    accountsUrl: null,
    digest: "unknown",
    region: "us-east-1",
    at: "2026-11-01T00:00:00.000Z",
  };
}

const plan = (...args: string[]) =>
  evenbench(
    "vantages",
    "plan",
    "--where",
    "deployed",
    "--no-build",
    "--allow",
    "build",
    "--baseline",
    "deployed-node",
    ...args,
    "--deployments",
    join(folder, "deployments.json"),
  );

test("a plan says what it will ask for, and its folder has what each engine needs, without the token", async () => {
  const out = join(await mkdtemp(join(folder, "plan-")), "plan");
  const { code, stdout, stderr } = await plan(
    "--case",
    "empty,length-by-copy",
    "--rounds",
    "4",
    "--trials",
    "2",
    "--warm-up",
    "3",
    "--out",
    out,
  );
  expect(code, stderr).toBe(0);
  // Three targets, two trials: 7 exchanges of each case, and 4 of text as long as the second one's.
  expect(stdout).toMatch(
    /Each client sends 108 requests and receives [\d.]+ MB, in 4 trials; that takes about/,
  );
  expect(stdout).toMatch(
    /cloudflare: 36 requests, [\d.]+ MB: at most \$[\d.e-]+ of CPU time; its requests and traffic/,
  );
  expect((await readdir(out)).toSorted()).toEqual([
    "README.md",
    "dlt.json",
    "kubernetes.yaml",
    "logs",
    "plan.json",
    "vantages.js",
  ]);
  for (const name of ["README.md", "dlt.json", "kubernetes.yaml", "plan.json", "vantages.js"]) {
    expect(await readFile(join(out, name), "utf8")).not.toContain(TOKEN);
  }
  const written = planSchema.parse(JSON.parse(await readFile(join(out, "plan.json"), "utf8")));
  if (written.kind !== "rounds") throw new Error("The plan is of another kind.");
  expect(written.counts).toMatchObject({ trials: 4, exchanges: 108 });
  expect(written.closed.toSorted()).toEqual(["deployed-cloudflare", "deployed-node", "deployed-node~copy"]);
  expect(written.cases.map(({ id, transfer }) => [id, transfer?.path.split("?")[0]])).toEqual([
    ["empty", undefined],
    ["length-by-copy", "/payload"],
  ]);
  const again = await plan("--case", "trig", "--out", out);
  expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/holds files already/)]);
});

test("what is planned is played, and every answer is the one that preflight saw", NEEDS_K6, async () => {
  const out = join(await mkdtemp(join(folder, "played-")), "plan");
  await plan(
    "--case",
    "empty,length-by-copy",
    "--rounds",
    "3",
    "--trials",
    "1",
    "--warm-up",
    "2",
    "--out",
    out,
  );
  const refused = await evenbench("vantages", "run", out, "--at", "here=local");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/EVENBENCH_TOKEN is not set/)]);
  vi.stubEnv("EVENBENCH_TOKEN", TOKEN);
  const { code, stdout, stderr } = await evenbench(
    "vantages",
    "run",
    out,
    "--at",
    "here=local",
    "--at",
    "eu=local",
    "--together",
  );
  expect(code, stderr).toBe(0);
  expect(stderr).toMatch(/! All vantages at the same time: they queue/);
  expect(stdout).toMatch(/eu: 39 requests, .*eu\.log/);
  const { end, exchanges } = readLog(await readFile(join(out, "logs", "here.log"), "utf8"));
  expect(end).toMatchObject({ exchanges: [39], failed: 0, stopped: null });
  expect(exchanges.every(({ instanceId, served }) => instanceId !== null && served !== null)).toBe(true);
});

test(
  "a load is planned, played by two machines together, and collected into a load run",
  NEEDS_K6,
  async () => {
    const at = await mkdtemp(join(folder, "load-"));
    const out = join(at, "plan");
    const planned = await evenbench(
      "load",
      "--engine",
      "k6",
      "--where",
      "deployed",
      "--target",
      "deployed-node",
      "--deployments",
      join(folder, "deployments.json"),
      "--allow",
      "build",
      "--case",
      "empty",
      "--rate",
      "40",
      "--connections",
      "4",
      "--trials",
      "1",
      "--time",
      "16s",
      "--machines",
      "2",
      "--plan",
      out,
    );
    expect(planned.code, planned.stderr).toBe(0);
    // 2 s are left of 16 for the stage, and four more requests open connections.
    expect(planned.stdout).toMatch(
      /^2 machines together send 84 requests .* in 1 stage; that takes 16 s\.\n {2}node: 84 requests/,
    );
    vi.stubEnv("EVENBENCH_TOKEN", TOKEN);
    const alone = await evenbench("vantages", "run", out, "--at", "a=local");
    expect([alone.code, alone.stderr]).toEqual([
      1,
      expect.stringMatching(/divided among 2 machines, and 1 is/),
    ]);
    const played = await evenbench("vantages", "run", out, "--at", "a=local", "--at", "b=local");
    expect(played.code, played.stderr).toBe(0);
    const { code, stdout, stderr } = await evenbench(
      "vantages",
      "collect",
      out,
      "--out",
      join(at, "results"),
    );
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/Requests were sent by k6 [\d.]+ on 2 machines \(a 1\/2, b 2\/2\)/);
    const [run = ""] = await readdir(join(at, "results"));
    expect(await readdir(join(at, "results", run))).toEqual(
      expect.arrayContaining(["load.html", "load.json", "samples.ndjson"]),
    );
  },
);

test.each([
  [
    ["--target", "node", "--engine", "k6", "--rate", "9", "--plan", "p"],
    /node runs on this machine only.*--where deployed/,
  ],
  [["--rate", "9", "--plan", "p"], /Only k6 plays a plan for several machines\. Add --engine k6 --rate/],
  [
    ["--engine", "k6", "--rate", "9", "--plan", "p", "--machines", "65"],
    /65 machines need a connection each/,
  ],
  [
    ["--target", "mine=http://127.0.0.1:9", "--engine", "k6", "--rate", "9", "--plan", "p", "--time", "1s"],
    /3 stages of a case need at least 48 s/,
  ],
  [["--engine", "k6", "--rate", "9", "--plan", "p", "--region", "EU"], /"EU" cannot name a region/],
])("load --case trig %j is refused in one line", async (args, message) => {
  const { code, stderr } = await evenbench("load", "--case", "trig", ...args);
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
});

test.each([
  [["plan", "--case", "trig", "--out", "p"], /runs on this machine only.*--where deployed/],
  [
    ["plan", "--target", "mine=https://worker.example", "--region", "EU"],
    /required option '-o, --out <folder>'/,
  ],
  [
    ["plan", "--target", "mine=https://worker.example", "--region", "EU", "--out", "p"],
    /"EU" cannot name a region/,
  ],
  [["run", "p", "--at", "eu"], /"eu" is not a vantage/],
  [["run", "p"], /required option '--at <vantage\.\.\.>'/],
  [["plam"], /unknown command 'plam'/],
])("vantages %j is refused with exit code 2 and a clear line", async (args, message) => {
  const { code, stderr } = await evenbench("vantages", ...args);
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
});
