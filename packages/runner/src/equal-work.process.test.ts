import { expect, test } from "vitest";
import { platformApp } from "../test/platform-app.ts";
import { eventsOf, ownCases, shortRuns } from "../test/short-run.ts";

const { shortRun, ownServers, folder } = shortRuns();

/** A server with all that varies without being other work: process, request, second, and its own origin. */
const VARYING = `
const { randomBytes, randomUUID } = require("node:crypto");
const id = randomUUID();
let count = 0;
require("node:http").createServer((request, response) => {
  if (request.url === "/ready") return response.end("ready");
  count += 1;
  const nonce = randomBytes(16).toString("hex");
  response.setHeader("content-type", "text/html");
  response.setHeader("x-request-id", randomUUID());
  response.setHeader("set-cookie", "session=" + nonce);
  if (request.url === "/cached") {
    response.setHeader("x-nextjs-cache", "HIT");
    return response.end("built before");
  }
  if (request.url === "/cold" && count === 1) return response.end("loading");
  const words = "The same text in every answer. ".repeat(100);
  const scripts = ("<script nonce=\\"" + nonce + "\\"></script>").repeat(3);
  const page = "<a href=\\"http://" + request.headers.host + "/next\\">next</a><p>process " + id + "</p>";
  response.end(words + scripts + page + "<p>request " + count + "</p><p>" + new Date().toLocaleTimeString("en") + "</p>" + words);
}).listen(process.env.PORT, "127.0.0.1")`;

test("what varies by itself is found by preflight, and keeps no measured answer from being right", async () => {
  const targets = await ownServers(VARYING, ["a", "b"]);
  const result = await shortRun({ targets, cases: ownCases("/page"), rounds: 8, pauseMs: 150 });
  expect(eventsOf(result, "target-dropped")).toEqual([]);
  const measured = result.samples.filter(({ phase }) => phase === "measure");
  // Two seconds and three starts have gone by.
  expect(measured.filter(({ error }) => error !== null)).toEqual([]);
  expect(measured.length).toBeGreaterThanOrEqual(2 * 3 * 8);
  expect(eventsOf(result, "body-masked")).toHaveLength(5);
  const masks = result.run.plan.masksFound?.page ?? {};
  expect(Object.keys(masks)).toEqual(["a", "b"]);
  expect(masks.a?.map(({ replacement }) => replacement)).toEqual([
    "[own origin]",
    "$1[token]",
    "$1[token]",
    "$1[number]",
    "$1[time]",
  ]);
});

test("what only a fresh start's first answer has is said, and is no error in any trial; what a cache answers says so in its plan", async () => {
  const targets = await ownServers(VARYING, ["a", "b"]);
  const result = await shortRun({ targets, cases: ownCases("/cold", "/cached"), rounds: 3, cold: 1 });
  expect(result.samples.filter(({ error }) => error !== null)).toEqual([]);
  const [cold] = eventsOf(result, "body-masked");
  expect(cold).toMatchObject({ caseId: "cold", detail: expect.stringContaining("from byte 0") });
  const cached = expect.stringMatching(/a says "x-nextjs-cache: HIT", b says "x-nextjs-cache: HIT"/);
  expect(result.run.plan.cases).toMatchObject([{ id: "cold" }, { id: "cached", cached }]);
  expect(eventsOf(result, "cache-measured")).toMatchObject([{ caseId: "cached", detail: cached }]);
});

const IN_REQUEST = `
if (_.url === "/?file") response.setHeader("accept-ranges", "bytes").setHeader("last-modified", new Date(0).toUTCString());
if (_.url === "/?cache") response.setHeader("x-cache", "HIT");
if (_.url === "/?nothing") return void response.end();`;

test("that a file, a cache or nothing answers is said of each platform", async () => {
  const ids = ["node", "vercel"];
  const targets = await Promise.all(ids.map((id) => platformApp(folder(), id, { inRequest: IN_REQUEST })));
  const cases = ownCases("/?file", "/?cache", "/?nothing");
  const result = await shortRun({ targets, cases, trials: 1, rounds: 2 });
  const saidOf = (kind: Parameters<typeof eventsOf>[1]) =>
    eventsOf(result, kind).map(({ caseId, detail }) => [caseId, detail]);
  const each = (says: string) =>
    expect.stringMatching(new RegExp(ids.map((id) => `${id} ${says}`).join(".*")));
  expect(saidOf("cache-measured")).toEqual([
    ["file", each('says "accept-ranges: bytes, last-modified: ')],
    ["cache", each('says "x-cache: HIT"')],
  ]);
  const empty = expect.stringContaining("0 bytes");
  expect(saidOf("answer-empty")).toEqual([["nothing", empty]]);
});
