import { expect, test } from "vitest";
import payload from "./case.ts";

const respond = (bytes: number, chunks: number) =>
  payload.handle(new Request("http://localhost/payload"), { bytes, chunks }, { platform: "node" });

async function parts(response: Response): Promise<Uint8Array[]> {
  const found: Uint8Array[] = [];
  for await (const part of response.body ?? []) {
    found.push(part);
  }
  return found;
}

test("a streamed body is the same text in as many parts as asked for, of nearly equal length", async () => {
  const streamed = await parts(await respond(1000, 7));
  const lengths = streamed.map((part) => part.byteLength);
  expect(lengths).toHaveLength(7);
  expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
  expect(Buffer.concat(streamed).toString()).toBe(await (await respond(1000, 1)).text());
});

test.each([
  [0, 5, 0],
  [3, 5, 3],
  [1, 1, 1],
])("%i bytes in %i chunks come in %i parts", async (bytes, chunks, expected) => {
  expect(await parts(await respond(bytes, chunks))).toHaveLength(expected);
});

test("a short body after a long one is cut to its own length", async () => {
  await respond(50_000, 1);
  expect((await (await respond(10, 1)).bytes()).byteLength).toBe(10);
});
