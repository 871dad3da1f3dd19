// A new platform and a new app, as `new` writes them, built and proven by the real preflight.
import { discoverPlatforms } from "@evenbench/host";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ScratchRepository, scratchRepository } from "../../test/scratch-repository.ts";
import { kinds } from "./new.ts";

let scratch: ScratchRepository;
beforeAll(async () => {
  scratch = await scratchRepository();
});
afterAll(() => scratch?.[Symbol.asyncDispose]());

test("before its packages are installed, a new folder is named with the command that fixes it", async () => {
  await scratch.evenbench("new", "platform", "brand-new");
  const { code, stdout, stderr } = await scratch.evenbench("list", "--app", "next");
  expect(stderr).toMatch(/^! apps\/brand-new\/platform\.ts is left out: .*`npx pnpm install`$/m);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stdout).toMatch(/^ {2}next-node /m);
  expect(code).toBe(1);
});

test("a platform.ts or an app.ts that cannot be loaded is named with its reason, and the others go on", async () => {
  const broken = {
    "apps/thrower/platform.ts": 'throw new Error("on purpose");',
    "apps/misspelt/app.ts": 'import "./no-such-file.ts";',
    "apps/undeclared/app.ts": 'import "no-such-package";',
    "apps/unfinished/platform.ts": "export default {",
  };
  for (const [file, source] of Object.entries(broken)) await scratch.write(file, source);
  const { code, stdout, stderr } = await scratch.evenbench("list", "--app", "next");
  const said = stderr.split("\n").filter((line) => !line.includes("brand-new") && line !== "");
  expect(said).toEqual([
    expect.stringMatching(/^! apps\/misspelt\/app\.ts is left out: .*Cannot find module .*no-such-file/),
    expect.stringMatching(
      /^! apps\/undeclared\/app\.ts is left out: .*"no-such-package", which .*package\.json does not name$/,
    ),
    "! apps/thrower/platform.ts is left out: its top level threw: Error: on purpose",
    expect.stringMatching(/^! apps\/unfinished\/platform\.ts is left out: .*SyntaxError/),
  ]);
  expect(said.join()).not.toContain("install");
  expect(stdout.match(/^ {2}next-(cloudflare|node|vercel) /gm)).toHaveLength(3);
  expect(code).toBe(1);
  const named = await scratch.evenbench("list", "--target", "next-node");
  expect(named.code, named.stderr).toBe(0);
  await scratch.git("clean", "-qfd", ...Object.keys(broken));
  const cases = '{ throw new TypeError("pages is not iterable."); }';
  const app = `export default { id: "odd", title: "Odd", deployable: () => "/", async cases() ${cases} };`;
  await scratch.write("apps/odd/app.ts", app);
  const odd = await scratch.evenbench("list", "--app", "odd");
  const why = 'evenbench: The app "odd" cannot name its cases: pages is not iterable. Fix its app.ts.\n';
  expect(odd).toMatchObject({ code: 1, stderr: expect.stringContaining(why) });
  await scratch.git("clean", "-qfd", "apps/odd");
});

test("a new platform builds and does the same work as another one", async () => {
  await scratch.install("apps/brand-new", "apps/node");
  const targets = ["--target", "brand-new", "--target", "node"];
  const { code, stdout, stderr } = await scratch.evenbench("preflight", ...targets);
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/Preflight passed: \d+ cases give the same on .*brand-new, node/);
}, 300_000);

test.runIf(kinds.includes("app"))(
  "a new app builds for every platform and does the same work on each",
  async () => {
    const app = await scratch.evenbench("new", "app", "other-new");
    expect(app.code, app.stderr).toBe(0);
    await scratch.install("apps/other-new", "apps/astro");
    const { code, stdout, stderr } = await scratch.evenbench("preflight", "--app", "other-new");
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toMatch(/Preflight passed: .*other-new-cloudflare, .*other-new-node, .*other-new-vercel/);
  },
  300_000,
);

// Here no platform's own runtime is installed, whatever is beside the original.
test("platforms that are off are listed apart, and one that is named says in one line how its runtime is installed", async () => {
  const ids = (await discoverPlatforms()).filter((one) => one.offUnlessNamed).map(({ id }) => id);
  const listed = await scratch.evenbench("list", "--app", "bundle", "--json");
  const { targets, off } = JSON.parse(listed.stdout);
  const namesOf = (all: { name: string }[]) => all.map(({ name }) => name);
  expect(namesOf(off)).toEqual(ids);
  expect(namesOf(targets)).toEqual(expect.arrayContaining(["cloudflare", "node", "vercel"]));
  for (const id of ids.slice(0, 1)) {
    expect(namesOf(targets)).not.toContain(id);
    const words = new RegExp(
      `^evenbench: \\w+ is not installed: it is opt-in, so the set-up leaves it out\\. Install it with: npx pnpm -C apps/${id}/runtime install\n$`,
    );
    for (const command of [
      ["preflight", "--target"],
      ["profile", "empty", "--target"],
      ["dev", "--filter"],
    ])
      expect(await scratch.evenbench(...command, id)).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(words),
      });
  }
});
