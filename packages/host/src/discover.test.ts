import { join } from "node:path";
import { expect, test } from "vitest";
import { folderOfEachTest, writeFiles } from "../test/folder.ts";
import { discoverApps, discoverPlatforms, type LeftOut } from "./discover.ts";

let root: string;
folderOfEachTest((folder) => {
  root = folder;
});

const platform = `export default { title: "T", description: "D", serve() {} };`;
const app = (id: string) =>
  `export default { id: ${JSON.stringify(id)}, title: "T", cases() {}, deployable() {} };`;

test("a platform is a folder of apps/, an app one of apps/ or packages/ with its file, in order of name", async () => {
  writeFiles(root, {
    "apps/zeta/platform.ts": platform,
    "apps/alpha/platform.ts": platform,
    "apps/no-platform/readme.txt": "",
    "packages/elsewhere/platform.ts": platform,
    "apps/one/app.ts": app("one"),
    "packages/two/app.ts": app("two"),
  });
  expect((await discoverPlatforms(root)).map(({ id }) => id)).toEqual(["alpha", "zeta"]);
  expect((await discoverApps(root)).map(({ id }) => id)).toEqual(["one", "two"]);
});

test("cases of an app carry after how many requests they are warm, from the folder of each platform that knows it", async () => {
  writeFiles(root, {
    "apps/fast/platform.ts": `export default { title: "F", serve() {}, warmAfter: { one: 3, other: 5 } };`,
    "apps/slow/platform.ts": `export default { title: "S", serve() {}, warmAfter: { one: 40 } };`,
    "apps/new/platform.ts": platform,
    "packages/two/app.ts": `export default { id: "two", deployable() {}, cases: async () => [{ id: "one" }, { id: "unknown" }] };`,
  });
  const [two] = await discoverApps(root);
  expect(await two?.cases()).toEqual([{ id: "one", warmAfter: { fast: 3, slow: 40 } }, { id: "unknown" }]);
});

test.each([
  ["apps/Zeta_1/platform.ts", platform, /apps.Zeta_1.platform\.ts .*"Zeta_1" is not lower-case words/],
  ["apps/empty/platform.ts", "export const platform = 1;", /empty.platform\.ts .*must have `definePlatform/],
  ["apps/one/app.ts", app("other"), /says id "other", but its folder is "one"/],
])("%s is refused by its path", async (file, source, message) => {
  writeFiles(root, { [file]: source });
  await expect(Promise.all([discoverPlatforms(root), discoverApps(root)])).rejects.toThrow(message);
});

test("a file that throws costs itself alone, and is told by its path with the reason in one line", async () => {
  writeFiles(root, {
    "apps/fine/platform.ts": platform,
    "apps/thrower/platform.ts": 'throw new Error("on\\npurpose");',
    "apps/Bad_Name/platform.ts": platform,
  });
  const leftOut: LeftOut[] = [];
  const found = await discoverPlatforms(root, (entry) => leftOut.push(entry));
  expect(found.map(({ id }) => id)).toEqual(["fine"]);
  expect(leftOut).toEqual([
    {
      path: join("apps", "Bad_Name", "platform.ts"),
      reason: expect.stringContaining("is not lower-case words"),
    },
    { path: join("apps", "thrower", "platform.ts"), reason: "its top level threw: Error: on purpose" },
  ]);
});
