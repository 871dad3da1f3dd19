import { expect, test, vi } from "vitest";
import { parseHeaders } from "./own-headers.ts";
import { parsePath } from "./own-paths.ts";
import { readOwnRequests } from "./own-requests.ts";
import { namesOwnServers } from "./own-server-options.ts";
import { parseUrlTarget, readOwnServers } from "./own-servers.ts";
import { collectTargets } from "./target-words.ts";

const target = ["a=http://127.0.0.1:1"];

test("a list of targets is split at its commas, and a command is not", () => {
  expect(collectTargets("node,b=http://b", ["a"])).toEqual(["a", "node", "b=http://b"]);
  const commands = collectTargets("b=cmd:serve --ids 1,2 x=1", ["a"]);
  expect(commands).toEqual(["a", "b=cmd:serve --ids 1,2 x=1"]);
});

test("a path, a command, or URLs alone are servers of one's own; URLs are not where cases of the repository are named", () => {
  const urls = ["a=http://cmd:1", "b=http://b"];
  expect(namesOwnServers({ target: ["a", "b=cmd:serve"] })).toBe(true);
  expect(namesOwnServers({ target: ["node"], path: ["/"] })).toBe(true);
  expect(namesOwnServers({ target: urls })).toBe(true);
  expect(namesOwnServers({ target: ["node", ...urls] })).toBe(false);
  expect(namesOwnServers({})).toBe(false);
  for (const ofRepository of [{ case: ["trig"] }, { app: ["next"] }, { deployed: true as const }]) {
    expect(namesOwnServers({ target: urls, ...ofRepository })).toBe(false);
  }
});

test.each([
  ["/", "/"],
  ["/suche?q=größe&ids=1,2", "/suche?q=gr%C3%B6%C3%9Fe&ids=1,2"],
  ["/a//b/.../c?d=../e&f=\\", "/a//b/.../c?d=../e&f=\\"],
  ["/a?", "/a"],
])("the path %j goes over the wire as %j", (text, path) => {
  expect(parsePath(text)).toBe(path);
});

test.each(["", "a", "//other.test/a", "/\\other.test", "http://other.test/"])("%j is no path", (text) => {
  expect(() => parsePath(text)).toThrow(/not a path\. Begin it with a slash/);
});

test.each([
  // It may be one of --path, or of a settings file's limits.
  ["/search?tag=c#&lang=de", /^The path '\/search\?tag=c#&lang=de' cannot be sent: .*%23/],
  ["/a\\b", /backslash becomes a slash/],
  ["/a/../b", /"\." or "\.\." are resolved/],
  ["/a/.%2e?b", /are resolved/],
  ["/a\tb", /control characters/],
  ["/a\nb", /control characters/],
  ["/a ", /ends with a blank/],
])("the path %j would be another request, and is refused", (text, message) => {
  expect(() => parsePath(text)).toThrow(message);
});

test("two paths that are one request are refused, and what is sent otherwise than written is said", async () => {
  const same = readOwnServers({ target, path: ["/a b", "/c", "/a%20b"] });
  await expect(same).rejects.toThrow("--path '/a b' and --path /a%20b are the same request, /a%20b.");
  await expect(readOwnServers({ target, path: ["/", "/"] })).rejects.toThrow("are the same request");
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  await readOwnServers({ target: ["a=http://127.1"], path: ["/a b", "/c"] });
  const lines = said.mock.calls.flat();
  expect(lines).toEqual(["--path '/a b' is sent as /a%20b", "a is asked at http://127.0.0.1"]);
});

test("a value in a path that may be a secret is sent, and stands in no record: its name is said once", async () => {
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  const paths = [
    "/a?token=s3cret",
    "/b?token=s3cret&page=2",
    "/c?X-Amz-Signature=s3cret",
    "/d?author=x&key=&monkey=1",
    "/e?api%5Fkey=s3cret&",
  ];
  const { targets, cases } = await readOwnServers({ target, path: paths });
  const lines = said.mock.calls.flat();
  expect(lines).toEqual(
    ["token", "X-Amz-Signature", "api_key"].map((name) =>
      expect.stringContaining(
        `The value of "${name}" in --path may be a secret: it is sent, and records and`,
      ),
    ),
  );
  const recorded = [
    "/a?token=<value>",
    "/b?token=<value>&page=2",
    "/c?X-Amz-Signature=<value>",
    "/d?author=x&key=&monkey=1",
    "/e?api%5Fkey=<value>&",
  ];
  expect(cases.map(({ path }) => path)).toEqual(recorded);
  expect([lines, JSON.stringify(cases)].join()).not.toContain("s3cret");
  const sent = targets[0]?.ownServer?.request.ofCases;
  expect(cases.map(({ id, path }) => sent?.get(id)?.path ?? path)).toEqual(paths);
});

test("paths that differ in a secret alone are two cases", async () => {
  const path = ["/a?token=s3cret", "/a?token=t0ken"];
  const { cases, settings } = await readOwnRequests({ path });
  expect(cases.map((manifest) => manifest.path)).toEqual(["/a?token=<value>", "/a?token=<value 2>"]);
  expect(new Set(cases.map(({ id }) => id)).size).toBe(2);
  expect([...(settings.ofCases ?? new Map()).values()].map((sent) => sent.path)).toEqual(path);
});

test.each(["http://127.0.0.1:3000", "HTTP://Worker.Example/", "https://worker.example:443"])(
  "nothing is said of the URL %s",
  (url) => {
    const said = vi.spyOn(console, "error").mockImplementation(() => {});
    parseUrlTarget(`a=${url}`, "");
    expect(said).not.toHaveBeenCalled();
  },
);

test("headers have names in lower case, and values with colons", () => {
  expect(parseHeaders(["X-At:  12:30 ", "x-empty:"])).toEqual({ "x-at": "12:30", "x-empty": "" });
  // A cookie without a name is its value alone, as browsers send it (RFC 6265bis, 5.8.3).
  const twice = ["Cookie: a=1", "cookie: b", "accept: text/html", "Accept: text/css"];
  expect(parseHeaders(twice)).toEqual({ accept: "text/html, text/css", cookie: "a=1; b" });
});

test.each([
  ["token", /Write it as "name: value"/],
  ["a: b\r\nc: d", /Write it as "name: value"/],
  ["Accept-Encoding: br", /cannot set accept-encoding: bodies are compared as they are/],
  ["Keep-Alive: timeout=5", /cannot set keep-alive/],
  ["x-name: Zoë", /--header x-name has letters beyond ASCII(?!.*Zo)/],
  ["x-name: a\u007fb", /Write it as "name: value"/],
])("the header %j is refused, and not repeated", (text, message) => {
  expect(() => parseHeaders([text])).toThrow(message);
});

test("each path is a case with an id of its own", async () => {
  const { cases } = await readOwnServers({ target, path: ["/", "/a/b?c=1", "/a-b/c/1"] });
  expect(cases.map(({ id, path }) => [id, path])).toEqual([
    ["root", "/"],
    ["a-b-c-1", "/a/b?c=1"],
    ["a-b-c-1-2", "/a-b/c/1"],
  ]);
});

test("a command alone is asked for its root, from the folder where it was typed", async () => {
  const { targets, cases } = await readOwnServers({ target: ["a=cmd: node x.js"] });
  expect(cases.map(({ path }) => path)).toEqual(["/"]);
  expect(targets).toMatchObject([{ place: "local", name: "a", deployable: process.cwd() }]);
});

test("a body makes the method POST, and is in the record by its digest alone", async () => {
  const { targets, cases } = await readOwnServers({ target, path: ["/"], body: import.meta.filename });
  expect(targets[0]?.ownServer?.request.method).toBe("POST");
  const body = { file: import.meta.filename, bytes: targets[0]?.ownServer?.request.body?.byteLength };
  expect(cases[0]?.request).toMatchObject({ method: "POST", headers: [], body });
  expect(cases[0]).toMatchObject({ id: "post", title: "POST /" });
});
