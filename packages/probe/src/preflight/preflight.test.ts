import type { RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { type CaseManifest, renderMarker, volatile } from "@evenbench/core";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type Answer,
  BODY,
  beside,
  greet,
  type Oddity,
  sends,
  target,
} from "../../test/preflight/targets.ts";
import { createProbe } from "../index.ts";
import { formatPreflight } from "./options.ts";
import { preflight } from "./preflight.ts";
import { unknownSetting } from "./settings.ts";

const held = { ...greet.golden, masks: [], variation: null, isPage: false };

test("targets that do the same work pass, with what the probe is to expect", async () => {
  const result = await beside({});
  expect(result).toMatchObject({ ok: true, problems: [], warnings: [], toConfirm: {} });
  expect(result.expectations.greet?.odd).toEqual(held);
  expect(Object.keys(result.identities)).toEqual(["node", "odd"]);
  expect(result.exchangeMs.greet?.odd).toBeGreaterThan(0);
  expect(formatPreflight(result)).toContain("Preflight passed: 1 case");
});

test("a case's own request is sent by preflight and probe alike, and others on its connection stay as they were", async () => {
  const seen: unknown[] = [];
  const answer: Answer = async (response, request) => {
    const { method, headers } = request;
    seen.push([
      method,
      headers["content-type"],
      headers["content-length"],
      (await text(request)).slice(0, 5),
    ]);
    sends(BODY)(response, request);
  };
  const { url } = await target("node", { answer });
  const sent = { method: "POST", contentType: "text/plain", repeated: "abc\n", bytes: 200_001 } as const;
  const cases = [{ ...greet, sends: sent }];
  const { problems, expectations } = await preflight({ targets: [{ name: "node", url }], cases });
  expect(problems).toEqual([]);
  const expected = expectations.greet?.node;
  if (expected === undefined) {
    throw new Error("Preflight let it pass without an expectation.");
  }
  const probe = createProbe(url);
  onTestFinished(() => probe.close());
  expect((await probe.exchange("/greet", expected, { digest: true })).error).toBeNull();
  const { sends: _, ...usual } = expected;
  expect((await probe.exchange("/greet", usual)).error).toBeNull();
  const upload = ["POST", "text/plain", "200001", "abc\na"];
  expect(seen).toEqual([upload, upload, upload, ["GET", undefined, undefined, ""]]);
});

test("a path with a secret is sent by preflight and probe alike, and what they find has what records have", async () => {
  const seen: (string | undefined)[] = [];
  const asked: Answer = (response, request) => {
    seen.push(request.url);
    sends(
      request.url === "/greet?token=s3cret" ? BODY : "",
      {},
      request.url === "/gone?key=s3cret" ? 404 : 200,
    )(response, request);
  };
  const get = { method: "GET", headers: {}, body: null };
  const secretPaths = {
    "/greet?token=<value>": "/greet?token=s3cret",
    "/gone?key=<value>": "/gone?key=s3cret",
  };
  const ofCases = new Map(Object.entries(secretPaths).map(([id, path]) => [id, { ...get, path }]));
  const request = { ...get, ofCases };
  const names = ["a", "b"];
  const targets = await Promise.all(
    names.map(async (name) => {
      const { url } = await target(name, { listener: (incoming, response) => asked(response, incoming) });
      return { name, url, ownServer: { request, facts: {} } };
    }),
  );
  const [first] = targets;
  const cases = Object.keys(secretPaths).map((path) => ({
    ...greet,
    id: path,
    path,
    golden: null,
    request: { method: "GET", headers: [], body: null },
  }));
  const { problems, expectations } = await preflight({ targets, cases: cases.slice(0, 1), laterMs: 0 });
  expect(problems).toEqual([]);
  const expected = expectations["/greet?token=<value>"]?.a;
  if (first === undefined || expected === undefined) {
    throw new Error("Preflight let it pass without an expectation.");
  }
  const probe = createProbe(first.url, { request });
  onTestFinished(() => probe.close());
  const exchange = await probe.exchange("/greet?token=<value>", expected, { digest: true });
  expect(exchange.error).toBeNull();
  expect(new Set(seen)).toEqual(new Set(["/greet?token=s3cret"]));
  const refused = await preflight({ targets, cases: cases.slice(1) });
  expect(refused.ok).toBe(false);
  expect(formatPreflight(refused)).toContain("/gone?key=<value>");
  expect(formatPreflight(refused)).not.toContain("s3cret");
});

const odd = (...sent: Parameters<typeof sends>): Oddity => ({ answer: sends(...sent) });
const source = expect.stringContaining("Its source: packages/cases/greet/case.ts");

test.each<[string, Oddity]>([
  ["digest", odd(`${BODY.slice(0, 100)}y${BODY.slice(101)}`)],
  ["length", odd(`${BODY} `)],
  ["content-type", odd(BODY, { "content-type": "text/plain" })],
  ["status", odd(BODY, {}, 404)],
  ["encoding", odd(gzipSync(BODY), { "content-encoding": "gzip" })],
  ["wire", odd(BODY, { connection: "close" })],
  ["cache", odd(BODY, { "cache-control": "s-maxage=60", etag: "1" })],
])("an answer of another %s is found as that, with the case's source", async (kind, oddity) => {
  const { ok, problems, expectations } = await beside(oddity);
  expect([ok, expectations.greet]).toEqual([false, undefined]);
  expect(problems).toMatchObject([{ kind, caseId: "greet", remedy: source }]);
  const [{ what = "", values = {} } = {}] = problems;
  if (kind === "digest") {
    expect(what).toContain("byte 100");
  }
  const names = kind === "cache" ? ["node", "odd"] : ["expected", "node", "odd"];
  expect(Object.keys(values)).toEqual(names);
  if (kind === "cache") {
    expect(values.odd).toBe("cache-control: s-maxage=60; with etag");
  }
});

describe("pins", () => {
  test("that differ stop the comparison with both values and a remedy, and may be allowed to", async () => {
    // No object has one by itself.
    const oddity = { pins: { artifact: "bbbb", constructor: "2" } };
    const result = await beside(oddity);
    expect(result.problems).toMatchObject([
      { kind: "pin", pin: "artifact", values: { node: "aaaa", odd: "bbbb" } },
      { pin: "constructor", values: { node: "(not given)", odd: "2" } },
    ]);
    expect(result.problems[0]?.remedy).toContain("Build once");
    const text = formatPreflight(result);
    for (const part of ["artifact", "aaaa", "bbbb", "--allow artifact"]) {
      expect(text).toContain(part);
    }
    const allowed = await beside(oddity, { allow: ["artifact", "constructor"] });
    expect(allowed).toMatchObject({ ok: true, problems: [], warnings: [{ pin: "artifact" }, {}] });
    expect(formatPreflight(allowed)).toContain("Allowed:");
    // Of those that could be, none has this name.
    expect(unknownSetting(["artifact", "build", "constructor"], result.identities)).toBeNull();
    expect(unknownSetting(["artifact", "artefact"], result.identities)).toMatch(
      /^There is no setting "artefact" .* takes: artifact, build, constructor/,
    );
  });

  test.each(["nodeEnv.artifact", "nodeEnv.runtime"])("%s must be production everywhere", async (pin) => {
    const alike = { pins: { [pin]: "development" } };
    const values = { expected: "production", node: "development", odd: "development" };
    expect((await beside(alike, { sound: alike })).problems).toMatchObject([{ kind: "pin", pin, values }]);
  });

  test("that only another framework's app gives are compared among its own targets alone", async () => {
    const oddity = { app: "another", pins: { vinext: "1.4.0" } };
    expect((await beside(oddity)).problems).toEqual([]);
    const both = { pins: { shared: "1" } };
    expect((await beside({ ...oddity, pins: { shared: "2" } }, { sound: both })).problems).toMatchObject([
      { kind: "pin", pin: "shared", values: { node: "1", odd: "2" } },
    ]);
  });

  test("of a case that is not measured do not matter", async () => {
    const pins = { "other.react": "18.0.0" };
    expect((await beside({ pins })).ok).toBe(false);
    expect((await beside({ pins }, { otherCaseIds: ["other"] })).ok).toBe(true);
  });
});

describe("a body", () => {
  const unconfirmed = [{ ...greet, golden: null }];

  test("that all targets get wrong alike is found by the golden values", async () => {
    const alike = odd(BODY.replaceAll("x", "z"));
    const what = expect.stringContaining("its golden value differs");
    expect((await beside(alike, { sound: alike })).problems).toMatchObject([{ kind: "digest", what }]);
  });

  test("that tells of its runtime shows what each target sends, and the case's source", async () => {
    const agents = { first: "workerd", second: "Node.js/24", third: "Node.js/24" };
    const targets = await Promise.all(
      Object.entries(agents).map(([name, agent]) =>
        target(name, odd(`{"agent":"${agent}","\u001b[2J\u202e":1}`)),
      ),
    );
    const { problems } = await preflight({ targets, cases: unconfirmed });
    expect(problems).toMatchObject([{ kind: "length", caseId: "greet", remedy: source }]);
    const [{ what = "", remedy = "" } = {}] = problems;
    expect(what).toContain('Bodies of case "greet" differ. They differ from byte 10');
    expect(what).toMatch(/workerd.* from first; .*Node\.js\/24.* from second, third\./);
    expect(what).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(remedy).not.toContain("build");
  });

  test("without golden values is compared between targets, and printed to be confirmed", async () => {
    const result = await beside({}, { cases: unconfirmed });
    expect(result).toMatchObject({ ok: true, toConfirm: { greet: greet.golden } });
    expect(result.expectations.greet?.odd).toEqual(held);
    expect(formatPreflight(result)).toContain(
      `    sha256: "${greet.golden?.sha256}",\n  },\nThis writes them`,
    );
    expect(result.bodiesToConfirm.greet?.toString()).toBe(BODY);
    const other = await beside(odd(BODY.toUpperCase()), { cases: unconfirmed });
    expect(other.problems).toMatchObject([{ kind: "digest" }]);
  });

  test("that changes from one exchange to the next is found unless the change is marked", async () => {
    let served = 0;
    const run = async (wrap: (text: string) => string) => {
      const targets = [
        await target(
          "node",
          odd(() => `at ${wrap(String(served++))}`),
        ),
      ];
      return preflight({ targets, cases: unconfirmed, laterMs: 0 });
    };
    expect((await run((text) => text)).problems).toMatchObject([{ kind: "digest" }]);
    expect((await run(volatile)).ok).toBe(true);
  });
});

describe("a case that throws", () => {
  const problemBody = JSON.stringify({ type: "about:blank", title: "The case failed", status: 500 });
  /** Answers as an instance does: it names itself, and so sends another body than others. */
  const threw: Oddity = odd(
    problemBody,
    { "content-type": "application/problem+json", connection: "close" },
    500,
  );

  test("on all targets is one problem, which says so and cannot be accepted", async () => {
    for (const cases of [[greet], [{ ...greet, golden: null }]]) {
      const { ok, problems, toConfirm } = await beside(threw, { sound: threw, cases });
      expect([ok, toConfirm]).toEqual([false, {}]);
      expect(problems).toMatchObject([{ kind: "threw", what: 'Case "greet" threw on all targets.' }]);
      expect(problems[0]?.remedy).toContain("packages/cases/greet/case.ts");
      expect(problems[0]?.remedy).toContain("cannot be accepted");
      expect(problems[0]?.remedy).not.toContain("--accept");
    }
  });

  test("on one of them is told of that one, and nothing else of its answer is compared", async () => {
    const what = 'Case "greet" threw on odd.';
    expect((await beside(threw)).problems).toMatchObject([
      { kind: "threw", what, values: { odd: "HTTP 500" } },
    ]);
    // An error of the runtime itself.
    const failed = odd("Internal Server Error", { connection: "close" }, 500);
    const answers = 'Case "greet" answers HTTP 500 on odd.';
    expect((await beside(failed)).problems).toMatchObject([{ kind: "status", what: answers }]);
  });
});

describe("a target", () => {
  test("that is down is named with its URL, the error and a remedy, and the others are still looked at", async () => {
    const gone = await target("odd");
    await gone.close();
    const result = await preflight({ targets: [await target("node"), gone], cases: [greet] });
    expect(result.problems).toMatchObject([{ kind: "down" }]);
    const text = formatPreflight(result);
    for (const part of ["odd", gone.url, "ECONNREFUSED", "Remedy"]) {
      expect(text).toContain(part);
    }
    expect(result.exchangeMs.greet?.node).toBeGreaterThan(0);
    const nameless = await beside({ listener: (_request, response) => response.end("hello") });
    const what = expect.stringContaining("does not answer with an identity");
    expect(nameless.problems).toMatchObject([{ kind: "down", what }]);
  });

  test("on which a case never ends is told by that case and its source, and is asked for no other, which would be blamed for it", async () => {
    const later = { ...greet, id: "later", path: "/later" };
    const identity = await (await fetch(`${(await target("model")).url}/identity`)).text();
    let stopped = false;
    const listener: RequestListener = ({ url }, response) => {
      stopped ||= url === "/greet";
      if (!stopped) {
        response.end(identity);
      }
    };
    const result = await beside({ listener }, { cases: [greet, later], timeoutMs: 2_000 });
    const what = expect.stringMatching(
      /^Case "greet" did not end on odd.*2000 ms\)\. odd is not asked for the other cases\.$/,
    );
    const remedy = expect.stringContaining("packages/cases/greet/case.ts");
    expect(result.problems).toMatchObject([{ kind: "unfinished", caseId: "greet", what, remedy }]);
    expect(formatPreflight(result)).not.toContain("http://");
    expect(result.exchangeMs.later?.node).toBeGreaterThan(0);
  });
});

describe("a framework's page", () => {
  let renderings = 0;
  const marked = () => {
    const renderId = String(renderings++).padStart(16, "0");
    const marker = renderMarker({
      instanceId: "0123456789abcdef",
      served: renderings,
      inFlight: 0,
      renderId,
    });
    return `<p hidden>${marker}</p>${BODY}`;
  };
  const fresh = sends(marked);
  const pages = (answer: Answer, sound: Answer, changes: Partial<CaseManifest> = {}) => {
    const cases = [{ ...greet, golden: null, page: { streams: null }, ...changes }];
    return beside({ answer }, { sound: { answer: sound }, cases });
  };

  test("that comes twice from one rendering is refused, and so is one that does not say so", async () => {
    const { problems } = await pages(sends(marked()), fresh);
    const values = { node: "rendered anew for each request", odd: expect.stringContaining("came twice") };
    expect(problems).toMatchObject([{ kind: "render", values }]);
    expect(problems[0]?.remedy).toContain("force-dynamic");
    const silent = sends(BODY);
    expect((await pages(silent, silent)).problems).toMatchObject([
      { kind: "render", values: { odd: "no render marker in the body" } },
    ]);
  });

  test("that is kept in caches may come twice, and each cache has its own headers for it", async () => {
    const kept = "Each platform keeps it for a second.";
    const once = marked();
    const hit = sends(once, { "cache-control": "s-maxage=1", "x-nextjs-cache": "HIT" });
    const changes = { page: null, cached: kept };
    expect((await pages(hit, fresh, changes)).problems).toEqual([]);
    const other = sends("another page", { "x-nextjs-cache": "HIT" });
    expect((await pages(other, fresh, changes)).problems).toMatchObject([{ kind: "length" }]);
  });

  test("that may be cached everywhere alike is no problem", async () => {
    const cached = sends(marked, { "cache-control": "s-maxage=60" });
    expect((await pages(cached, cached)).problems).toEqual([]);
  });

  // Longer than a busy machine stands still: what is written apart must not be read at once.
  const HELD_MS = 600;
  const inParts: Answer = (response) => {
    const body = marked();
    response.setHeader("content-type", "text/html").write(body.slice(0, 300));
    setTimeout(() => response.end(body.slice(300)), HELD_MS);
  };
  const atOnce: Answer = (...args) => void setTimeout(() => fresh(...args), HELD_MS);

  test("that comes in parts here and at once there is refused, whichever it should be", async () => {
    let requests = 0;
    // Parts of the first responses were held up.
    const later: Answer = (...sent) => (requests++ < 3 ? atOnce : inParts)(...sent);
    const [inPartsWanted, atOnceWanted, heldUp, alike] = await Promise.all([
      pages(atOnce, inParts, { page: { streams: true } }),
      pages(atOnce, inParts, { page: { streams: false } }),
      pages(later, inParts, { page: { streams: true } }),
      pages(atOnce, atOnce, { page: { streams: false } }),
    ]);
    const values = { node: "in parts", odd: "at once" };
    expect(inPartsWanted.problems).toMatchObject([
      { kind: "streaming", values: { expected: "in parts", ...values } },
    ]);
    expect(atOnceWanted.problems).toMatchObject([
      { kind: "streaming", values: { expected: "at once", ...values } },
    ]);
    expect(heldUp.problems).toEqual([]);
    // Three, until one came in parts, and the one that is asked for later.
    expect(requests).toBe(5);
    expect(alike.problems).toEqual([]);
  });

  test("whose framework varies its body is compared in the normal form, and the difference is told with sizes", async () => {
    const reason = "Pieces come as they are ready.";
    const variation = { reason, normalForm: "react-stream", lengthWithin: 0.5 } as const;
    const script = '<script>self.__next_f.push([1,"1:[\\"a\\"]\\n"])</script>';
    const cut =
      '<script>self.__next_f.push([1,"1:[\\"a"])</script><script>self.__next_f.push([1,"\\"]\\n"])</script>';
    const sending = (flight: string) => sends(() => marked() + flight);
    const result = await pages(sending(cut), sending(script), { variation });
    expect(result.problems).toEqual([]);
    // The probe is told that it says who rendered it.
    expect(result.expectations.greet?.odd).toMatchObject({ isPage: true });
    expect(result.differences).toEqual({
      greet: expect.stringMatching(
        /^Bodies of greet differ: Pieces come .* Bytes of one answer: node \d+, odd \d+\.$/,
      ),
    });
    const alike = await pages(sending(script), sending(script), { variation });
    expect(alike).toMatchObject({ problems: [], differences: {} });
    const other = await pages(sending(cut.replace("a", "b")), sending(script), { variation });
    expect(other.problems).toMatchObject([{ kind: "digest" }]);
  });
});
