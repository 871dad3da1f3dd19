import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { folderOfEachTest } from "../test/folder.ts";
import { discoverApps, discoverPlatforms, type LeftOut } from "./discover.ts";

let root: string;
folderOfEachTest((folder) => {
  root = folder;
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const platform = `export default { title: "T", description: "D", serve() {} };`;
const app = (id: string) =>
  `export default { id: ${JSON.stringify(id)}, title: "T", cases() {}, deployable() {} };`;

test("a platform is a folder of apps/, an app one of apps/ or packages/ with its file, in order of name", async () => {
  write("apps/zeta/platform.ts", platform);
  write("apps/alpha/platform.ts", platform);
  write("apps/no-platform/readme.txt", "");
  write("packages/elsewhere/platform.ts", platform);
  expect((await discoverPlatforms(root)).map(({ id }) => id)).toEqual(["alpha", "zeta"]);
  write("apps/one/app.ts", app("one"));
  write("packages/two/app.ts", app("two"));
  expect((await discoverApps(root)).map(({ id }) => id)).toEqual(["one", "two"]);
});

test("cases of an app carry after how many requests they are warm, from the folder of each platform that knows it", async () => {
  write(
    "apps/fast/platform.ts",
    `export default { title: "F", serve() {}, warmAfter: { one: 3, other: 5 } };`,
  );
  write("apps/slow/platform.ts", `export default { title: "S", serve() {}, warmAfter: { one: 40 } };`);
  write("apps/new/platform.ts", platform);
  write(
    "packages/two/app.ts",
    `export default { id: "two", deployable() {}, cases: async () => [{ id: "one" }, { id: "unknown" }] };`,
  );
  const [two] = await discoverApps(root);
  expect(await two?.cases()).toEqual([{ id: "one", warmAfter: { fast: 3, slow: 40 } }, { id: "unknown" }]);
});

test.each([
  ["apps/Zeta_1/platform.ts", platform, /apps.Zeta_1.platform\.ts .*"Zeta_1" is not lower-case words/],
  ["apps/empty/platform.ts", "export const platform = 1;", /empty.platform\.ts .*must have `definePlatform/],
  ["apps/one/app.ts", app("other"), /says id "other", but its folder is "one"/],
])("%s is refused by its path", async (file, source, message) => {
  write(file, source);
  await expect(Promise.all([discoverPlatforms(root), discoverApps(root)])).rejects.toThrow(message);
});

test("a file that throws costs itself alone, and is told by its path with the reason in one line", async () => {
  write("apps/fine/platform.ts", platform);
  write("apps/thrower/platform.ts", 'throw new Error("on\\npurpose");');
  write("apps/Bad_Name/platform.ts", platform);
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
