import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import type { CaseManifest, RequestSettings } from "@evenbench/core";
import { expect, test } from "vitest";
import { listen } from "../../test/listen.ts";
import { type Answer, greet, sends } from "../../test/preflight/targets.ts";
import { createProbe, type Expectation } from "../index.ts";
import type { PreflightOptions, PreflightResult } from "./options.ts";
import { preflight } from "./preflight.ts";

const GET: RequestSettings = { method: "GET", headers: {}, body: null };

/** A real server that knows nothing of us. */
async function ownServer(name: string, answer: Answer, request: RequestSettings = GET, facts = {}) {
  const url = await listen(createServer((incoming, response) => answer(response, incoming)));
  return { name, url, ownServer: { request, facts } };
}

function pathCase(masks: readonly string[] = [], id = "products"): CaseManifest {
  return {
    ...{ ...greet, id, path: `/${id}`, golden: null },
    masks: masks.map((pattern) => ({ name: pattern, pattern, replacement: "" })),
    request: { method: "GET", headers: [], body: null },
  };
}

async function look(
  first: Answer,
  second: Answer,
  { masks, ...options }: Partial<PreflightOptions> & { masks?: readonly string[] } = {},
) {
  const targets = [await ownServer("a", first), await ownServer("b", second)];
  return { targets, ...(await preflight({ targets, cases: [pathCase(masks)], ...options })) };
}

/** The probe's error, where the target is held against what preflight expects of it. */
async function errorOf(
  { name, url, ownServer: { request } }: Awaited<ReturnType<typeof ownServer>>,
  { expectations }: PreflightResult,
) {
  const probe = createProbe(url, { request });
  const { error } = await probe.exchange("/products", expectations.products?.[name] as Expectation);
  await probe.close();
  return error;
}

const same = sends("hello");

test("servers that answer alike pass, with what nobody knows of them, and with what was started here", async () => {
  const { ok, unknown, expectations, toConfirm } = await look(same, same);
  expect(ok).toBe(true);
  expect(unknown).toEqual([expect.stringContaining("a, b: preflight did not compare NODE_ENV")]);
  expect(Object.keys(expectations.products ?? {})).toEqual(["a", "b"]);
  expect(toConfirm).toEqual({});
  const started = [await ownServer("a", same, GET, { command: "node server.js" })];
  expect((await preflight({ targets: started, cases: [pathCase()] })).unknown).toEqual([
    "a: started with NODE_ENV=production.",
    "a: preflight did not compare versions or builds, since this target does not name its own.",
  ]);
});

test.each([
  ['{"a":1,"b":[1,2]}', '{ "b": [1, 2], "a": 1.0 }', true],
  ['{"a":{"c":1,"d":2}}', '{"a":{"d":2,"c":1}}', true],
  ["[1,2]", "[2,1]", false],
  ['{"a":9007199254740993}', '{"a":9007199254740992}', false],
  ['{"a":1}', '{"a":"1"}', false],
  ['{"__proto__":1}', "{}", false],
  ["no JSON", "no  JSON", false],
])("compared as JSON, %s and %s are the same work: %s", async (first, second, isSame) => {
  const [a, b] = [sends(first), sends(second)];
  const { ok, unknown, problems } = await look(a, b, { sameWork: "json" });
  expect(ok, problems[0]?.what).toBe(isSame);
  expect(unknown).toContainEqual(expect.stringContaining("compared as JSON"));
  expect((await look(a, b)).ok).toBe(false);
});

test.each([
  ["status", same, sends("hello", {}, 201)],
  ["content-type", same, sends("hello", { "content-type": "text/plain" })],
  ["length", same, sends("hello!")],
  ["digest", same, sends("Hello")],
  ["wire", same, sends("hello", { connection: "close" })],
  ["status", sends("", {}, 404), sends("", {}, 404)],
  ["status", sends("", {}, 304), sends("", {}, 304)],
])("another %s is a problem, and an assumption where it is asked for", async (kind, first, second) => {
  const refused = await look(first, second);
  expect(refused.ok).toBe(false);
  expect(refused.problems[0]).toMatchObject({ kind, caseId: "products" });
  expect(refused.problems[0]?.remedy).toContain("--same-work assumed");
  const assumed = await look(first, second, { sameWork: "assumed" });
  expect(assumed.ok).toBe(true);
  expect(assumed.assumed[0]).toMatchObject({ kind, caseId: "products" });
  // Each is held against its own answer.
  for (const target of assumed.targets) expect(await errorOf(target, assumed)).toBeNull();
});

test("what a mask hides may differ, in length, too; the rest may not", async () => {
  let count = 8;
  const counting = sends(() => `hello ${count++} times`);
  const unmasked = await look(counting, counting);
  expect(unmasked.problems[0]?.remedy).toContain("--mask '<regex>'");
  const masked = await look(counting, counting, { masks: ["\\d+"] });
  expect(masked.problems).toEqual([]);
  expect(masked.expectations.products?.a?.unchecked).toBe("length");
  const other = await look(counting, sends("hallo 1 times"), { masks: ["\\d+"] });
  expect(other.problems[0]).toMatchObject({ kind: "digest" });
});

test.each([
  ["/other?x=1&y", "--path '/other?x=1&y'"],
  ["/;touch$IFS", "--path '/;touch$IFS'"],
  ["https://other.test/x", "--target a=https://other.test --path /x"],
])("a redirect to %s is refused whatever is assumed, with where it leads", async (location, remedy) => {
  const { problems } = await look(sends("", { location }, 308), same, { sameWork: "assumed" });
  expect(problems).toMatchObject([{ kind: "redirect", remedy: `Measure where it leads: ${remedy}` }]);
});

test("a server that is not there is one problem, however many paths it is asked for", async () => {
  const gone = { name: "gone", url: "http://127.0.0.1:9", ownServer: { request: GET, facts: {} } };
  const { problems } = await preflight({ targets: [gone], cases: [pathCase(), pathCase([], "more")] });
  expect(problems).toMatchObject([{ kind: "down", what: expect.stringContaining("ECONNREFUSED") }]);
});

test("other words for caches and cookies are named, and are no problem", async () => {
  const cookie = sends("hello", { "set-cookie": "a=b", "cache-control": "no-store" });
  const { ok, unknown } = await look(same, cookie);
  expect(ok).toBe(true);
  expect(unknown.join()).toContain(
    'Targets say different things to caches about /products: a "nothing", b "cache-control: no-store"',
  );
  expect(unknown.join()).toContain("b set a cookie with /products");
});

test("method, headers and body are sent by preflight and probe alike, and cookies are not", async () => {
  const seen: unknown[] = [];
  const answer: Answer = async (response, incoming) => {
    const { method, headers } = incoming;
    seen.push([method, headers["x-a"], headers.cookie, headers["content-length"], await text(incoming)]);
    response.writeHead(200, { "set-cookie": "a=b" }).end("ok");
  };
  const request = { method: "PUT", headers: { "x-a": "1" }, body: Buffer.from("béé") };
  const target = await ownServer("a", answer, request);
  const result = await preflight({ targets: [target], cases: [pathCase()] });
  expect(await errorOf(target, result)).toBeNull();
  expect(seen).toEqual(Array.from({ length: 3 }, () => ["PUT", "1", undefined, "5", "béé"]));
});
