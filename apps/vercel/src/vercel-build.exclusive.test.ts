// The real `vercel build`, of a folder of this repository that is no package.
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runStep } from "@evenbench/bundle/deployable";
import { repositoryRoot } from "@evenbench/host";
import { afterEach, beforeEach, expect, test } from "vitest";
import { vercelBuild } from "./vercel-build.ts";

const DIST = join(import.meta.dirname, "../dist");
const LINK = join(repositoryRoot, ".vercel/repo.json");

let copy: string;
beforeEach(async () => {
  await mkdir(DIST, { recursive: true });
  copy = await mkdtemp(join(DIST, "copy-"));
  await mkdir(join(copy, "public"));
  await writeFile(join(copy, "public/page.html"), "built");
});
afterEach(() => rm(copy, { recursive: true }));

const buildCopy = () =>
  vercelBuild(runStep, {
    directory: copy,
    deployable: join(copy, "deployable"),
    isCopy: true,
    settings: { framework: null, outputDirectory: "public" },
  });

test("its output lies in its own folder, and the repository is linked no longer", async () => {
  await buildCopy();
  expect(await readFile(join(copy, "deployable/static/page.html"), "utf8")).toBe("built");
  expect(existsSync(LINK)).toBe(false);
});

test("a link that somebody made is left alone, and is the reason", async () => {
  await mkdir(join(LINK, ".."), { recursive: true });
  await writeFile(LINK, "{}", { flag: "wx" });
  try {
    await expect(buildCopy()).rejects.toThrow(/\.vercel\/repo\.json links the repository already/);
    expect(await readFile(LINK, "utf8")).toBe("{}");
  } finally {
    await rm(LINK);
  }
});
