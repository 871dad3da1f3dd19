// A new platform and a new app, as they come from their templates, built and proven by the real preflight.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ScratchRepository, scratchRepository } from "../test/scratch-repository.ts";

let scratch: ScratchRepository;
beforeAll(async () => {
  scratch = await scratchRepository();
});
afterAll(() => scratch?.[Symbol.asyncDispose]());

test("before its packages are installed, a new folder is named with the command that mends it", async () => {
  await scratch.evenbench("new", "platform", "brand-new");
  const { code, stderr } = await scratch.evenbench("list", "--no-build");
  expect(stderr).toMatch(/apps\/brand-new\/platform\.ts cannot be loaded: .*`npx pnpm install`/);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(code).toBe(1);
});

test("a new platform builds and does the same work as another one", async () => {
  await scratch.install("apps/brand-new");
  const targets = ["--target", "brand-new", "--target", "node"];
  const { code, stdout, stderr } = await scratch.evenbench("preflight", ...targets);
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/Preflight passed: \d+ cases give the same on .*brand-new, node/);
}, 300_000);

test("a new app builds for every platform and does the same work on each", async () => {
  const app = await scratch.evenbench("new", "app", "other-new");
  expect(app.code, app.stderr).toBe(0);
  await scratch.install("apps/other-new");
  const { code, stdout, stderr } = await scratch.evenbench("preflight", "--app", "other-new");
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/Preflight passed: .*other-new-cloudflare, .*other-new-node, .*other-new-vercel/);
}, 300_000);
