import { expect, test } from "vitest";
import { sentRequest } from "./schema.ts";
import { sentText } from "./sent.ts";

const upload = { method: "POST", contentType: "text/plain", repeated: "abc\n", bytes: 10 } as const;

test("a body is its text again and again, cut off at its length", () => {
  expect(sentText(upload)).toBe("abc\nabc\nab");
  expect(sentText({ ...upload, bytes: 3 })).toBe("abc");
  expect(sentText({ ...upload, bytes: 0 })).toBe("");
});

test.each([
  ["a method that has no body", { method: "GET" }],
  ["no text to repeat", { repeated: "" }],
  ["a character of more than one byte", { repeated: "é" }],
  ["more than Vercel's functions take", { bytes: 4_500_001 }],
])("a request of a case may not have %s", (_what, changed) => {
  expect(sentRequest.safeParse(upload).success).toBe(true);
  expect(sentRequest.safeParse({ ...upload, ...changed }).success).toBe(false);
});
