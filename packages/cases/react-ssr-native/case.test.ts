import { expect, test } from "vitest";
import reactSsrNative from "./case.ts";

const respond = () =>
  reactSsrNative.handle(new Request("http://localhost/react-ssr-native"), {}, { platform: "node" });

test("the body is a stream in many parts, of unknown length", async () => {
  const response = await respond();
  expect(response.headers.get("content-length")).toBeNull();
  let parts = 0;
  for await (const part of response.body ?? []) if (part.byteLength > 0) parts += 1;
  expect(parts).toBeGreaterThan(100);
});

test("a client that leaves after the first part is no error", async () => {
  const reader = (await respond()).body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  await expect(reader?.cancel("the client left")).resolves.toBeUndefined();
});

test("reports say that the platforms do not run the same code", () => {
  expect(reactSsrNative.notSameCode).toMatch(/Node\.js renderer.*web-streams renderer/);
});
