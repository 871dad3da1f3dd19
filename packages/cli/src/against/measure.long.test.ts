import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { type LocalTarget, listTargets } from "@evenbench/runner";
import { beforeAll, expect, test } from "vitest";
import { pairUp } from "./measure.ts";

const folder = testFolder();
let targets: readonly LocalTarget[];
const written = async (file: string, text: string) => {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
};
beforeAll(async () => {
  const all = (await listTargets()).filter(({ app }) => app.id === "bundle").slice(0, 3);
  targets = all.map((target) => ({ ...target, deployable: join(folder, "head", target.name) }));
  for (const { deployable } of targets) await written(join(deployable, "server.mjs"), "one");
  for (const [index, text] of ["one", "two"].entries())
    await written(join(folder, "base", targets[index]?.name ?? "", "server.mjs"), text);
});

test("equal targets are left out, changed ones are paired, one-sided ones are named", async () => {
  const cases = { bundle: (await targets[0]?.app.cases()) ?? [] };
  const folders = { base: join(folder, "base"), head: join(folder, "head") };
  const { changed, equal, oneSided } = await pairUp(targets, cases, folders, folders.head);
  const [equalName, changedName, missingName] = targets.map(({ name }) => name);
  expect(equal).toEqual([equalName]);
  const head = { name: `${changedName}.head`, deployable: targets[1]?.deployable };
  expect(changed).toMatchObject([
    { name: changedName, base: { name: `${changedName}.base` }, head, cases: cases.bundle },
  ]);
  expect(oneSided).toEqual([`${missingName} is not in the base, or is not built there.`]);
});
