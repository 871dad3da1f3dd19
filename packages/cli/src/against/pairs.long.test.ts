import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type LocalTarget, listTargets } from "@evenbench/runner";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pairUp } from "./pairs.ts";

let folder: string;
let targets: readonly LocalTarget[];
const written = async (file: string, text: string) => {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
};
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evenbench-pairs-"));
  const all = (await listTargets()).filter(({ app }) => app.id === "bundle").slice(0, 3);
  targets = all.map((target) => ({ ...target, deployable: join(folder, "head", target.name) }));
  for (const { deployable } of targets) await written(join(deployable, "server.mjs"), "one");
  for (const [index, text] of ["one", "two"].entries())
    await written(join(folder, "base", targets[index]?.name ?? "", "server.mjs"), text);
});
afterAll(() => rm(folder, { recursive: true }));

test("equal targets are left out, changed ones are paired on the cases of both, one-sided ones are named", async () => {
  const cases = await targets[0]?.app.cases();
  const [first, second] = cases ?? [];
  if (first === undefined || second === undefined) throw new Error("There are too few cases.");
  const names = targets.map(({ name }) => ({ name, app: "bundle", platform: name }));
  const base = { targets: names, off: [], cases: { bundle: [first] } };
  const { changed, equal, oneSided } = await pairUp(
    targets,
    { bundle: [first, second] },
    { base: { folder: join(folder, "base"), has: base }, head: { folder: join(folder, "head") } },
    join(folder, "head"),
  );
  const [equalName, changedName, missingName] = targets.map(({ name }) => name);
  expect(equal).toEqual([equalName]);
  expect(changed).toMatchObject([
    {
      name: changedName,
      base: { name: `${changedName}.base` },
      head: { name: `${changedName}.head`, deployable: targets[1]?.deployable },
      cases: [{ id: first.id }],
    },
  ]);
  expect(oneSided).toEqual([
    `${missingName} is not in the base, or is not built there.`,
    `The case ${second.id} is not in the base.`,
  ]);
});
