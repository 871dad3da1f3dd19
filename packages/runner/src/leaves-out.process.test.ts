import { expect, test } from "vitest";
import { eventsOf, ownCases, shortRuns } from "../test/short-run.ts";

const { shortRun, ownServers } = shortRuns();

/** A server that answers /page, and is refused at what its word says. */
const SERVER = `
const [, , word] = process.argv;
if (word.startsWith("dead")) throw new Error("not on this platform");
require("node:http").createServer((request, response) => {
  const isError = request.url === "/wrong" || word.startsWith("failing");
  response.statusCode = isError && request.url !== "/ready" ? 500 : 200;
  response.end("the same page");
}).listen(process.env.PORT, "127.0.0.1")`;

test("targets that do not start, or fail in every case, and a case that fails stop nothing else, and are named", async () => {
  const targets = await ownServers(SERVER, ["a", "b", "dead", "dead-too", "failing", "failing-too"]);
  const result = await shortRun({
    targets,
    cases: ownCases("/page", "/wrong"),
    trials: 1,
    leavesOut: true,
  });
  const dropped = eventsOf(result, "target-dropped");
  expect(dropped.map(({ target }) => target)).toEqual(["dead", "dead-too", "failing", "failing-too"]);
  // Each has its own reason.
  expect(dropped.map(({ detail }) => detail.includes("-too"))).toEqual([false, true, false, true]);
  // What its log says may be a secret.
  expect(dropped.some(({ detail }) => detail.includes("not on this platform"))).toBe(false);
  expect(eventsOf(result, "case-failed").map(({ caseId }) => caseId)).toEqual(["wrong"]);
  expect(result.run.status).toBe("failed");
  const measured = result.samples.filter(({ phase, error }) => phase === "measure" && error === null);
  expect([...new Set(measured.map(({ target }) => target))].sort()).toEqual(
    expect.arrayContaining(["a", "b"]),
  );
});

test("a target that ends no case is waited for in two of them, and then left out; the others are measured in the rest", async () => {
  const hanging = SERVER.replace(
    'response.end("the same page")',
    'if (word !== "hanging" || request.url === "/ready") response.end("the same page")',
  );
  const result = await shortRun({
    targets: await ownServers(hanging, ["a", "b", "hanging"]),
    cases: ownCases("/one", "/two", "/three"),
    trials: 1,
    leavesOut: true,
    exchangeTimeoutMs: 3000,
  });
  expect(eventsOf(result, "case-failed").map(({ caseId }) => caseId)).toEqual(["one"]);
  expect(eventsOf(result, "target-dropped")).toMatchObject([
    { target: "hanging", detail: expect.stringContaining("did not end on hanging") },
  ]);
  expect([...new Set(result.samples.map(({ caseId }) => caseId))].sort()).toEqual(["three", "two"]);
});

test("a target that ends as it is asked is left out with its log", async () => {
  const ending = SERVER.replace(
    "const isError",
    'if (word === "ends" && request.url === "/page") process.exit(3); const isError',
  );
  const targets = await ownServers(ending, ["a", "b", "ends"]);
  const result = await shortRun({ targets, cases: ownCases("/page"), trials: 1, leavesOut: true });
  expect(eventsOf(result, "target-dropped")).toMatchObject([
    { target: "ends", detail: expect.stringContaining("exit code 3") },
  ]);
  expect(eventsOf(result, "case-failed")).toEqual([]);
});

test("where nothing is left, nothing is measured, and the reason is that of the last", async () => {
  const targets = await ownServers(SERVER, ["dead"]);
  const running = shortRun({ targets, cases: ownCases("/page"), leavesOut: true });
  await expect(running).rejects.toThrow(/1 of 1 targets did not start/);
});
