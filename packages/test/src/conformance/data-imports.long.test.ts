import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { buildArtifact } from "@evenbench/bundle";
import type { CaseDefinition } from "@evenbench/core";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
// Type-checked here, and loaded by Vitest as the tests of cases load them.
import imported from "../../test/conformance/cases/with-data/case.ts";

const casesDirectory = fileURLToPath(new URL("../../test/conformance/cases", import.meta.url));
const EXPECTED = '42 TWO LINES, "QUOTED", WITH `TICKS` AND \\BACKSLASHES\\;\r\nAND A CAFÉ AT THE END.\n';

const folder = testFolder();

async function sent(definition: CaseDefinition): Promise<string> {
  const response = await definition.handle(new Request("http://localhost/"), {}, { platform: "node" });
  return response.text();
}

test("a case that imports text and JSON sends the same in tests, from the artifact, and under plain Node.js", async () => {
  expect(await sent(imported as CaseDefinition)).toBe(EXPECTED);

  const { artifact, failures } = await buildArtifact({ casesDirectory, outDirectory: folder });
  expect(failures).toEqual([]);
  const built = join(artifact, "cases/with-data.mjs");
  const { default: bundled } = await import(pathToFileURL(built).href);
  expect(await sent(bundled)).toBe(EXPECTED);

  const source = pathToFileURL(join(casesDirectory, "with-data/case.ts")).href;
  const send = fileURLToPath(new URL("../../test/conformance/send.mjs", import.meta.url));
  const plain = await promisify(execFile)(process.execPath, [send, source]);
  expect(plain.stdout).toBe(EXPECTED);
});
