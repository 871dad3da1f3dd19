import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { quoteLog } from "./supervised.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-log-"));
});
afterAll(() => rm(folder, { recursive: true }));

test("quotes the last lines, and of an error the words instead of the frames of its stack", async () => {
  const file = join(folder, "server.log");
  const frames = Array.from(
    { length: 14 },
    (_, n) => `    at resolve${n} (node:internal/modules/esm/resolve:${n}:11)`,
  );
  const lines = [
    "started",
    "Error: listen EADDRINUSE: address already in use :::3177",
    ...frames,
    "    at file.mjs:3:1",
  ];
  await writeFile(file, [...lines, "  code: 'EADDRINUSE',", "look at the port"].join("\n"));
  expect(quoteLog(file)).toBe(
    [
      `Last lines of ${file}:`,
      "  | started",
      "  | Error: listen EADDRINUSE: address already in use :::3177",
      "  |   code: 'EADDRINUSE',",
      "  | look at the port",
    ].join("\n"),
  );
  expect(quoteLog(file, 0, 1)).toBe(`Last lines of ${file}:\n  | look at the port`);
});
