import { expect, test } from "vitest";
import native from "./react-ssr-native/case.ts";
import stream from "./react-ssr-stream/case.ts";

const respond = ({ handle }: typeof stream) =>
  handle(new Request("http://localhost/"), {}, { platform: "node" });

test.each([native, stream])(
  "$title: it streams in many parts, of unknown length, and can be left after the first",
  async (definition) => {
    const response = await respond(definition);
    expect(response.headers.get("content-length")).toBeNull();
    let parts = 0;
    for await (const part of response.body ?? []) if (part.byteLength > 0) parts += 1;
    expect(parts).toBeGreaterThan(100);
    const reader = (await respond(definition)).body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    await expect(reader?.cancel("the client left")).resolves.toBeUndefined();
  },
);
