import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder, writeFiles } from "../test/folder.ts";
import { frameworkApp } from "./framework-app.ts";

const folder = testFolder();

test("a framework whose server for developing fails below a folder of such a name says so before it starts", async () => {
  const dirname = writeFiles(join(folder, "Tim's bench", "kit"), {
    "package.json": { scripts: { "build:node": "x" } },
  });
  const meta = { dirname, filename: join(dirname, "app.ts") } as ImportMeta;
  const app = frameworkApp(meta, {
    title: "Kit",
    cases: async () => [],
    command: "kit.js",
    developOn: () => [],
    developsNotBelow: "'",
  });
  const started = app.develop?.({ port: 0, logFile: join(folder, "kit.log") });
  await expect(started).rejects.toThrow(
    `Kit's own server does not work below a folder with ' in its name, since it writes paths between these. Move the clone: it lies in ${dirname}.`,
  );
  expect(app.deployable("node")).toBe(join(dirname, "dist", "node"));
});
