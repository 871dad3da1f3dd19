import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import streamCopies from "./case.ts";

const ways = streamCopies.parameters.how.choices;
type How = (typeof ways)[number];

const respond = (how: How) =>
  streamCopies.handle(new Request("http://localhost/stream-copies"), { how }, { platform: "node" });

async function parts(response: Response): Promise<Uint8Array[]> {
  const found: Uint8Array[] = [];
  for await (const part of response.body ?? []) found.push(part);
  return found;
}

test.each(ways)("%s sends the golden body, and sends it again to the next request", async (how) => {
  for (const _request of [1, 2]) {
    const body = await (await respond(how)).bytes();
    expect(createHash("sha256").update(body).digest("hex")).toBe(streamCopies.golden?.sha256);
  }
});

test("joining makes one part of what every other way sends in 5,120", async () => {
  const counts = await Promise.all(ways.map(async (how) => [how, (await parts(await respond(how))).length]));
  expect(Object.fromEntries(counts)).toEqual({
    concat: 1,
    from: 5120,
    values: 5120,
    bytes: 5120,
    pipe: 5120,
  });
});
