import type { CaseDefinition } from "@evenbench/core";
import { expect, test } from "vitest";

test.each(["react-ssr-stream", "react-ssr-native"])(
  "%s streams in many parts, of unknown length, and can be left after the first",
  async (id) => {
    const { default: definition }: { default: CaseDefinition } = await import(`./${id}/case.ts`);
    const respond = () => definition.handle(new Request("http://localhost/"), {}, { platform: "node" });
    const response = await respond();
    expect(response.headers.get("content-length")).toBeNull();
    let parts = 0;
    for await (const part of response.body ?? []) {
      if (part.byteLength > 0) {
        parts += 1;
      }
    }
    expect(parts).toBeGreaterThan(100);
    const reader = (await respond()).body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    await expect(reader?.cancel("the client left")).resolves.toBeUndefined();
  },
);
