import { expect, test } from "vitest";
import { getCommand, parseReply, versionCommand } from "./protocol.ts";

test("commands are the parts of what the protocol wants", () => {
  expect(getCommand("spent:1").join("")).toBe("get spent:1\r\n");
  expect(getCommand("spent:1")).toHaveLength(3);
  expect(versionCommand().join("")).toBe("version\r\n");
});

test.each([
  ["END\r\n", { kind: "miss" }],
  ["VALUE spent:1 0 3\r\nyes\r\nEND\r\n", { kind: "value", value: "yes" }],
  ["VALUE k 0 7\r\na\r\nEND\r\r\nEND\r\n", { kind: "value", value: "a\r\nEND\r" }],
  ["VALUE k 0 0\r\n\r\nEND\r\n", { kind: "value", value: "" }],
  ["VERSION 1.6.18\r\n", { kind: "version", version: "1.6.18" }],
  ["ERROR\r\n", { kind: "error", message: "ERROR" }],
  ["SERVER_ERROR out of memory\r\n", { kind: "error", message: "SERVER_ERROR out of memory" }],
])("%j is read whole, and at no byte before its end", (text, reply) => {
  expect(parseReply(text)).toEqual(reply);
  for (let length = 0; length < text.length; length++) expect(parseReply(text.slice(0, length))).toBeNull();
});
