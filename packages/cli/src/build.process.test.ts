import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host";
import { type LocalTarget, listTargets } from "@evenbench/runner";
import { expect, onTestFinished, test } from "vitest";
import { builtOfOthers } from "./build.ts";

test("a build of other sources than lie here is named, and one that does not say of which it is is not", async () => {
  const turbo = join(repositoryRoot, "apps/node/.turbo");
  mkdirSync(turbo, { recursive: true });
  const folder = mkdtempSync(join(turbo, "test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "old.build.json"), '{ "sources": "0123456789abcdef" }');
  writeFileSync(join(folder, "unknown.build.json"), "{}");
  const node = (await listTargets()).find(({ name }) => name === "node") as LocalTarget;
  const builtAs = (name: string) => ({ ...node, name, deployable: join(folder, name) });
  expect(await builtOfOthers(["old", "unknown", "none"].map(builtAs))).toEqual(["old"]);
});
