// From what was deployed to logs: real hosts of this machine, closed as deployed ones are, at addresses that
// were written down.
import { readdir, readFile } from "node:fs/promises";
import { writeDeployments } from "@evenbench/deploy";
import { serveDeployed } from "@evenbench/deploy/testing";
import { NEEDS_K6 } from "@evenbench/load/testing/k6";
import type { LoadSample } from "@evenbench/results";
import { listTargets } from "@evenbench/runner";
import { planSchema } from "@evenbench/vantages";
import { writePlanFolder } from "@evenbench/vantages/testing";
import { beforeAll, expect, test } from "vitest";
import { evenbench, runIn, succeeded, testFolder, words } from "../../test/evenbench.ts";

const TOKEN = "feedfacefeedfacefeedfacefeedface";
const at = testFolder();
const file = () => at("deployments.json");
beforeAll(async () => {
  const targets = (await listTargets()).filter(({ name }) => ["node", "cloudflare"].includes(name));
  const served = await Promise.all(targets.map((target) => serveDeployed(target, at(), TOKEN)));
  const deployments = served.map(({ deployment }) => deployment);
  await writeDeployments(file(), { schemaVersion: 1, token: TOKEN, deployments });
  return () => Promise.all(served.map(({ host }) => host.stop()));
});

const plan = (...args: string[]) =>
  evenbench(
    ...words`vantages plan --deployed ${file()} --no-build --allow build --baseline deployed-node`,
    ...args,
  );

test("a plan says what it will ask for, and its folder has what each engine needs, without the token", async () => {
  const out = at("plan");
  const { stdout } = await succeeded(
    plan(...words`--case empty,length-by-copy --rounds 4 --trials 2 --warm-up 3 --out ${out}`),
  );
  // Three targets, two trials: 7 exchanges of each case, and 4 of text as long as the second one's.
  expect(stdout).toMatch(/\b108 requests\b.*\b4 trials\b/);
  const made = ["README.md", "dlt.json", "kubernetes.yaml", "plan.json", "vantages.js"];
  expect((await readdir(out)).toSorted()).toEqual([...made, "logs"].toSorted());
  for (const name of made) {
    expect(await readFile(at("plan", name), "utf8")).not.toContain(TOKEN);
  }
  const written = planSchema.parse(JSON.parse(await readFile(at("plan/plan.json"), "utf8")));
  if (written.kind !== "rounds") {
    throw new Error("The plan is of another kind.");
  }
  expect(written.closed.toSorted()).toEqual(["deployed-cloudflare", "deployed-node", "deployed-node~copy"]);
  expect(written.cases.map(({ id, transfer }) => [id, transfer?.path.split("?")[0]])).toEqual([
    ["empty", undefined],
    ["length-by-copy", "/payload"],
  ]);
  const play = (...args: string[]) => evenbench(...words`vantages run ${out}`, ...args);
  const unlisted = await play(...words`--at here=local --deployments ${at("none.json")}`);
  expect([unlisted.code, unlisted.stderr]).toEqual([1, expect.stringContaining("--deployments")]);
  const there = await play(...words`--at eu=ssh:me@vm1 --deployments ${file()}`);
  expect([there.code, there.stderr]).toEqual([
    1,
    expect.stringMatching(/http:\/\/127\.0\.0\.1:\d+.* me@vm1 /),
  ]);
  const again = await plan("--case", "trig", "--out", out);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(out)]);
});

const oneLoad = () => words`--deployed ${file()} --target deployed-node --allow build`;

test(
  "a load is planned, played by two machines together, and collected into a load run",
  NEEDS_K6,
  async () => {
    const out = at("load");
    const results = at("load results");
    const args = words`--case empty --rate 40 --connections 4 --trials 1 --stage 2s --machines 2 --out ${out}`;
    const planned = await succeeded(evenbench(...words`vantages plan`, ...oneLoad(), ...args));
    expect(planned.stdout).toMatch(/^2 machines .*\b84 requests\b/);
    const play = words`vantages run ${out} --deployments ${file()} --at a=local`;
    const alone = await evenbench(...play);
    expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining("--machines 1")]);
    await succeeded(evenbench(...play, ...words`--at b=local`));
    await succeeded(evenbench(...words`vantages collect ${out} --out ${results}`));
    const made = await runIn(results);
    const files = await readdir(made);
    expect(files).toEqual(expect.arrayContaining(["load.html", "load.json", "samples.ndjson"]));
    const run = JSON.parse(await readFile(`${made}/load.json`, "utf8"));
    expect(run).toMatchObject({ status: "complete", machine: null, stages: [{ ended: null }] });
    const [{ sent, dropped }] = run.stages;
    expect(sent + dropped).toBe(80);
    const lines = (await readFile(`${made}/samples.ndjson`, "utf8")).trimEnd().split("\n");
    const samples: LoadSample[] = lines.map((line) => JSON.parse(line));
    expect(samples.every(({ error }) => error === null)).toBe(true);
    // Nobody sends what is another one's to send, and each connection belongs to one machine.
    expect(new Set(samples.map(({ intendedAtMs }) => Math.round(intendedAtMs / 25))).size).toBe(sent);
    expect(new Set(samples.map(({ connection }) => connection)).size).toBeLessThanOrEqual(4);
  },
);

test("logs of three vantages are collected into a run, and reported", async () => {
  await writePlanFolder(at("logged"), [
    { vantage: "eu", otherMs: 5 },
    { vantage: "here", routeMs: 1, otherMs: 5 },
    { vantage: "us", routeMs: 80, otherMs: 5 },
  ]);
  const collect = words`vantages collect ${at("logged")} --out ${at("collected")}`;
  const { code, stdout, stderr } = await evenbench(...collect);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^trig .* ▶ \+[45](\.\d+)? ms /m);
  const files = await readdir(await runIn(at("collected")));
  expect(files).toEqual(expect.arrayContaining(["report.html", "run.json", "samples.ndjson"]));
});
