import { createHash } from "node:crypto";
import { sentText } from "@evenbench/core";
import { expect, test } from "vitest";
import upload from "./case.ts";

const answerTo = async (body: string | null) => {
  const request = new Request("http://localhost/upload", { method: "POST", body });
  const response = await upload.handle(request, {}, { platform: "node" });
  return response.json();
};
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

test("the answer has the length and the digest of what was sent", async () => {
  const { sends } = upload;
  const body = sends === undefined ? "" : sentText(sends);
  expect(await answerTo(body)).toEqual({ bytes: 1_000_000, sha256: sha256(body) });
  expect(await answerTo("abc")).toEqual({ bytes: 3, sha256: sha256("abc") });
});

test("a request without a body is one of no bytes", async () => {
  expect(await answerTo(null)).toEqual({ bytes: 0, sha256: sha256("") });
});
