import { readFileSync } from "node:fs";
import { join } from "node:path";
import { discoverPlatforms } from "@evenbench/host";
import { beforeAll, expect, test } from "vitest";
import { succeeded, words } from "../../test/evenbench.ts";
import { type ScratchRepository, scratchRepository } from "../../test/scratch-repository.ts";
import { additionKinds, createFolder } from "./new.ts";

let scratch: ScratchRepository;
beforeAll(async () => {
  scratch = await scratchRepository();
  return () => scratch[Symbol.asyncDispose]();
});

const evenbench = (...args: string[]) => scratch.evenbench(...args);
const ON_ALL = { cloudflare: expect.anything(), node: expect.anything(), vercel: expect.anything() };
const provenAs = async (...args: string[]) =>
  JSON.parse((await succeeded(evenbench("preflight", "--json", ...args))).stdout);
const namesOf = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);
const inScratch = (file: string) => readFileSync(join(scratch.root, file), "utf8");

test("a new case touches its own folder alone, gives the same on all targets, and takes the answer that is accepted", async () => {
  const made = await succeeded(evenbench("new", "case", "sum-of-squares"));
  expect(made.stdout).toContain("packages/cases/sum-of-squares/case.ts");
  expect((await scratch.git("status", "--porcelain", "--untracked-files=all")).trim().split("\n")).toEqual([
    "?? packages/cases/sum-of-squares/case.test.ts",
    "?? packages/cases/sum-of-squares/case.ts",
  ]);

  const first = await provenAs(...words`--app bundle --case sum-of-squares`);
  expect(first).toMatchObject({ bundle: { ok: true, identities: ON_ALL } });

  const file = "packages/cases/sum-of-squares/case.ts";
  const accept = words`preflight --target node --no-build --accept sum-of-squares`;
  const shown = await succeeded(evenbench(...accept));
  expect(shown.stdout).toContain('"{\\"every\\":3,');
  const written = inScratch(file);
  expect(written).toContain("    status: 200,\n");
  await succeeded(evenbench(...accept));
  expect(inScratch(file)).toBe(written);
  await scratch.run("biome", "check", file);
  // All targets have one artifact: what was written into it is seen on one.
  const second = await provenAs(...words`--target node --case sum-of-squares`);
  expect(second).toMatchObject({ bundle: { ok: true } });
  expect((await scratch.git("status", "--porcelain")).trim()).toBe("?? packages/cases/sum-of-squares/");
});

test("a bad case folder is named with its path and reason, the others are proven, and the exit code says so", async () => {
  await scratch.write("packages/cases/broken/case.ts", "throw new Error('on purpose');");
  const all = await evenbench("preflight", "--target", "node", "--json");
  expect(all.stderr).toMatch(/^! packages\/cases\/broken\/case\.ts .*: on purpose$/m);
  expect(JSON.parse(all.stdout)).toMatchObject({ bundle: { ok: true } });
  expect(all.code).toBe(1);
  await succeeded(evenbench(...words`preflight --case empty --target node`));
});

test.each(additionKinds.filter((kind) => kind !== "case"))(
  "a new %s is a copy with another id, in a folder of its own",
  async (kind) => {
    const { folder, files, next } = await createFolder(kind, "brand-new", scratch.root);
    expect(folder).toBe("apps/brand-new");
    expect(files).toContain(`apps/brand-new/${kind}.ts`);
    expect(next.join("\n")).toContain("brand-new");
    expect(JSON.parse(inScratch("apps/brand-new/package.json")).name).toBe("@evenbench/app-brand-new");
    const status = await scratch.git("status", "--porcelain", "--untracked-files=all", "apps");
    expect(status.match(/(?<=^\?\? ).*/gm)).toEqual([...files].sort());
    await scratch.git("clean", "-qfd", "apps");
  },
);

test.each([
  ["case", "Not_An_Id", /is not lower-case words joined by hyphens/],
  ["case", "identity", /taken by the handler/],
  ["case", "next-page-2", /those of the app in apps\/next/],
  ["case", "empty", /packages\/cases\/empty is there already/],
  ["platform", "node", /apps\/node is there already/],
  ["app", "../elsewhere", /is not lower-case words/],
])("%s %s is refused, and nothing is written", async (kind, id, reason) => {
  const before = await scratch.git("status", "--porcelain");
  await expect(createFolder(kind, id, scratch.root)).rejects.toThrow(reason);
  expect(await scratch.git("status", "--porcelain")).toBe(before);
});

test("before its packages are installed, a new folder is named with the command that fixes it", async () => {
  await scratch.git("clean", "-qfd");
  await evenbench("new", "platform", "brand-new");
  const { code, stdout, stderr } = await evenbench("list", "--app", "next");
  expect(stderr).toMatch(/^! apps\/brand-new\/platform\.ts .*`npx pnpm install`$/m);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stdout.match(/^ {2}next-(cloudflare|node|vercel) /gm)).toHaveLength(3);
  expect(code).toBe(1);
  await succeeded(evenbench("list", "--target", "next-node"));
});

test("an app that cannot name its cases is told with its reason", async () => {
  const cases = '{ throw new TypeError("pages is not iterable."); }';
  const app = `export default { id: "odd", title: "Odd", deployable: () => "/", async cases() ${cases} };`;
  await scratch.write("apps/odd/app.ts", app);
  const odd = await evenbench("list", "--app", "odd");
  expect(odd).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^evenbench: .*"odd".*is not iterable/m),
  });
  await scratch.git("clean", "-qfd", "apps/odd");
});

test("a new platform builds and does the same work as another one", async () => {
  await scratch.install("apps/brand-new", "apps/node");
  const proven = await provenAs(...words`--target brand-new --target node --case react-ssr --case payload`);
  const same = { ok: true, identities: { "brand-new": expect.anything(), node: expect.anything() } };
  expect(proven).toMatchObject({ bundle: same });
});

test.runIf(additionKinds.includes("app"))(
  "a new app has a target on every platform, is built and serves its cases",
  async () => {
    await succeeded(evenbench("new", "app", "other-new"));
    await scratch.install("apps/other-new", "apps/astro");
    const { targets } = JSON.parse(
      (await succeeded(evenbench("list", "--app", "other-new", "--json"))).stdout,
    );
    const names = ["other-new-cloudflare", "other-new-node", "other-new-vercel"];
    expect(namesOf(targets).toSorted()).toEqual(names);
    // The app that it is a copy of is built for all of them.
    expect(await provenAs("--target", "other-new-node")).toMatchObject({ "other-new": { ok: true } });
    const { stderr: known } = await evenbench("preflight", "--case", "no-such-case");
    expect(known).toContain("other-new-empty, other-new-payload, other-new-page");
  },
);

// Here no platform's own runtime is installed, whatever is beside the original.
test("platforms that are off are listed apart, and one that is named says in one line how its runtime is installed", async () => {
  const ids = (await discoverPlatforms()).filter(({ offUnlessNamed }) => offUnlessNamed).map(({ id }) => id);
  const listed = await evenbench("list", "--app", "bundle", "--json");
  const { targets, off } = JSON.parse(listed.stdout);
  expect(namesOf(off)).toEqual(ids);
  expect(namesOf(targets)).toEqual(expect.arrayContaining(["cloudflare", "node", "vercel"]));
  for (const id of ids.slice(0, 1)) {
    expect(namesOf(targets)).not.toContain(id);
    const words = new RegExp(`^evenbench: .* npx pnpm -C apps/${id}/runtime install\n$`);
    for (const command of [
      ["preflight", "--target"],
      ["profile", "empty", "--target"],
      ["dev", "--filter"],
    ]) {
      expect(await evenbench(...command, id)).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(words),
      });
    }
  }
});
