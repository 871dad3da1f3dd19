import {
  type CaseDefinition,
  defineCase,
  type Identity,
  INSTANCE_HEADER,
  manifestOfCase,
  parseInstanceHeader,
  wholeResponse,
} from "@evenbench/core";
import { beforeEach, expect, test, vi } from "vitest";
import { makeCreateHandler } from "./handler.ts";
import type { IndexedCase } from "./identity.ts";

const common = { description: "For tests.", golden: null } as const;
const parameters = {
  n: { type: "integer", default: 2, minimum: 1, maximum: 9, description: "How many." },
  how: { type: "choice", default: "a<b", choices: ["a<b", "c"], description: "" },
} as const;

/** Cases that wait are let go by the test that made them wait. */
let release: (response: Response) => void = () => {};
let cancelled: unknown[] = [];

const plain = (title: string, handle: () => Response | Promise<Response>, pins?: CaseDefinition["pins"]) =>
  defineCase({ ...common, title, parameters: {}, handle, ...(pins && { pins }) });
const nothing = () => new Response(null, { status: 204 });

const cases: Record<string, CaseDefinition> = {
  echo: defineCase({
    ...common,
    title: "Echo",
    parameters,
    handle: (_request, { n, how }) => wholeResponse(`${n} ${how}`, "text/plain"),
  }),
  waits: plain("Waits", () => new Promise((resolve) => (release = resolve))),
  streams: plain(
    "Streams",
    () => new Response(new ReadableStream({ cancel: (reason) => void cancelled.push(reason) })),
  ),
  throws: plain("Throws", () => {
    throw new Error("this one is on purpose");
  }),
  rejects: plain("Rejects", async () => Promise.reject(new Error("this one too"))),
  nothing: plain("Nothing", () => undefined as never),
  redirects: plain("Redirects", () => Response.redirect("http://localhost/echo", 302)),
  pinned: plain("Pinned", nothing, ({ platform }) => ({ build: `production on ${platform}` })),
  unpinnable: plain("Unpinnable", nothing, () => {
    throw new Error("no version to be had");
  }),
};

/** A case that says where its service is. */
const withService = (id: string) =>
  defineCase({
    ...common,
    title: "Talker",
    parameters: {},
    services: [id],
    handle: (_request, _parameters, { services }) => new Response(services?.[id]),
  });

function newHandler(more: Readonly<Record<string, CaseDefinition>> = {}) {
  const indexed = Object.entries({ ...cases, ...more }).map(
    ([id, definition]): IndexedCase => ({
      manifest: manifestOfCase(id, definition),
      hasPins: definition.pins !== undefined,
      load: async () => ({ default: definition }),
    }),
  );
  const createHandler = makeCreateHandler({
    app: "bundle",
    label: "Artifact d",
    pins: { artifact: "d".repeat(64), "nodeEnv.artifact": "production" },
    cases: indexed,
  });
  const handler = createHandler({ platform: "node", nodeEnv: undefined, facts: () => ({ region: null }) });
  return (path: string, init?: RequestInit) => handler(new Request(`http://localhost:8787${path}`, init));
}

let request: ReturnType<typeof newHandler>;
let logged: string[];

beforeEach(() => {
  request = newHandler();
  cancelled = [];
  logged = [];
  vi.spyOn(console, "error").mockImplementation((...words) => void logged.push(words.join(" ")));
});

const account = (response: Response) => parseInstanceHeader(response.headers.get(INSTANCE_HEADER));
const counts = (response: Response) => [account(response)?.served, account(response)?.inFlight];
const identity = async () => (await (await request("/identity")).json()) as Identity;

test("a case gets its defaults, or what the query says", async () => {
  expect(await (await request("/echo")).text()).toBe("2 a<b");
  expect(await (await request("/echo?")).text()).toBe("2 a<b");
  expect(await (await request("/echo?how=c&n=9")).text()).toBe("9 c");
});

test("a case with a request of its own is asked by its method alone, and reads the body", async () => {
  const uploaded = defineCase({
    ...common,
    title: "Uploaded",
    sends: { method: "PUT", contentType: "text/plain", repeated: "x", bytes: 3 },
    handle: async (asked) => wholeResponse(await asked.text(), "text/plain"),
  });
  const handle = newHandler({ uploaded });
  const answer = await handle("/uploaded", { method: "PUT", body: "abc" });
  expect([answer.status, await answer.text()]).toEqual([200, "abc"]);
  for (const method of ["GET", "HEAD", "POST"]) {
    const refused = await handle("/uploaded", { method });
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "PUT"]);
  }
  const other = await handle("/echo", { method: "PUT" });
  expect([other.status, other.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  const list = await (await handle("/")).text();
  expect(list).toContain("<h2>uploaded (PUT /uploaded)</h2>");
});

test("a case is told where its service is; where it has none, a 503 says what to set and counts as no request", async () => {
  const handle = newHandler({ talker: withService("key-store") });
  const response = await handle("/talker");
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({
    case: "talker",
    services: ["key-store"],
    detail: expect.stringContaining("EVENBENCH_SERVICE_KEY_STORE"),
  });
  expect(counts(await handle("/echo"))).toEqual([0, 0]);
  vi.stubEnv("EVENBENCH_SERVICE_KEY_STORE", "127.0.0.1:1234");
  const served = newHandler({ talker: withService("key-store") });
  expect(await (await served("/talker")).text()).toBe("127.0.0.1:1234");
});

test("a request whose client went away is in flight no longer, and is not counted down twice", async () => {
  const client = new AbortController();
  const waiting = request("/waits", { signal: client.signal });
  await new Promise((resolve) => setImmediate(resolve));
  client.abort();
  expect(counts(await request("/echo"))[1]).toBe(0);
  release(new Response("nobody reads this"));
  await waiting;
  expect(counts(await request("/echo"))[1]).toBe(0);
});

test.each(["throws", "rejects", "nothing"])(
  "a handler that %s is a 500, its stack is logged and not told, and the next one works",
  async (id) => {
    const response = await request(`/${id}`);
    const body = await response.text();
    expect([response.status, counts(response)]).toEqual([500, [0, 0]]);
    expect(JSON.parse(body)).toMatchObject({ status: 500, case: id });
    expect(body).not.toMatch(/purpose|too/);
    expect(logged.join()).toMatch(
      new RegExp(`case "${id}" threw in instance [0-9a-f]{16}: .*Error: .*\n +at `),
    );
    expect(counts(await request("/echo"))).toEqual([1, 0]);
  },
);

test("HEAD lets the stream of the body go", async () => {
  const head = await request("/streams", { method: "HEAD" });
  expect(await head.text()).toBe("");
  expect(cancelled).toHaveLength(1);
});

test("a response with immutable headers is stamped too", async () => {
  const response = await request("/redirects");
  expect(response.status).toBe(302);
  expect(counts(response)).toEqual([0, 0]);
});

test("a bad parameter and an unknown path are refused in few words, and count as nothing", async () => {
  expect((await request("/echo?n=10")).status).toBe(400);
  for (const path of ["/__proto__", `/${"x".repeat(5000)}`]) {
    const response = await request(path);
    expect(response.status).toBe(404);
    expect((await response.text()).length).toBeLessThan(1000);
  }
  expect((await identity()).instance.served).toBe(0);
});

test("the identity tells pins and facts, is no served request, and says which pin could not be read", async () => {
  await request("/echo");
  expect(await identity()).toMatchObject({
    schemaVersion: 1,
    app: "bundle",
    platform: "node",
    instance: { served: 1 },
    pins: {
      "nodeEnv.artifact": "production",
      "nodeEnv.runtime": "undefined",
      artifact: "d".repeat(64),
      "pinned.build": "production on node",
      "unpinnable.pins": "unreadable on node: Error: no version to be had",
    },
    facts: { region: null },
  });
  expect((await identity()).instance.served).toBe(1);
  expect(logged.join()).toContain("no version to be had");
});

test("the list page offers parameters within their bounds, escaped", async () => {
  const page = await (await request("/")).text();
  expect(page).toContain("<code>?n=</code> How many. (an integer from 1 to 9; else 2)");
  expect(page).toContain("one of a&#60;b, c; else a&#60;b");
  expect(page).not.toContain("a<b");
});
