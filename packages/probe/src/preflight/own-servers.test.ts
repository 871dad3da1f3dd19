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
    ...greet,
    id,
    path: `/${id}`,
    golden: null,
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
  const a = sends(first);
  const b = sends(second);
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
  for (const target of assumed.targets) {
    expect(await errorOf(target, assumed)).toBeNull();
  }
});

test("what a mask hides may differ, in length, too; the rest may not", async () => {
  let count = 8;
  const counting = sends(() => `hello ${count++} times`);
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
  const whole = `Measure where it leads: ${remedy}. If it leads to a login, send what logs in: --header "cookie: …".`;
  expect(problems).toMatchObject([{ kind: "redirect", remedy: whole }]);
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
  expect(seen).toEqual(Array.from({ length: 4 }, () => ["PUT", "1", undefined, "5", "béé"]));
});

test("a clock that is told by the second is found before anything is measured, with the mask that hides it", async () => {
  const second = () =>
    `{"now":"${new Date(1000 * Math.floor(Date.now() / 1000)).toISOString().slice(11, 19)}"}`;
  const { problems } = await look(sends(second), sends(second));
  expect(problems).toMatchObject([
    { kind: "digest", what: expect.stringContaining("They differ from byte") },
  ]);
  expect(problems[0]?.what).not.toContain("masked body");
  const mask = String.raw`\d{1,2}:\d{2}:\d{2}(?:\.\d+)?(?:\s?[AP]M)?`;
  expect(problems[0]?.remedy).toContain(`hide it: --mask '${mask}' (all these answers are then equal)`);
  expect((await look(sends(second), sends(second), { masks: [mask] })).ok).toBe(true);
});

/** What is different each time, and the mask that is named for it; null where none is. */
test.each<[string, (count: number) => string, string | null]>([
  ["a number behind a name", (count) => `<p>req-${count}</p> 2026`, String.raw`req-\d+(?:\.\d+)?`],
  ["a member of JSON", (count) => `{"a":1,"took":${count}.5,"b":1}`, String.raw`"took":\d+(?:\.\d+)?`],
  ["a date", (count) => `at 2026-11-27T10:00:0${count}.000Z.`, String.raw`\d{4}-\d{2}-\d{2}[T ]`],
  ["a date of HTTP", (count) => `Fri, 27 Nov 2026 10:00:0${count} GMT`, "[A-Z][a-z]{2}, "],
  ["a UUID", (count) => `id 0e02b2c${count}-58cc-4372-a567-0e02b2c3d479`, "[0-9a-f]{8}-"],
  ["words", (count) => ["one", "two", "three", "four", "five", "six"][count] ?? "more", null],
])("of %s that differs a mask is named that makes the answers equal, or none", async (_, body, mask) => {
  let count = 0;
  const counting = sends(() => body(count++ % 10));
  const { problems } = await look(counting, counting);
  const remedy = problems[0]?.remedy ?? "";
  if (mask === null) {
    expect(remedy).toContain("--mask '<regex>'");
    return;
  }
  expect(remedy).toContain(mask);
  const named = /--mask '([^']*)'/.exec(remedy)?.[1] ?? "";
  expect((await look(counting, counting, { masks: [named] })).ok).toBe(true);
});

test("two things that differ are hidden by two masks", async () => {
  let count = 0;
  const counting = sends(() => `{"at":"10:00:0${count++ % 10}","n":${count}}`);
  expect((await look(counting, counting)).problems[0]?.remedy.match(/--mask/g)).toHaveLength(2);
});

test("bytes of a binary body are never shown, and no mask is advised", async () => {
  let count = 0;
  const image = () => Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff, count++]);
  const answer: Answer = (response) => void response.setHeader("content-type", "image/png").end(image());
  const { problems } = await look(answer, answer);
  const what =
    'Bodies of case "products" differ. They are binary, and differ from byte 6: a 7 bytes, b 7 bytes.';
  expect(problems).toMatchObject([{ kind: "digest", what }]);
  expect(problems[0]?.remedy).not.toContain("--mask");
});

test("headers by which a cache may have answered are named before the bodies", async () => {
  const hit = sends("built", { "x-nextjs-cache": "HIT" });
  const { problems } = await look(hit, sends("fresh", { "x-nextjs-cache": "MISS" }));
  expect(problems[0]?.what).toMatch(
    /^Bodies of case "products" differ\. Their headers differ already, so that a cache may answer: a x-nextjs-cache: HIT; b x-nextjs-cache: MISS\. They differ from byte 0: /,
  );
});

test("an app that was built here, from one source, gives no cause to ask whether builds are alike", async () => {
  const facts = { builtFrom: "Hono" };
  const send = sends("hello");
  const targets = [await ownServer("a", send, GET, facts), await ownServer("b", send, GET, facts)];
  const { unknown, identities } = await preflight({ targets, cases: [pathCase()] });
  expect(unknown).toEqual([]);
  expect(identities.a?.facts.builtFrom).toBe("Hono");
});

test("of an error that is a text, its first line is said, and of a page none", async () => {
  const problemOf = async (type: string) => {
    const failing = sends("no storage here\nmore", { "content-type": type }, 501);
    const { problems } = await look(failing, failing);
    return problems[0]?.what ?? "";
  };
  expect(await problemOf("text/plain")).toMatch(/HTTP 501: .* It says "no storage here"\.$/);
  expect(await problemOf("text/html")).not.toContain("no storage here");
});
