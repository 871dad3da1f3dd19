import { appendFile, cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { repositoryRoot } from "@evenbench/host/repository";
import type { Facts } from "@evenbench/report";
import { listTargets } from "@evenbench/runner";
import { beforeAll, expect, test } from "vitest";
import { runIn, start, succeeded, testFolder, words } from "../../test/evenbench.ts";
import { chooseOfRepository, isLocal } from "../selection.ts";
import { measurePairs, pairOf } from "./measure.ts";

const ONE_TARGET = words`--target node`;

const at = testFolder();
let place: string;
beforeAll(async () => {
  const { deployable } = (await listTargets()).find(({ name }) => name === "node") ?? {};
  if (deployable === undefined) {
    throw new Error("There is no target node.");
  }
  place = relative(repositoryRoot, deployable);
  for (const name of ["one", "again", "other"]) {
    await cp(deployable, join(at(name), place), { recursive: true });
  }
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

const against = (base: string, ...args: string[]) =>
  start(["against", at(base), ...ONE_TARGET, ...words`--case empty`, ...args]).ended;

/** The cases in which two states were compared by time, with whatever verdict. */
function comparedIn({ changes }: Facts): readonly (string | null)[] {
  return changes.flatMap(({ metric, role, case: id }) =>
    metric === "lastByteMs" && role === "main" ? [id] : [],
  );
}

/** Two states that both were altered. */
async function measured(base: string, head: string, out: string, ...ids: string[]) {
  const caseIds = ids.length > 0 ? ids : ["empty"];
  const { targets, cases, otherCaseIds } = await chooseOfRepository({
    target: ["node"],
    case: caseIds,
    build: false,
    deployed: false,
  });
  const [target] = targets.filter(isLocal);
  if (target === undefined) {
    throw new Error("There is no target node.");
  }
  const state = (folder: string) => ({ ...target, deployable: join(at(folder), place) });
  const pair = pairOf(state(base), state(head), cases.bundle ?? []);
  const { signal } = new AbortController();
  return measurePairs([pair], { out: at(out), time: 1000, otherCaseIds, signal });
}

test("another build is measured in turns with the working copy, in one run", async () => {
  const { stdout } = await succeeded(against("other", ...words`--time 1s --out ${at("runs")} --json`));
  const facts: Facts = JSON.parse(stdout);
  expect(comparedIn(facts)).toEqual(["empty"]);
  expect(facts.run.parts.map(({ state }) => state)).toEqual(["before", "after"]);
  const written = await readdir(at("runs/other"), { withFileTypes: true });
  expect(written.filter((entry) => entry.isDirectory())).toHaveLength(1);
  expect(JSON.parse(await readFile(at("runs/other/facts.json"), "utf8"))).toEqual(facts);
});

test("builds that send alike are measured, whatever the working copy's golden values are", async () => {
  const answer = 'response.setHeader("Content-Type", "text/plain").end("an older body");';
  await addAltered("older", 0, answer);
  await addAltered("later", 0, `${answer} // Another build.`);
  const { pairs, otherWork, unfinished } = await measured("older", "later", "older runs");
  expect(pairs.flatMap(({ facts }) => comparedIn(facts))).toEqual(["empty"]);
  expect({ otherWork, unfinished }).toEqual({ otherWork: [], unfinished: [] });
  const { events } = JSON.parse(await readFile(join(await runIn(at("older runs")), "run.json"), "utf8"));
  expect(events).not.toContainEqual(expect.objectContaining({ kind: "golden-unconfirmed" }));
});

test.each([
  { base: "one", head: "failing", dropped: "node.head" },
  { base: "failing", head: "one", dropped: "node.base" },
])(
  "$dropped that fails after preflight was passed is told with its reason",
  async ({ base, head, dropped }) => {
    await addAltered("failing", SOUND_REQUESTS, "response.writeHead(500).end();");
    const { unfinished } = await measured(base, head, `${dropped} runs`);
    // The base's A/A copy fails like the base, before it or after.
    const notice = new RegExp(`^Not fully measured: ${dropped} was dropped from empty: .*status.*500`);
    expect(unfinished.filter(({ message }) => notice.test(message))).toHaveLength(1);
  },
);

test("a build that does not start is named with the whole reason, and is a failure", async () => {
  await cp(at("one"), at("broken"), { recursive: true });
  await appendFile(join(at("broken"), place, "server.mjs"), "\nthrow new Error('no database');\n");
  const { code, stderr } = await against("broken", "--out", at("broken runs"));
  expect(stderr).toMatch(/^evenbench: Not measured: node\. [\s\S]*no database/m);
  expect(code).toBe(1);
});

test("what cannot be written, as on a full disk, is named, and what was found is still printed", async () => {
  const file = at("a file");
  await writeFile(file, "");
  expect(await measured("one", "other", "a file")).toMatchObject({
    pairs: [],
    absent: [{ name: "node", code: "not-started" }],
    unfinished: [
      { message: expect.stringMatching(/^Not measured: node\. Cannot write results to .*a file/) },
    ],
  });
});

test("a case that only one state has is named, and the others are measured", async () => {
  await addAltered("without", 0, "response.writeHead(404).end();");
  const { pairs, otherWork } = await measured("without", "one", "new case runs", "empty", "payload");
  expect(pairs.flatMap(({ facts }) => comparedIn(facts))).toEqual(["payload"]);
  expect(otherWork).toMatchObject([{ target: { name: "node" }, case: { id: "empty" } }]);
  expect(otherWork[0]?.quote).toMatch(/^The status /);
});

test("a condition cannot pass where the changed target does other work in all cases, so that nothing is compared", async () => {
  await addAltered("otherwise", 0, 'response.end("another body");');
  const out = at("otherwise runs");
  const { code, stderr } = await against("otherwise", "--out", out, "--fail-on", "slower 5%");
  expect(stderr).toMatch(/^evenbench: node in empty has no verdict \(.*answers differ/m);
  expect(code).toBe(3);
});

test("a folder that is no checkout is one line", async () => {
  const { code, stderr } = await against("nowhere");
  expect(code).toBe(1);
  expect(stderr.trim().split("\n").at(-1)).toContain("Name a checkout that is built");
});
