import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildArtifact } from "@evenbench/bundle";
import type { CaseDefinition } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host";
import { testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { maskedDigest } from "@evenbench/probe";
import { expect, test } from "vitest";

const folder = testFolder();

test("the example of docs/adding-a-case.md builds, and sends what it says", async () => {
  const page = await readFile(join(repositoryRoot, "docs/adding-a-case.md"), "utf8");
  const [source] = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code ?? "");
  const casesDirectory = writeFiles(join(folder, "cases"), { "word-count/case.ts": source ?? "" });
  await symlink(join(repositoryRoot, "packages/cases/node_modules"), join(casesDirectory, "node_modules"));
  const { artifact, failures } = await buildArtifact({ casesDirectory, outDirectory: folder });
  expect(failures).toEqual([]);

  const { default: built }: { default: CaseDefinition } = await import(
    pathToFileURL(join(artifact, "cases/word-count.mjs")).href
  );
  const defaults = Object.entries(built.parameters).map(([name, { default: value }]) => [name, value]);
  const request = new Request("http://localhost/word-count");
  const response = await built.handle(request, Object.fromEntries(defaults), { platform: "node" });
  const body = Buffer.from(await response.arrayBuffer());
  const { status, headers } = response;
  // What preflight printed, as the page shows it.
  for (const printed of [
    `The body of word-count (${body.byteLength} bytes):\n  ${JSON.stringify(body.toString())}\n`,
    `    status: ${status},\n    contentType: "${headers.get("content-type")}",\n`,
    `    bytes: ${body.byteLength},\n    sha256: "${maskedDigest(body)}",\n  },\n`,
  ]) {
    expect(page).toContain(printed);
  }
});
