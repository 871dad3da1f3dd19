import { expect, test } from "vitest";
import lengthByCopy from "./case.ts";

const { chunks: declared, how: ways } = lengthByCopy.parameters;

test.each([declared.maximum, declared.default, declared.minimum])(
  "both ways find the length of %i chunks, whatever was asked before",
  async (chunks) => {
    for (const how of ways.choices) {
      const request = new Request("http://localhost/length-by-copy");
      const response = await lengthByCopy.handle(request, { chunks, how }, { platform: "node" });
      expect(await response.json()).toEqual({ chunks, how, length: chunks * 1024 });
    }
  },
);
