import { execFile } from "node:child_process";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { readDeployments } from "./deployments.ts";

const folder = testFolder();

test("two processes that note deployments at the same time lose none of them", async () => {
  const file = join(folder, "deployments.json");
  const source = (name: string) => `
    import { replaceNoted } from ${JSON.stringify(join(import.meta.dirname, "deployments.ts"))};
    for (let count = 0; count < 40; count++) {
      const place = { app: \`${name}-\${count}\`, platform: "node" };
      const rest = { name: "n", state: "begun", url: null, accountsUrl: null, digest: "d", region: "r" };
      await replaceNoted(${JSON.stringify(file)}, place, undefined, () => ({ ...place, ...rest, at: new Date().toISOString() }));
    }`;
  const noting = ["first", "second"].map((name) =>
    promisify(execFile)(process.execPath, ["--input-type=module", "-e", source(name)], {
      cwd: import.meta.dirname,
    }),
  );
  await Promise.all(noting);
  const { deployments } = await readDeployments(file);
  expect(deployments).toHaveLength(80);
  expect((await readdir(folder)).filter((name) => name.endsWith(".next"))).toEqual([]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});
