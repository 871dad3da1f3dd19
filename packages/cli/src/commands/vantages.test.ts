// Before k6 is started or a log is read: what a plan or a log of a stranger cannot have.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { type Deployment, writeDeployments } from "@evenbench/deploy";
import { testPlan, writePlanFolder } from "@evenbench/vantages/testing";
import { beforeEach, expect, test, vi } from "vitest";
import { evenbench, testFolder, words } from "../../test/evenbench.ts";

const at = testFolder();
const TOKEN = "feedfacefeedfacefeedfacefeedface";
const DEPLOYMENT: Omit<Deployment, "url"> = {
  app: "bundle",
  platform: "node",
  name: "evenbench",
  state: "deployed",
  accountsUrl: null,
  digest: "",
  region: "us-east-1",
  at: "2026-11-22T10:00:00.000Z",
};

beforeEach(async () => {
  vi.stubEnv("K6", "no-k6");
  vi.stubEnv("EVENBENCH_TOKEN", TOKEN);
  const plan = testPlan();
  await mkdir(at("plan"), { recursive: true });
  const closed = plan.run.targets.map(({ name }) => name);
  await writeFile(at("plan/plan.json"), JSON.stringify({ ...plan, closed }));
});

const play = (...args: string[]) =>
  evenbench(...words`vantages run ${at("plan")} --deployments ${at("deployments.json")}`, ...args);
/** The words where nothing else was wrong: the next step is to start k6. */
const NO_K6 = /K6 is "no-k6"/;

test("the token goes to hosts that the user named or deployed to, whatever a plan says", async () => {
  await writeDeployments(at("deployments.json"), { schemaVersion: 1, token: null, deployments: [] });
  const here = words`--at here=local`;
  const unknown = await play(...here);
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^evenbench: node at https:\/\/node\.example serves only .*--token-for node\.example\.$/m,
    ),
  ]);
  const one = words`--token-for node.example`;
  expect((await play(...here, ...one)).stderr).toMatch(
    /cloudflare at https:\/\/cloudflare\.example serves only/,
  );
  const both = words`--token-for node.example,cloudflare.example`;
  expect((await play(...here, ...both)).stderr).toMatch(NO_K6);
  const wrong = await play(...here, ...words`--token-for evil.example`);
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringMatching(/no closed target of the plan is there/),
  ]);
  const deployments = ["node", "cloudflare"].map((name): Deployment => {
    return { ...DEPLOYMENT, platform: name, url: `https://${name}.example` };
  });
  vi.stubEnv("EVENBENCH_TOKEN", "");
  await writeDeployments(at("deployments.json"), { schemaVersion: 1, token: TOKEN, deployments });
  expect((await play(...here)).stderr).toMatch(NO_K6);
});

test("the token is not sent for everybody on the way to read", async () => {
  const text = await readFile(at("plan/plan.json"), "utf8");
  const plain = text.replaceAll("https://", "http://").replaceAll("HTTPS://", "http://");
  await writeFile(at("plan/plan.json"), plain);
  const { code, stderr } = await play(...words`--at here=local --token-for node.example,cloudflare.example`);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/to http:\/\/node\.example for everybody/)]);
});

test("targets of this machine are not those of another, which is said before anything is sent", async () => {
  const text = JSON.stringify(testPlan()).replaceAll("https://node.example", "http://127.0.0.1:9");
  const written = text.replace("https://NODE.EXAMPLE", "http://[::ffff:127.0.0.1]:9");
  await writeFile(at("plan/plan.json"), written);
  const said = /node is at http:\/\/127\.0\.0\.1:9, and for eu that is me@vm1 itself\./;
  expect((await play(...words`--at eu=ssh:me@vm1`)).stderr).toMatch(new RegExp(`! ${said.source} Plan for`));
  expect((await play(...words`--at here=local`)).stderr).not.toMatch(said);
  await writeFile(at("plan/plan.json"), written.replace('"closed":[]', '"closed":["node","node~copy"]'));
  const closed = await play(...words`--at eu=ssh:me@vm1`);
  expect([closed.code, closed.stderr]).toEqual([
    1,
    expect.stringMatching(`${said.source} Its token is not sent`),
  ]);
});

test("logs of which nothing counts make a run, and an exit code that says so", async () => {
  await writePlanFolder(at("failed"), [{ vantage: "eu" }]);
  const log = at("failed/logs/eu.log");
  const text = await readFile(log, "utf8");
  const failed = text.replaceAll('"error":null', '"error":{"kind":"status","detail":"HTTP 500"}');
  await writeFile(log, failed.replace('"failed":0', '"failed":198'));
  const { code, stderr } = await evenbench(...words`vantages collect ${at("failed")} --out ${at("results")}`);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/! Nothing in these logs counts/)]);
});
