import { expect, test } from "vitest";
import transformStream from "./case.ts";

const textOf = async (chunk: number, stages: number) => {
  const request = new Request("http://localhost/transform-stream");
  const response = await transformStream.handle(request, { chunk, stages }, { platform: "node" });
  return response.text();
};

test("every letter comes as a capital, however long its chunk is and however many streams it passes", async () => {
  const text = await textOf(1024, 1);
  expect(text).toHaveLength(1_048_576);
  expect(text.startsWith("A TRANSFORMING STREAM CHANGES EVERY BYTE OF EVERY CHUNK ON ITS WAY\nA TRANS")).toBe(
    true,
  );
  expect(text).not.toMatch(/[a-z]/);
  expect(await textOf(1000, 3)).toBe(text);
});
