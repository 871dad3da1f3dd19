import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import streamCopies from "./case.ts";

const ways = streamCopies.parameters.how.choices;
type How = (typeof ways)[number];

const respond = (how: How) =>
  streamCopies.handle(new Request("http://localhost/stream-copies"), { how }, { platform: "node" });

test.each(ways)("%s sends the golden body, and sends it again to the next request", async (how) => {
  for (const _request of [1, 2]) {
    const body = await (await respond(how)).bytes();
    expect(createHash("sha256").update(body).digest("hex")).toBe(streamCopies.golden?.sha256);
  }
});

test("joining makes one part of what every other way sends in 5,120", async () => {
  for (const how of ways) {
    let parts = 0;
    for await (const _part of (await respond(how)).body ?? []) {
      parts += 1;
    }
    expect(parts, how).toBe(how === "concat" ? 1 : 5120);
  }
});
