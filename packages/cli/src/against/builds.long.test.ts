import { appendFile, cp, readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { repositoryRoot } from "@evenbench/host/repository";
import { listTargets } from "@evenbench/runner";
import { beforeAll, expect, test } from "vitest";
import { runIn, start, testFolder, words } from "../../test/evenbench.ts";

const ONE_TARGET = words`--target node --no-build`;

const at = testFolder();
let place: string;
beforeAll(async () => {
  const { deployable } = (await listTargets()).find(({ name }) => name === "node") ?? {};
  if (deployable === undefined) throw new Error("There is no target node.");
  place = relative(repositoryRoot, deployable);
  for (const name of ["one", "again", "other"])
    await cp(deployable, join(at(name), place), { recursive: true });
  await appendFile(join(at("other"), place, "server.mjs"), "// Another build.\n");
});

/** Preflight asks each start twice, and finds nothing wrong with it. */
const SOUND_REQUESTS = 4;

/** Another build, which answers the case otherwise from so many requests on. */
async function addAltered(name: string, soundRequests: number, answer: string): Promise<void> {
  await cp(at("one"), at(name), { recursive: true });
  await appendFile(
    join(at(name), place, "server.mjs"),
    `
let asked = 0;
const sound = Server.prototype.emit;
Server.prototype.emit = function (event, request, response) {
  if (event !== "request" || request.url !== "/empty" || ++asked <= ${soundRequests}) return sound.call(this, ...arguments);
  ${answer}
  return true;
};
`,
  );
}

const compare = (...args: string[]) => start(["compare", ...args]).ended;

test("two builds of one target are measured in turns, in one run", async () => {
  const short = words`--case empty --time 1s --out ${at("runs")} --json`;
  const { code, stdout, stderr } = await compare("--builds", at("one"), at("other"), ...ONE_TARGET, ...short);
  expect(code, stderr).toBe(0);
  const { findings, equal, oneSided } = JSON.parse(stdout);
  expect(findings).toMatchObject([
    { caseId: "empty", target: "node", ratio: { estimate: expect.any(Number) } },
  ]);
  expect({ equal, oneSided }).toEqual({ equal: [], oneSided: [] });
  expect(await readdir(at("runs"))).toHaveLength(1);
});

test("older builds that send alike are measured, whatever the working copy's golden values are", async () => {
  const answer = 'response.setHeader("Content-Type", "text/plain").end("an older body");';
  await addAltered("older", 0, answer);
  await addAltered("later", 0, `${answer} // Another build.`);
  const short = words`--case empty --time 1s --out ${at("older runs")} --json`;
  const { code, stdout, stderr } = await compare(
    "--builds",
    at("older"),
    at("later"),
    ...ONE_TARGET,
    ...short,
  );
  expect(code, stderr).toBe(0);
  const { findings, oneSided, unfinished } = JSON.parse(stdout);
  expect(findings).toMatchObject([{ caseId: "empty", target: "node" }]);
  expect({ oneSided, unfinished }).toEqual({ oneSided: [], unfinished: [] });
  expect(stderr).not.toContain("golden");
  const { events } = JSON.parse(await readFile(join(await runIn(at("older runs")), "run.json"), "utf8"));
  expect(events).not.toContainEqual(expect.objectContaining({ kind: "golden-unconfirmed" }));
});

test("equal builds are not measured", async () => {
  const { code, stdout } = await compare(
    ...words`--builds ${at("one")} ${at("again")} --out ${at("none")}`,
    ...ONE_TARGET,
  );
  expect(code).toBe(0);
  expect(stdout).toContain("Not measured, because equal byte for byte: node.");
  await expect(readdir(at("none"))).rejects.toThrow("ENOENT");
});

test.each([
  { states: ["one", "failing"], dropped: "node.head" },
  { states: ["failing", "one"], dropped: "node.base" },
])(
  "$dropped that fails after preflight was passed is a failure with its reason",
  async ({ states, dropped }) => {
    await addAltered("failing", SOUND_REQUESTS, "response.writeHead(500).end();");
    const [base = "", head = ""] = states.map((state) => at(state));
    const short = words`--case empty --time 1s --out ${at(`${dropped} runs`)} --quiet`;
    const { code, stderr } = await compare("--builds", base, head, ...ONE_TARGET, ...short);
    const line = (name: string) =>
      new RegExp(`^evenbench: Not fully measured: ${name} was dropped from empty: .*status.*500`);
    // The base's A/A copy fails like the base, before it or after.
    const lines = stderr.trim().split("\n");
    for (const one of lines) expect(one).toMatch(line(`${dropped}(~copy)?`));
    expect(lines.filter((one) => line(dropped).test(one))).toHaveLength(1);
    expect(code).toBe(1);
  },
);

test("a build that does not start is named with the whole reason, and is a failure", async () => {
  await cp(at("one"), at("broken"), { recursive: true });
  await appendFile(join(at("broken"), place, "server.mjs"), "\nthrow new Error('no database');\n");
  const short = words`--case empty --out ${at("broken runs")}`;
  const { code, stderr } = await compare("--builds", at("one"), at("broken"), ...ONE_TARGET, ...short);
  expect(stderr).toMatch(/^evenbench: Not measured: node\. [\s\S]*no database/m);
  expect(code).toBe(1);
});

test("a case that only one state has is named, and the others are measured", async () => {
  await addAltered("without", 0, "response.writeHead(404).end();");
  const words = ["--builds", at("without"), at("one"), ...ONE_TARGET, "--case", "empty,math", "--json"];
  const { code, stdout, stderr } = await compare(...words, "--time", "1s", "--out", at("new case runs"));
  expect(code, stderr).toBe(0);
  const { findings, oneSided } = JSON.parse(stdout);
  expect(findings).toMatchObject([{ caseId: "math", target: "node" }]);
  expect(oneSided).toEqual([expect.stringMatching(/^empty on node is not compared: The status /)]);
});

test("a condition cannot pass where the changed target does other work in all cases, so that nothing is compared", async () => {
  await addAltered("otherwise", 0, 'response.end("another body");');
  const others = [...ONE_TARGET, "--case", "empty", "--out", at("unlike runs")];
  const words = ["--builds", at("one"), at("otherwise"), ...others];
  expect((await compare(...words)).code).toBe(0);
  const { code, stdout, stderr } = await compare(...words, "--fail-on", "slower 5%");
  expect(stdout).toContain("empty on node is not compared");
  expect(stderr).toContain("evenbench: --fail-on has nothing to act on for node");
  expect(code).toBe(3);
});

test.each([
  [["--builds", "one", "nowhere"], 1, "Name two checkouts that are built"],
  [["--builds", "one", "."], 1, "node is not in the other state, or is not built there."],
  [["one", "other", "--case", "empty"], 2, "--case is for two builds. Add --builds"],
])("what cannot be compared is one line: %j", async (args, exitCode, line) => {
  const placed = args.map((word) => (["one", "other", "nowhere", "."].includes(word) ? at(word) : word));
  const { code, stderr } = await compare(
    ...placed,
    "--no-build",
    ...(exitCode === 1 ? ["--target", "node"] : []),
  );
  expect(code).toBe(exitCode);
  expect(stderr.trim().split("\n")).toEqual([expect.stringContaining(line)]);
});
