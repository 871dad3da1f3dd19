import { expect, test } from "vitest";
import { collectTargets, isOfOwnServers } from "./options.ts";
import { parseHeaders, parsePath, readOwnServers } from "./own-servers.ts";

const target = ["a=http://127.0.0.1:1"];

test("a list of targets is split at its commas, a command is not, and makes them servers of one's own", () => {
  expect(collectTargets("node,b=http://b", ["a"])).toEqual(["a", "node", "b=http://b"]);
  const commands = collectTargets("b=cmd:serve --ids 1,2 x=1", ["a"]);
  expect(commands).toEqual(["a", "b=cmd:serve --ids 1,2 x=1"]);
  expect([commands, target, ["a=http://cmd:1"]].map((list) => isOfOwnServers({ target: list }))).toEqual([
    ...[true, false, false],
  ]);
  expect(isOfOwnServers({ target, path: ["/"] })).toBe(true);
});

test.each([
  ["/", "/"],
  ["/a?b=c d", "/a?b=c%20d"],
  ["/ä/../ö#x", "/%C3%B6"],
])("the path %j goes over the wire as %j", (text, path) => {
  expect(parsePath(text)).toBe(path);
});

test.each(["", "a", "//other.test/a", "/\\other.test", "http://other.test/"])("%j is no path", (text) => {
  expect(() => parsePath(text)).toThrow(/not a path\. Begin it with a slash/);
});

test("headers have names in lower case, and values with colons", () => {
  expect(parseHeaders(["X-At:  12:30 ", "x-empty:"])).toEqual({ "x-at": "12:30", "x-empty": "" });
  const twice = ["Cookie: a=1", "cookie: b=2", "accept: text/html", "Accept: text/css"];
  expect(parseHeaders(twice)).toEqual({ accept: "text/html, text/css", cookie: "a=1; b=2" });
});

test.each([
  ["token", /Write it as "name: value"/],
  ["a: b\r\nc: d", /Write it as "name: value"/],
  ["Accept-Encoding: br", /cannot set accept-encoding: bodies are compared as they are/],
  ["connection: close", /cannot set connection/],
])("the header %j is refused, and not repeated", (text, message) => {
  expect(() => parseHeaders([text])).toThrow(message);
});

test("each path is a case with an id of its own, and what is asked twice is one", async () => {
  const { cases } = await readOwnServers({ target, path: ["/", "/a/b?c=1", "/a-b/c/1", "/"] });
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
