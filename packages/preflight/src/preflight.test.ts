import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { type CaseManifest, type Identity, renderMarker, volatile } from "@evenbench/core";
import { maskedDigest } from "@evenbench/probe";
import { afterEach, describe, expect, test } from "vitest";
import { formatPreflight } from "./format.ts";
import { type PreflightOptions, preflight } from "./preflight.ts";

const BODY = `<p>${"x".repeat(500)}</p>`;
const PINS = {
  "nodeEnv.artifact": "production",
  "nodeEnv.runtime": "production",
  artifact: "aaaa",
  "greet.react": "19.3.1",
};

const greet: CaseManifest = {
  id: "greet",
  path: "/greet",
  title: "Greet",
  description: "A page.",
  parameters: {},
  golden: {
    status: 200,
    contentType: "text/html",
    bytes: BODY.length,
    sha256: maskedDigest(Buffer.from(BODY)),
  },
  masks: [],
  headline: "lastByteMs",
  notSameCode: null,
  services: [],
  variation: null,
  page: null,
};

const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

interface Oddity {
  readonly pins?: Record<string, string>;
  readonly answer?: (response: ServerResponse) => void;
  readonly listener?: RequestListener;
}

/** A real server that serves the case `greet` and an identity, with what is odd about it. */
async function target(name: string, { pins = {}, answer, listener }: Oddity = {}) {
  const identity: Identity = {
    schemaVersion: 1,
    app: "bundle",
    platform: name,
    instance: { id: "0123456789abcdef", served: 0 },
    pins: { ...PINS, ...pins },
    facts: {},
  };
  const server = createServer(
    listener ??
      ((request, response) => {
        if (request.url === "/identity") response.end(JSON.stringify(identity));
        else if (answer) answer(response);
        else html(response).end(BODY);
      }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => void server.close(() => resolve()));
  };
  servers.push({ close });
  return { name, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

function html(response: ServerResponse): ServerResponse {
  return response.setHeader("content-type", "text/html; charset=utf-8");
}

/** A sound target "node" beside one that is odd. */
async function beside(oddity: Oddity, options: Partial<PreflightOptions> = {}) {
  const targets = [await target("node"), await target("odd", oddity)];
  return preflight({ targets, cases: [greet], ...options });
}

test("targets that do the same work pass, with what the probe is to expect", async () => {
  const result = await beside({});
  expect(result).toMatchObject({ ok: true, problems: [], warnings: [], toConfirm: {} });
  expect(result.expectations.greet).toEqual({ ...greet.golden, masks: [], variation: null, isPage: false });
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
  });

  test("that only one target tells of differ", async () => {
    const result = await beside({ pins: { "framework.version": "1" } });
    expect(result.problems).toMatchObject([
      { pin: "framework.version", values: { node: "(not told)", odd: "1" } },
    ]);
  });

  test("that are allowed to differ become warnings", async () => {
    const result = await beside({ pins: { artifact: "bbbb" } }, { allow: ["artifact"] });
    expect(result).toMatchObject({ ok: true, problems: [], warnings: [{ pin: "artifact" }] });
    expect(formatPreflight(result)).toContain("Allowed:");
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
    const result = await preflight({ targets, cases: [greet] });
    expect(result.problems).toMatchObject([{ kind: "digest" }]);
  });

  test("of another length, type or status is found as that", async () => {
    const problemWith = async (answer: Oddity["answer"] & {}) => (await beside({ answer })).problems[0]?.kind;
    expect(await problemWith((response) => html(response).end(`${BODY} `))).toBe("length");
    expect(await problemWith((response) => response.setHeader("content-type", "text/plain").end(BODY))).toBe(
      "content-type",
    );
    expect(await problemWith((response) => html(response).writeHead(500).end(BODY))).toBe("status");
  });

  test("that is compressed is found, with how to mend it", async () => {
    const answer = (response: ServerResponse) =>
      html(response).setHeader("content-encoding", "gzip").end(gzipSync(BODY));
    const result = await beside({ answer });
    expect(result.problems).toMatchObject([{ kind: "encoding", values: { node: "none", odd: "gzip" } }]);
    expect(result.problems[0]?.remedy).toContain("compression off");
  });

  test("without golden values is compared between targets, and printed to be confirmed", async () => {
    const cases = [{ ...greet, golden: null }];
    const result = await beside({}, { cases });
    expect(result).toMatchObject({ ok: true, toConfirm: { greet: greet.golden } });
    expect(result.expectations.greet).toEqual({ ...greet.golden, masks: [], variation: null, isPage: false });
    expect(formatPreflight(result)).toContain(greet.golden?.sha256);

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

  test("that hangs is down after the bound", async () => {
    const result = await beside({ answer: () => {} }, { timeoutMs: 100 });
    expect(result.problems).toMatchObject([{ kind: "down", caseId: "greet" }]);
    expect(result.problems[0]?.what).toContain("within 100 ms");
  });

  test("that closes its connections is found", async () => {
    const answer = (response: ServerResponse) => html(response).setHeader("connection", "close").end(BODY);
    expect((await beside({ answer })).problems).toMatchObject([{ kind: "wire", caseId: "greet" }]);
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

  test("passes when it is rendered anew each time, and the probe is told that it says who rendered it", async () => {
    const result = await pages(fresh);
    expect(result.problems).toEqual([]);
    expect(result.expectations.greet).toMatchObject({ isPage: true });
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
      setTimeout(() => response.end(body.slice(300)), 300);
    };
    const atOnce = (response: ServerResponse) => void setTimeout(() => fresh(response), 300);
    const streaming = { ...page, page: { streams: true } };
    const whole = { ...page, page: { streams: false } };
    expect((await pages(atOnce, streaming, inParts)).problems).toMatchObject([
      { kind: "streaming", values: { expected: "in parts", node: "in parts", odd: "at once" } },
    ]);
    expect((await pages(atOnce, whole, inParts)).problems).toMatchObject([
      { kind: "streaming", values: { expected: "at once", node: "in parts", odd: "at once" } },
    ]);
    expect((await pages(inParts, streaming, inParts)).problems).toEqual([]);
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
    expect(result.differences).toEqual([
      expect.stringMatching(/^Bodies of greet differ: Pieces come .* Bytes: node \d+, odd \d+\.$/),
    ]);
    const other = await pages(sending(cut.replace("a", "b")), { ...page, variation }, sending(script));
    expect(other.problems).toMatchObject([{ kind: "digest" }]);
  });
});
