// Distributed Load Testing on AWS runs k6 through Taurus (bzt), with what `dlt.json` says; here Taurus itself is run.
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { findProgram } from "@evenbench/host/services";
import { needs } from "@evenbench/host/services/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { caseOf, K6, planOf, startCountingServer } from "../../test/index.ts";
import { SCRIPT_FILE } from "../protocol/plan.ts";
import { HOW_TO_GET_K6 } from "../run/find-k6.ts";
import { runToEnd } from "../run/spawn-client.ts";
import { bundleScript } from "./bundle-script.ts";
import { dltJson } from "./dlt.ts";
import { embedPlan } from "./embed.ts";

const BZT = await findProgram(process.env.BZT || "bzt");
const NEEDS_TAURUS = needs(
  K6 === ""
    ? HOW_TO_GET_K6
    : BZT === null
      ? "Taurus is not installed. Install it with: pip install bzt (or name it by BZT=<path>)"
      : null,
);
const TOKEN = "feedfacefeedfacefeedfacefeedface";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-vantages-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("a test has one client in each region, at most five, and the time for its plan", () => {
  const plan = planOf({
    targets: { node: "http://127.0.0.1:9" },
    cases: (targets) => [caseOf("trig", targets)],
  });
  const regions = ["us-east-1", "eu-central-1", "ap-northeast-1", "sa-east-1", "eu-west-1", "us-west-2"];
  const counts = { ...plan.counts, expectedMs: 10 * 60_000 };
  const test = JSON.parse(dltJson({ ...plan, counts }, regions));
  expect(test.testTaskConfigs).toEqual(
    regions.slice(0, 5).map((region) => ({ region, taskCount: 1, concurrency: 1 })),
  );
  expect(test.testScenario.execution[0]["hold-for"]).toBe("32m");
});

test("Taurus plays the plan once, and the lines come back in its .err file", NEEDS_TAURUS, async () => {
  await using server = await startCountingServer();
  const plan = planOf({
    targets: { node: server.origin },
    cases: (targets) => [caseOf("trig", targets)],
    isClosed: true,
  });
  const script = join(folder, SCRIPT_FILE);
  // As our README says for closed targets: there is no way to give it variables.
  const token = `globalThis.EVENBENCH_TOKEN = "${TOKEN}";\n`;
  await writeFile(script, token + (await bundleScript(embedPlan(plan))));
  const [execution] = JSON.parse(dltJson(plan, ["eu-central-1"])).testScenario.execution;
  const config = {
    execution: [{ ...execution, executor: "k6", concurrency: 1, "hold-for": "8s" }],
    scenarios: { [execution.scenario]: { script } },
    modules: { console: { disable: true } },
    settings: { "artifacts-dir": join(folder, "artifacts"), "check-updates": false },
  };
  await writeFile(join(folder, "test.json"), JSON.stringify(config));
  // It looks for a program of this name.
  await symlink(K6, join(folder, "k6"));
  const { code } = await runToEnd({
    file: BZT ?? "bzt",
    args: [join(folder, "test.json")],
    env: { AWS_REGION: "eu-central-1", HOME: folder, PATH: `${folder}${delimiter}${process.env.PATH}` },
  });
  expect(code, await readFile(join(folder, "artifacts", "bzt.log"), "utf8")).toBe(0);
  const files = (await readdir(join(folder, "artifacts"))).filter((name) => name.endsWith(".err"));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, "artifacts", name), "utf8")));
  // k6 puts its own words around each line, in quotes, since nobody there asks for raw ones.
  const lines = texts.join("").match(/"evenbench\\":\\"\w+\\"/g) ?? [];
  const kinds = lines.map((line) => line.split('"')[3]?.slice(0, -1));
  const { exchanges } = plan.counts;
  expect(kinds).toEqual(["begin", ...Array.from({ length: exchanges }, () => "exchange"), "end"]);
  expect(texts.join("")).toContain('\\"vantage\\":\\"eu-central-1\\"');
  expect(server.requests).toHaveLength(plan.counts.exchanges);
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
});
