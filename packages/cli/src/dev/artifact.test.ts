import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { replaceArtifact } from "./artifact.ts";

let scratch: string;
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), "evenbench-artifact-"));
});
afterEach(() => rm(scratch, { recursive: true }));

async function artifactOf(folder: string, files: Record<string, string>) {
  const artifact = join(scratch, folder);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(artifact, path)), { recursive: true });
    await writeFile(join(artifact, path), content);
  }
  return { artifact, manifest: { files: Object.keys(files).map((path) => ({ path })) } };
}

test("a server that has a file open reads on what it began with", async () => {
  await artifactOf("deployable/upload", { "index.mjs": "old", "digest.mjs": "1", "cases/a.mjs": "a" });
  const next = await artifactOf("next", { "index.mjs": "new", "digest.mjs": "2", "cases/a.mjs": "a" });
  const reader = await open(join(scratch, "deployable/upload/index.mjs"));
  try {
    await replaceArtifact(join(scratch, "deployable"), next);
    expect(await reader.readFile("utf8")).toBe("old");
  } finally {
    await reader.close();
  }
  expect(await readFile(join(scratch, "deployable/upload/index.mjs"), "utf8")).toBe("new");
});

test("the digest is put in place only when everything else is", async () => {
  await artifactOf("deployable/upload", {
    "digest.mjs": "1",
    "cases/a.mjs": "a",
    "index.mjs/in-the-way": "",
  });
  const next = await artifactOf("next", { "index.mjs": "b", "digest.mjs": "2", "cases/a.mjs": "b" });
  await expect(replaceArtifact(join(scratch, "deployable"), next)).rejects.toThrow();
  expect(await readFile(join(scratch, "deployable/upload/digest.mjs"), "utf8")).toBe("1");
  expect(await readFile(join(scratch, "deployable/upload/cases/a.mjs"), "utf8")).toBe("b");
});

test("cases that are gone are removed, new ones are added, and nothing else is left behind", async () => {
  await artifactOf("deployable/upload", { "index.mjs": "a", "digest.mjs": "1", "cases/a.mjs": "a" });
  const next = await artifactOf("next", { "index.mjs": "b", "digest.mjs": "2", "cases/b.mjs": "b" });
  await replaceArtifact(join(scratch, "deployable"), next);
  const left = await readdir(join(scratch, "deployable"), { recursive: true });
  expect(left.sort()).toEqual([
    "upload",
    "upload/cases",
    "upload/cases/b.mjs",
    "upload/digest.mjs",
    "upload/index.mjs",
  ]);
});
