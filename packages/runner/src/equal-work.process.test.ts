import { expect, test } from "vitest";
import { eventsOf, ownCases, shortRuns } from "../test/short-run.ts";

const { shortRun, ownServers } = shortRuns();

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

test("what varies by itself is found by preflight and keeps no answer from being right; what a fresh start's first answer has, and what a cache answers, is said", async () => {
  const targets = await ownServers(VARYING, ["a", "b"]);
  const cases = ownCases("/cold", "/page", "/cached");
  const result = await shortRun({ targets, cases, trials: 1, rounds: 3, cold: 1 });
  expect(result.run.status).toBe("complete");
  // More than a second and three starts have gone by since preflight.
  expect(result.samples.filter(({ error }) => error !== null)).toEqual([]);
  const maskedOf = (id: string) => eventsOf(result, "body-masked").filter(({ caseId }) => caseId === id);
  expect(maskedOf("page")).toHaveLength(5);
  const masks = result.run.plan.masksFound?.page ?? {};
  expect(Object.keys(masks)).toEqual(["a", "b"]);
  expect(masks.a?.map(({ replacement }) => replacement)).toEqual([
    "[own origin]",
    "$1[token]",
    "$1[token]",
    "$1[number]",
    "$1[time]",
  ]);
  expect(maskedOf("cold")[0]?.detail).toContain("from byte 0");
  const cached = expect.stringMatching(/a says "x-nextjs-cache: HIT", b says "x-nextjs-cache: HIT"/);
  expect(result.run.plan.cases).toMatchObject([{ id: "cold" }, { id: "page" }, { id: "cached", cached }]);
  expect(eventsOf(result, "cache-measured")).toMatchObject([{ caseId: "cached", detail: cached }]);
});
