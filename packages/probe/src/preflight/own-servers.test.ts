import { randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { type CaseManifest, openRecord, type RequestSettings } from "@evenbench/core";
import { expect, test } from "vitest";
import { listen } from "../../test/answers.ts";
import { type Answer, greet, sends } from "../../test/preflight/targets.ts";
import { createProbe, type Expectation } from "../index.ts";
import { LATER_MS } from "./asking-again.ts";
import type { PreflightOptions, PreflightResult, PreflightTarget } from "./options.ts";
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
    title: `/${id}`,
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
  return { targets, ...(await preflight({ targets, cases: [pathCase(masks)], laterMs: 0, ...options })) };
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
  expect(unknown).toHaveLength(1);
  expect(Object.keys(expectations.products ?? {})).toEqual(["a", "b"]);
  expect(toConfirm).toEqual({});
  const started = [await ownServer("a", same, GET, { command: "node server.js" })];
  const unknownOf = async (targets: PreflightTarget[]) =>
    (await preflight({ targets, cases: [pathCase()], laterMs: 0 })).unknown;
  expect(await unknownOf(started)).toContainEqual(expect.stringContaining("NODE_ENV=production"));
  const inDevelopment = started.map((target) => ({ ...target, nodeEnv: "development" }));
  expect(await unknownOf(inDevelopment)).toContainEqual(expect.stringContaining("NODE_ENV=development"));
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
  const { ok, problems } = await look(a, b, { sameWork: "json" });
  expect(ok, problems[0]?.what).toBe(isSame);
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
  ["status", sends("hel", {}, 206), sends("hel", {}, 206)],
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
  ["most of a body", "a page ".repeat(50)],
  ["parts of very different lengths", "a page of some words that are shown"],
])("masks that hide %s are refused", async (_, text) => {
  const page = sends(text);
  const error = sends("Not found");
  const { ok, problems } = await look(page, error, { masks: [".+"] });
  expect(ok).toBe(false);
  expect(problems.map(({ kind }) => kind)).toEqual(["digest"]);
  expect((await look(page, error, { masks: [".+"], sameWork: "assumed" })).ok).toBe(true);
});

test.each([
  ["/other?x=1&y", "--path '/other?x=1&y'"],
  ["/;touch$IFS", "--path '/;touch$IFS'"],
  ["https://other.test/x", "--target a=https://other.test --path /x"],
  ["https://me:s3cret@other.test/x?session=s3cret", "--path '/x?session=<value>'"],
  ["/other?token=s3cret&x=1#s3cret", "--path '/other?token=<value>&x=1'"],
  ["?page=2", "--path '/products?page=2'"],
  ["?token=s3cret", "It leads to itself: send what it wants first"],
  ["?token=s3cret2", "--path '/products?token=<value>'"],
  ["http://s3cret:s3cret", "Give a path that answers with the page itself."],
])(
  "a redirect to %s is refused whatever is assumed, with where it leads, and no secret is shown",
  async (location, remedy) => {
    const path = "/products?token=s3cret";
    const request = { ...GET, ofCases: new Map([["products", { ...GET, path }]]) };
    const target = await ownServer("a", sends("", { location }, 308), request);
    const cases = [{ ...pathCase(), path: "/products?token=<value>" }];
    const { problems } = await preflight({ targets: [target], cases, laterMs: 0, sameWork: "assumed" });
    expect(problems).toMatchObject([{ kind: "redirect", remedy: expect.stringContaining(remedy) }]);
    expect(JSON.stringify(problems)).not.toContain("s3cret");
  },
);

test("a server that is not there is one problem, however many paths it is asked for", async () => {
  const gone = { name: "gone", url: "http://127.0.0.1:9", ownServer: { request: GET, facts: {} } };
  const { problems } = await preflight({ targets: [gone], cases: [pathCase(), pathCase([], "more")] });
  expect(problems).toMatchObject([{ kind: "down", what: expect.stringContaining("ECONNREFUSED") }]);
});

test("other words for caches and cookies are named, and are no problem", async () => {
  const cookie = sends("hello", { "set-cookie": "a=b", "cache-control": "no-store" });
  const { ok, unknown, headers } = await look(same, cookie);
  expect(ok).toBe(true);
  expect(unknown.join()).not.toContain("/products");
  const said = ["cache-control: no-store", "cookie"].map((word) => expect.stringContaining(word));
  expect(headers).toEqual(said);
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
  const result = await preflight({ targets: [target], cases: [pathCase()], laterMs: 0 });
  expect(await errorOf(target, result)).toBeNull();
  expect(seen).toEqual(Array.from({ length: 5 }, () => ["PUT", "1", undefined, "5", "béé"]));
});

const SECOND = () => new Date(1000 * Math.floor(Date.now() / 1000)).toISOString();

/** Texts that vary by themselves, with what is said of them. */
test.each<[string, () => string, string]>([
  ["a clock of one second", SECOND, "time stamp"],
  ["a nonce", () => randomBytes(12).toString("base64url"), "random token"],
  ["a UUID", () => randomUUID(), "UUID"],
  ["a time in milliseconds", () => String(Date.now()), "time stamp"],
])("%s is found, hidden, named and left out of what is compared", async (_, value, said) => {
  const body = (items: number) => () => `{"varies":"${value()}","items":${items}}`;
  // Only the clock says the same twice. It is not asked for in the next minute, which it may show by chance.
  const waits = { laterMs: value === SECOND ? LATER_MS : 0, nextMinuteMs: 0 };
  const found = await look(sends(body(5)), sends(body(5)), waits);
  expect(found.problems).toEqual([]);
  expect(found.hidden.products).toEqual([expect.stringContaining(said)]);
  for (const target of found.targets) {
    expect(await errorOf(target, found)).toBeNull();
  }
  const other = await look(sends(body(5)), sends(body(6)), waits);
  expect(other.problems).toMatchObject([{ kind: "digest", what: expect.stringContaining('"items\\":5}') }]);
});

/** A clock without seconds, and what is said of it. The minute passes between the first answers and the next ones. */
test.each<[string, (minute: Date) => string, boolean]>([
  ["a time", (minute) => `${minute.toISOString().slice(11, 16)}`, true],
  ["a time of twelve hours", (minute) => minute.toLocaleTimeString("en", { timeStyle: "short" }), true],
  ["a date with its time", (minute) => minute.toISOString().slice(0, 16), true],
  ["milliseconds since 1970", (minute) => String(minute.getTime() - (minute.getTime() % 60_000)), true],
  ["the time of no clock", () => new Date(Date.now() - 7 * 60_000).toISOString().slice(11, 16), false],
])("%s is asked for in the next minute where it shows the present one", async (_, write, isClock) => {
  let asked = 0;
  // Each of two servers is asked four times until then.
  const minutes = () => Math.floor(asked++ / 8);
  const clock = sends(() => `<p>${write(new Date(Date.now() + 60_000 * minutes()))}</p>`);
  const waits: string[] = [];
  const onWait = (sentence: string) => waits.push(sentence);
  const { problems, hidden } = await look(clock, clock, { nextMinuteMs: 0, onWait });
  expect(problems).toEqual([]);
  expect(waits).toHaveLength(isClock ? 1 : 0);
  expect(asked).toBe(isClock ? 10 : 8);
  expect(hidden.products).toEqual(isClock ? [expect.stringContaining("time stamp")] : undefined);
});

test("a counter may get longer while it is measured", async () => {
  let count = 0;
  const counting = sends(() => `<p>request ${count++} of many</p>`);
  const found = await look(counting, counting);
  expect(found.hidden.products).toEqual([expect.stringContaining("counter")]);
  for (const before of [9, 99, 99_999]) {
    count = before;
    expect(await errorOf(found.targets[0] as (typeof found.targets)[0], found)).toBeNull();
    expect(await errorOf(found.targets[1] as (typeof found.targets)[0], found)).toBeNull();
  }
  expect(found.masks.products?.a).toEqual(found.masks.products?.b);
});

test("what varies on one target alone is refused, with both texts", async () => {
  let count = 0;
  const counting = sends(() => `<p>request ${count++} of many</p>`);
  const { problems } = await look(counting, sends("<p>request 7 of many</p>"));
  expect(problems[0]?.what).toMatch(/request \[number\] of.* from a; .*request 7 of.* from b/);
});

test("what varies too much is refused, with the reason", async () => {
  const random = sends(() => randomBytes(500).toString("hex"));
  const reason = expect.stringContaining("cannot be masked");
  expect((await look(random, random)).problems).toMatchObject([{ kind: "digest", what: reason }]);
  const names = ["Ada", "Bob", "Cleo", "Dan", "Eve"];
  let turn = 0;
  const greeting = sends(() => `<p>Hello ${names[turn++ % names.length]}</p>`);
  expect((await look(greeting, greeting)).problems).toMatchObject([{ kind: "length", what: reason }]);
});

/** Servers that are started once, and once more. */
async function lookTwice(answers: () => Answer, names = ["a", "b"]) {
  const start = () => Promise.all(names.map((name) => ownServer(name, answers())));
  const targets = await start();
  const restart = async () => openRecord((await start()).map(({ name, url }) => [name, url] as const));
  return { targets, ...(await preflight({ targets, cases: [pathCase()], restart, laterMs: 0 })) };
}

test("what changes from start to start is found by another start", async () => {
  const found = await lookTwice(() => sends(`{"process":"${randomUUID()}","ok":true}`));
  expect(found.problems).toEqual([]);
  expect(found.hidden.products).toEqual([expect.stringContaining("a UUID behind")]);
});

test("what only the first answer of a start has is named, and held against nobody", async () => {
  const found = await lookTwice(() => {
    let count = 0;
    return sends(() => (count++ === 0 ? "<p>loading</p>" : "<p>all of the page</p>"));
  });
  expect(found.problems).toEqual([]);
  expect(found.hidden.products?.[0]).toContain("byte 3");
  expect(found.expectations.products?.a).toMatchObject({ bytes: 22, isFirstOther: true });
  const moving = await lookTwice(() => {
    let count = 0;
    return sends(() => `<p>${"more ".repeat(count++)}</p>`);
  });
  expect(moving.ok).toBe(false);
});

test("pages whose runtimes send flight data in other pieces are the same work, and other text is not", async () => {
  const whole = '<p>a</p><script>self.__next_f.push([1,"ab"])</script>';
  const cut =
    '<p>a</p><script>self.__next_f.push([1,"a"])</script><script>self.__next_f.push([1,"b"])</script>';
  const variation = { reason: "Pieces.", normalForm: "react-stream", lengthWithin: 1 } as const;
  const cases = [{ ...pathCase(), variation }];
  expect((await look(sends(whole), sends(cut), { cases })).problems).toEqual([]);
  expect((await look(sends(whole), sends(whole), { cases })).problems).toEqual([]);
  const other = await look(sends(whole), sends(cut.replace("<p>a", "<p>b")), { cases });
  expect(other.problems).toMatchObject([{ kind: "digest" }]);
});

test("a server's own origin may stand in its answers, whichever port it gets at its next start", async () => {
  const answer: Answer = (response, { headers }) =>
    void response
      .setHeader("content-type", "text/html")
      .end(`<a href="http://${headers.host}/next">next</a>`);
  const found = await lookTwice(() => answer);
  expect(found.problems).toEqual([]);
  const again = await ownServer("a", answer);
  expect(await errorOf(again, found)).toBeNull();
  const other = await look(
    answer,
    sends('<a href="http://127.0.0.1:9/next">next</a>', { "content-type": "text/html" }),
  );
  expect(other.ok).toBe(false);
});

const NEXT_BUILD = ["8QDT7fabcdefghijklmno", "3f2a9b1c00112233"] as const;
const OTHER_BUILD = ["Zx9abcdefghijklmnopqr", "aaaabbbbccccdddd"] as const;
const nextPage = ([id, hash]: readonly [string, string], text = "same") =>
  `<!DOCTYPE html><!--${id}--><script src="/_next/static/chunks/main-app-${hash}.js"></script><p>${text}</p><script src="/_next/static/${id}/_buildManifest.js"></script>`;
const nuxtPage = (text = "") =>
  `<script>window.__NUXT__.config={app:{baseURL:"/",buildId:"${randomUUID()}"}}</script>${text}`;
const printed = (begin: string, body: string, called: string) =>
  `<p>same</p><script>(${begin} {${body}})(${called})</script>`;
const ownPage = (place: string, file = "page.tsx") =>
  `<a href="vscode://file/home/me/copies/apps/shop-0a1b2c3d/0123456789abcdef/${place}/app/${file}">`;
const REACT_ROUTER = "(storageKey2, restoreKey) =>";
const TANSTACK = "function r({\n  storageKey: s,\n  key\n})";

/** Bodies of two builds of the same, and one that is other work; with what is named of the first. */
test.each<[what: string, first: string, same: string, other: string, named: readonly string[]]>([
  [
    "an id and a hash",
    nextPage(NEXT_BUILD),
    nextPage(OTHER_BUILD),
    nextPage(OTHER_BUILD, "other"),
    [NEXT_BUILD[0], `main-app-${NEXT_BUILD[1]}.js`],
  ],
  [
    "an id alone",
    nextPage(NEXT_BUILD),
    nextPage([OTHER_BUILD[0], NEXT_BUILD[1]]),
    nextPage(NEXT_BUILD, "other"),
    [NEXT_BUILD[0]],
  ],
  ["Nuxt's id", nuxtPage(), nuxtPage(), nuxtPage("other"), ["ids of builds"]],
  [
    "the hash that names Nuxt's file",
    "/_nuxt/DATeqYMS.js",
    "/_nuxt/DeSoOVNK.js",
    "/_nuxt/own.js",
    ["ids of builds"],
  ],
  [
    "a function that React Router prints",
    printed(REACT_ROUTER, "\n\tscroll(0, 0);\n", '"positions", null'),
    printed(REACT_ROUTER, "\n  let top = 0;\n  scroll(0, top);\n", '"positions", null'),
    printed(REACT_ROUTER, "\n\tscroll(0, 0);\n", '"others", null'),
    ["a 47 bytes"],
  ],
  [
    "a function that TanStack Router prints",
    printed(TANSTACK, "\n\tscroll(0, 0);\n", '{"storageKey":"positions"}'),
    printed(TANSTACK, "\n  let top = 0;\n  scroll(0, top);\n", '{"storageKey":"positions"}'),
    printed(TANSTACK, "\n\tscroll(0, 0);\n", '{"storageKey":"others"}'),
    ["a 57 bytes"],
  ],
  [
    "the flag of its build that React Router prints",
    '{"future":{"v8_viteEnvironmentApi":true},"ssr":true}',
    '{"future":{"v8_viteEnvironmentApi":false},"ssr":true}',
    '{"future":{"v8_viteEnvironmentApi":true},"ssr":false}',
    ["a true, b false"],
  ],
  [
    "the folder in which a server lies",
    ownPage("node"),
    ownPage("vercel/functions/docs/index.func"),
    ownPage("cloudflare", "other.tsx"),
    ["/home/me/copies/apps/shop-0a1b2c3d/0123456789abcdef/node"],
  ],
  [
    "a last digit",
    '{"sine":.6371234567890123,"whole":7}',
    '{"sine":.6371234567890124,"whole":7}',
    '{"sine":.6371234567890124,"whole":8}',
    [".6371234567890123"],
  ],
  [
    "a last digit, and no more of them",
    '{"a":0.1234567890123,"b":1.5}',
    '{"a":0.1234567890124,"b":1.5}',
    '{"a":0.12,"b":1.5}',
    ["0.1234567890123"],
  ],
])("%s may differ between builds, other text may not", async (_, first, same, other, named) => {
  const { problems, hidden } = await look(sends(first), sends(same));
  expect(problems).toEqual([]);
  expect(hidden.products).toEqual(named.map((text) => expect.stringContaining(text)));
  const refused = await look(sends(first), sends(other));
  expect([refused.ok, refused.hidden]).toEqual([false, {}]);
});

test("ids of requests in headers and cookies are no cause of a refusal", async () => {
  const answer: Answer = (response) =>
    void response
      .writeHead(200, {
        "x-request-id": randomUUID(),
        "set-cookie": `id=${randomUUID()}`,
        "content-type": "text/html",
      })
      .end("hello");
  expect((await look(answer, answer)).problems).toEqual([]);
});

test("where bodies differ, headers that differ are named first", async () => {
  const german = sends("hallo", { "content-language": "de", "x-request-id": "1" });
  const { problems } = await look(german, sends("hello", { "content-language": "en", "x-request-id": "1" }));
  expect(problems[0]?.what).toMatch(/content-language \(a "de", b "en"\)\. .* from byte 1/);
  expect(problems[0]?.what).not.toContain("x-request-id");
});

/** The texts of two targets at one place, and how the mask begins that is named for it; null where none is. */
test.each<[string, (count: number) => string, string | null]>([
  ["a number behind a name", (count) => `<p>req-${count}</p> 2026`, String.raw`req--?\d+`],
  ["a member of JSON", (count) => `{"a":1,"took":${count}.5,"b":1}`, String.raw`"took":-?\d+`],
  ["a date", (count) => `at=2026-11-27T10:00:0${count}.000Z.`, String.raw`\d{4}-\d{2}-\d{2}[T ]`],
  ["a date of HTTP", (count) => `made Fri, 27 Nov 2026 10:00:0${count} GMT`, "[A-Z][a-z]{2}, "],
  ["a UUID", (count) => `its id 0e02b2c${count}-58cc-4372-a567-0e02b2c3d479`, "[0-9a-f]{8}-"],
  ["words", (count) => ["one", "two", "three"][count] ?? "more", null],
])(
  "of %s that differs between targets a mask is named that makes them equal, or none",
  async (_, body, mask) => {
    const first = sends(body(1));
    const second = sends(body(2));
    const { problems } = await look(first, second);
    const remedy = problems[0]?.remedy ?? "";
    if (mask === null) {
      expect(remedy).toContain("--mask '<regex>'");
      return;
    }
    expect(remedy).toContain(`--mask '${mask}`);
    const named = /--mask '([^']*)'/.exec(remedy)?.[1] ?? "";
    expect((await look(first, second, { masks: [named] })).ok).toBe(true);
  },
);

test("two things that differ between targets are hidden by two masks", async () => {
  const body = (count: number) => sends(`{"at":"10:00:0${count}","n":${count}}`);
  expect((await look(body(1), body(2))).problems[0]?.remedy.match(/--mask/g)).toHaveLength(2);
});

test("bytes of a binary body are never shown, and no mask is advised", async () => {
  let count = 0;
  const image = () => Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff, count++]);
  const answer: Answer = (response) => void response.setHeader("content-type", "image/png").end(image());
  const { problems } = await look(answer, answer);
  expect(problems).toMatchObject([{ kind: "digest", what: expect.stringMatching(/^[ -~]*binary[ -~]*$/) }]);
  expect(problems[0]?.remedy).not.toContain("--mask");
});

test("headers by which a cache may have answered are named before the bodies", async () => {
  const hit = sends("built", { "x-nextjs-cache": "HIT" });
  const { problems } = await look(hit, sends("fresh", { "x-nextjs-cache": "MISS" }));
  expect(problems[0]?.what).toMatch(/a x-nextjs-cache: HIT; b x-nextjs-cache: MISS\. .* from byte 0: /);
});

test("an app that was built here, from one source, gives no cause to ask whether builds are alike", async () => {
  const facts = { builtFrom: "Hono" };
  const cached = sends("hello", { "cache-control": "public" });
  const targets = [
    await ownServer("a", sends("hello"), GET, facts),
    await ownServer("b", cached, GET, facts),
  ];
  const { unknown, headers, identities } = await preflight({ targets, cases: [pathCase()], laterMs: 0 });
  expect(unknown).toEqual([]);
  expect(headers).toEqual([expect.stringContaining("cache-control: public")]);
  expect(identities.a?.facts.builtFrom).toBe("Hono");
});

test("of an error that is a text, its first line is said, and of a page none", async () => {
  const problemOf = async (type: string) => {
    const failing = sends("no storage here\nmore", { "content-type": type }, 501);
    const { problems } = await look(failing, failing);
    return problems[0]?.what ?? "";
  };
  expect(await problemOf("text/plain")).toMatch(/"no storage here"\.$/);
  expect(await problemOf("text/html")).not.toContain("no storage here");
});

test.each([
  [500, { a: "HTTP 500" }],
  [404, {}],
])(
  "an answer of HTTP %i has that as its value where the server failed: its log says why",
  async (status, values) => {
    const { problems } = await look(sends("", {}, status), same);
    expect(problems[0]).toMatchObject({ kind: "status" });
    expect(problems[0]?.values).toEqual(values);
  },
);
