import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { OwnAppBuild, OwnAppSource } from "@evenbench/core";
import { testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { leadVercel } from "./vercel-entry.ts";

const root = testFolder();

/** Source text of a module that gives no server. */
const OWN = 'import express from "express";\nexport const makeApp = () => express();\n';

/** Leads the builder to start.mjs, beside another module of the app's. @returns the folder, and what was said. */
async function led(file: string): Promise<{ readonly folder: string; readonly notes: readonly string[] }> {
  const folder = join(root, file);
  writeFiles(folder, { [file]: OWN, "start.mjs": "" });
  const notes: string[] = [];
  const source: Partial<OwnAppSource> = { rangeOf: () => null };
  const note = (sentence: string) => void notes.push(sentence);
  const build = { folder, source, note } as Partial<OwnAppBuild>;
  await leadVercel(build as OwnAppBuild, { file: "start.mjs" });
  return { folder, notes };
}

test("Vercel's builder is led past a module that gives no server", async () => {
  const { folder, notes } = await led("index.js");
  expect(readFileSync(join(folder, "app.mjs"), "utf8")).toContain("./start.mjs");
  expect(notes).toHaveLength(1);
});

test.each(["app.js", "app.mjs"])(
  "where its builder takes %s of an app first, that one stays",
  async (file) => {
    const { folder, notes } = await led(file);
    expect(readdirSync(folder)).toEqual([file, "start.mjs"]);
    expect(readFileSync(join(folder, file), "utf8")).toBe(OWN);
    expect(notes).toEqual([expect.stringContaining(`takes ${file}`)]);
  },
);
