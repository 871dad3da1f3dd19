import type { RequestListener, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { type CaseManifest, renderMarker, volatile } from "@evenbench/core";
import { describe, expect, test } from "vitest";
import { BODY, beside, greet, html, type Oddity, target } from "../../test/preflight/targets.ts";
import { formatPreflight } from "./options.ts";
import { preflight, unknownSetting } from "./preflight.ts";

test("targets that do the same work pass, with what the probe is to expect", async () => {
  const result = await beside({});
  expect(result).toMatchObject({ ok: true, problems: [], warnings: [], toConfirm: {} });
  expect(result.expectations.greet?.odd).toEqual({
    ...greet.golden,
    masks: [],
    variation: null,
    isPage: false,
  });
  expect(Object.keys(result.identities)).toEqual(["node", "odd"]);
  expect(result.exchangeMs.greet?.odd).toBeGreaterThan(0);
  expect(formatPreflight(result)).toContain("Preflight passed: 1 case");
});

describe("pins", () => {
  test("that differ stop the comparison with both values, the pin's name and a remedy", async () => {
    const result = await beside({ pins: { artifact: "bbbb" } });
    expect(result.ok).toBe(false);
    expect(result.problems).toMatchObject([
      { kind: "pin", pin: "artifact", values: { node: "aaaa", odd: "bbbb" } },
    ]);
    expect(result.problems[0]?.remedy).toContain("Build once");
    const text = formatPreflight(result);
    for (const part of ["artifact", "aaaa", "bbbb", "--allow artifact"]) expect(text).toContain(part);
    const allowed = await beside({ pins: { artifact: "bbbb" } }, { allow: ["artifact"] });
    expect(allowed).toMatchObject({ ok: true, problems: [], warnings: [{ pin: "artifact" }] });
    expect(formatPreflight(allowed)).toContain("Allowed:");
  });

  test("of which none has a name that was allowed are named, with those that there are", async () => {
    const { identities } = await beside({ pins: { "framework.version": "1" } });
    expect(unknownSetting(["artifact", "build", "framework.version"], identities)).toBeNull();
    expect(unknownSetting(["artifact", "artefact"], identities)).toMatch(
      /^There is no setting "artefact" .* takes: artifact, build, .*framework\.version/,
    );
  });

  test.each(["nodeEnv.artifact", "nodeEnv.runtime"])(
    "%s must be production even where all agree",
    async (pin) => {
      const pins = { [pin]: "development" };
      const targets = [await target("node", { pins }), await target("odd", { pins })];
      const result = await preflight({ targets, cases: [greet] });
      expect(result.problems).toMatchObject([
        { kind: "pin", pin, values: { expected: "production", node: "development", odd: "development" } },
      ]);
    },
  );

  test("that only one target tells of differ, whatever they are called: no object has them by itself", async () => {
    const { problems } = await beside({ pins: { "framework.version": "1", constructor: "2" } });
    expect(problems).toMatchObject([
      { pin: "constructor", values: { node: "(not given)", odd: "2" } },
      { pin: "framework.version", values: { node: "(not given)", odd: "1" } },
    ]);
  });

  test("of a case that is not measured do not matter", async () => {
    const pins = { "other.react": "18.0.0" };
    expect((await beside({ pins })).ok).toBe(false);
    expect((await beside({ pins }, { otherCaseIds: ["other"] })).ok).toBe(true);
  });
});

describe("a body", () => {
  test("that differs by one byte is found, with the place", async () => {
    const wrong = `${BODY.slice(0, 100)}y${BODY.slice(101)}`;
    const result = await beside({ answer: (response) => html(response).end(wrong) });
    expect(result.problems).toMatchObject([{ kind: "digest", caseId: "greet" }]);
    expect(result.problems[0]?.what).toContain("byte 100");
    expect(Object.keys(result.problems[0]?.values ?? {})).toEqual(["expected", "node", "odd"]);
    expect(result.expectations.greet).toBeUndefined();
  });

  test("that all targets get wrong alike is found by the golden values", async () => {
    const answer = (response: ServerResponse) => html(response).end(BODY.replaceAll("x", "z"));
    const targets = [await target("node", { answer }), await target("odd", { answer })];
    const { problems } = await preflight({ targets, cases: [greet] });
    expect(problems).toMatchObject([
      { kind: "digest", what: expect.stringContaining("its golden value differs") },
    ]);
  });

  test.each<[string, NonNullable<Oddity["answer"]>, string]>([
    ["of another length", (response) => html(response).end(`${BODY} `), "length"],
    [
      "of another type",
      (response) => response.setHeader("content-type", "text/plain").end(BODY),
      "content-type",
    ],
    ["with another status", (response) => html(response).writeHead(500).end(BODY), "status"],
    [
      "that is compressed",
      (response) => html(response).setHeader("content-encoding", "gzip").end(gzipSync(BODY)),
      "encoding",
    ],
    [
      "on a connection that is closed",
      (response) => html(response).setHeader("connection", "close").end(BODY),
      "wire",
    ],
  ])("%s is found as that", async (_, answer, kind) => {
    const { problems } = await beside({ answer });
    expect(problems[0]).toMatchObject({ kind, caseId: "greet" });
    expect(problems[0]?.remedy).toContain("Its source: packages/cases/greet/case.ts");
  });

  test("that tells of its runtime shows what each target sends, and the case's source", async () => {
    const says = (agent: string) => (response: ServerResponse) =>
      html(response).end(`{"agent":"${agent}","\u001b[2J\u202e":1}`);
    const agents = { first: "workerd", second: "Node.js/24", third: "Node.js/24" };
    const targets = await Promise.all(
      Object.entries(agents).map(([name, agent]) => target(name, { answer: says(agent) })),
    );
    const { problems } = await preflight({ targets, cases: [{ ...greet, golden: null }] });
    expect(problems).toMatchObject([{ kind: "length", caseId: "greet" }]);
    const [{ what = "", remedy = "" } = {}] = problems;
    expect(what).toContain('Bodies of case "greet" differ. They differ from byte 10');
    expect(what).toMatch(/workerd.* from first; .*Node\.js\/24.* from second, third\./);
    expect(what).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(remedy).toContain("packages/cases/greet/case.ts");
    expect(remedy).not.toContain("build");
  });

  test("without golden values is compared between targets, and printed to be confirmed", async () => {
    const cases = [{ ...greet, golden: null }];
    const result = await beside({}, { cases });
    expect(result).toMatchObject({ ok: true, toConfirm: { greet: greet.golden } });
    expect(result.expectations.greet?.odd).toEqual({
      ...greet.golden,
      masks: [],
      variation: null,
      isPage: false,
    });
    expect(formatPreflight(result)).toContain(
      `    sha256: "${greet.golden?.sha256}",\n  },\nThis writes them`,
    );
    expect(result.bodiesToConfirm.greet?.toString()).toBe(BODY);

    const other = await beside({ answer: (response) => html(response).end(BODY.toUpperCase()) }, { cases });
    expect(other.problems).toMatchObject([{ kind: "digest" }]);
  });

  test("that changes from one exchange to the next is found unless the change is marked", async () => {
    const cases = [{ ...greet, golden: null }];
    const run = async (wrap: (text: string) => string) => {
      let served = 0;
      const answer = (response: ServerResponse) => html(response).end(`at ${wrap(String(served++))}`);
      return preflight({ targets: [await target("node", { answer })], cases });
    };
    expect((await run((text) => text)).problems).toMatchObject([{ kind: "digest" }]);
    expect((await run(volatile)).ok).toBe(true);
  });
});

describe("a target", () => {
  test("that is down is named with its URL, the error and a remedy, and the others are still looked at", async () => {
    const gone = await target("odd");
    await gone.close();
    const result = await preflight({ targets: [await target("node"), gone], cases: [greet] });
    expect(result.problems).toMatchObject([{ kind: "down" }]);
    const text = formatPreflight(result);
    for (const part of ["odd", gone.url, "ECONNREFUSED", "Remedy"]) expect(text).toContain(part);
    expect(result.exchangeMs.greet?.node).toBeGreaterThan(0);
  });

  test("without an identity is down", async () => {
    const result = await beside({ listener: (_request, response) => response.end("hello") });
    expect(result.problems[0]?.what).toContain("does not answer with an identity");
  });

  test("on which a case never ends is told by the case and its source, not by a URL", async () => {
    const result = await beside({ answer: () => {} }, { timeoutMs: 2_000 });
    const what = expect.stringMatching(
      /^Case "greet" did not end on odd.*2000 ms\)\. odd is not asked for the other cases\.$/,
    );
    expect(result.problems).toMatchObject([{ kind: "unfinished", caseId: "greet", what }]);
    expect(result.problems[0]?.remedy).toContain("packages/cases/greet/case.ts");
    expect(formatPreflight(result)).not.toContain("http://");
  });

  test("that a case has stopped is not asked for others, which would be blamed for it", async () => {
    const later = { ...greet, id: "later", path: "/later" };
    const identity = await (await fetch(`${(await target("model")).url}/identity`)).text();
    let stopped = false;
    const listener: RequestListener = ({ url }, response) => {
      stopped ||= url === "/greet";
      if (!stopped) response.end(identity);
    };
    const result = await beside({ listener }, { cases: [greet, later], timeoutMs: 2_000 });
    expect(result.problems).toMatchObject([{ kind: "unfinished", caseId: "greet" }]);
    expect(result.exchangeMs.later?.node).toBeGreaterThan(0);
  });
});

describe("a framework's page", () => {
  const page: CaseManifest = { ...greet, golden: null, page: { streams: null } };
  let renderings = 0;
  const marked = (renderId = String(renderings++).padStart(16, "0")) =>
    `<p hidden>${renderMarker({ instanceId: "0123456789abcdef", served: renderings, inFlight: 0, renderId })}</p>${BODY}`;
  const fresh = (response: ServerResponse): void => void html(response).end(marked());
  const pages = async (odd: (response: ServerResponse) => void, one: CaseManifest = page, sound = fresh) =>
    preflight({
      targets: [await target("node", { answer: sound }), await target("odd", { answer: odd })],
      cases: [one],
    });

  test("that comes twice from one rendering is refused, and so is one that does not say so", async () => {
    const kept = marked();
    const result = await pages((response) => html(response).end(kept));
    expect(result.problems).toMatchObject([
      {
        kind: "render",
        values: { node: "rendered anew for each request", odd: expect.stringContaining("came twice") },
      },
    ]);
    expect(result.problems[0]?.remedy).toContain("force-dynamic");
    const silent = (response: ServerResponse) => html(response).end(BODY);
    const other = await pages(silent, page, silent);
    expect(other.problems).toMatchObject([
      { kind: "render", values: { odd: "no render marker in the body" } },
    ]);
  });

  test("that may be cached here and not there is refused with both headers", async () => {
    const cached = (response: ServerResponse) => {
      response.setHeader("cache-control", "s-maxage=60").setHeader("etag", String(Math.random()));
      fresh(response);
    };
    const result = await pages(cached);
    expect(result.problems).toMatchObject([
      {
        kind: "cache",
        values: { node: "no header for caches", odd: "cache-control: s-maxage=60; with etag" },
      },
    ]);
    expect((await pages(cached, page, cached)).problems).toEqual([]);
  });

  test("that comes in parts here and at once there is refused, whichever it should be", async () => {
    // The halves are as far apart as the whole is long: no busy machine turns one into the other.
    const inParts = (response: ServerResponse) => {
      const body = marked();
      html(response).write(body.slice(0, 300));
      setTimeout(() => response.end(body.slice(300)), 80);
    };
    const atOnce = (response: ServerResponse) => void setTimeout(() => fresh(response), 80);
    const streaming = { ...page, page: { streams: true } };
    const whole = { ...page, page: { streams: false } };
    expect((await pages(atOnce, streaming, inParts)).problems).toMatchObject([
      { kind: "streaming", values: { expected: "in parts", node: "in parts", odd: "at once" } },
    ]);
    expect((await pages(atOnce, whole, inParts)).problems).toMatchObject([
      { kind: "streaming", values: { expected: "at once", node: "in parts", odd: "at once" } },
    ]);
    expect((await pages(inParts, streaming, inParts)).problems).toEqual([]);
    // Parts of the first responses were held up.
    let asked = 0;
    const later = (response: ServerResponse) => (asked++ < 3 ? atOnce(response) : inParts(response));
    expect((await pages(later, streaming, inParts)).problems).toEqual([]);
    expect(asked).toBe(4);
    expect((await pages(atOnce, whole, atOnce)).problems).toEqual([]);
  });

  test("whose framework varies its body is compared in the normal form, and the difference is told with sizes", async () => {
    const variation = {
      reason: "Pieces come as they are ready.",
      normalForm: "react-stream",
      lengthWithin: 0.5,
    } as const;
    const script = '<script>self.__next_f.push([1,"1:[\\"a\\"]\\n"])</script>';
    const cut =
      '<script>self.__next_f.push([1,"1:[\\"a"])</script><script>self.__next_f.push([1,"\\"]\\n"])</script>';
    const sending = (flight: string) => (response: ServerResponse) => html(response).end(marked() + flight);
    const result = await pages(sending(cut), { ...page, variation }, sending(script));
    expect(result.problems).toEqual([]);
    // The probe is told that it says who rendered it.
    expect(result.expectations.greet?.odd).toMatchObject({ isPage: true });
    expect(result.differences).toEqual([
      expect.stringMatching(/^Bodies of greet differ: Pieces come .* Bytes: node \d+, odd \d+\.$/),
    ]);
    const other = await pages(sending(cut.replace("a", "b")), { ...page, variation }, sending(script));
    expect(other.problems).toMatchObject([{ kind: "digest" }]);
  });
});
