import { expect, test } from "vitest";
import { parseReply } from "./protocol.ts";

test.each([
  ["END\r\n", "END"],
  ["VALUE spent:1 0 3\r\nyes\r\nEND\r\n", "VALUE spent:1 0 3"],
  ["VALUE k 0 7\r\na\r\nEND\r\r\nEND\r\n", "VALUE k 0 7"],
  ["VALUE k 0 0\r\n\r\nEND\r\n", "VALUE k 0 0"],
  ["VERSION 1.6.18\r\n", "VERSION 1.6.18"],
  ["SERVER_ERROR out of memory\r\n", "SERVER_ERROR out of memory"],
])("%j is read whole, and at no byte before its end", (text, line) => {
  expect(parseReply(text)).toBe(line);
  for (let length = 0; length < text.length; length++) {
    expect(parseReply(text.slice(0, length))).toBeNull();
  }
});
