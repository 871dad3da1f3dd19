import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exclusively } from "@evenbench/host/exclusively";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, test, vi } from "vitest";
import { BUILD_LOCK, underBuildLock } from "./build-lock.ts";

test("a clone in which the lock cannot be written is named with what works there, and nothing is built", async () => {
  const clone = testFolder();
  await writeFile(join(clone, "node_modules"), "");
  const built: string[] = [];
  const building = underBuildLock(
    async () => {
      built.push("it");
    },
    undefined,
    clone,
  );
  await expect(building).rejects.toThrow(
    /^Nothing can be built in .*build\.lock cannot be written \(ENOTDIR: .*\)\. Build in a clone of your own, or use the last build \(--no-build\)/,
  );
  expect(built).toEqual([]);
});

test("a build waits for another one of the clone, and says for whom", async () => {
  const clone = testFolder();
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  const order: string[] = [];
  const { building } = await exclusively(join(clone, BUILD_LOCK), async () => {
    const later = underBuildLock(async () => void order.push("later"), undefined, clone);
    const line = `Another build of this clone is running (pid ${process.pid}); waiting.`;
    await expect.poll(() => said.mock.calls.flat().join()).toContain(line);
    order.push("first");
    return { building: later };
  });
  await building;
  expect(order).toEqual(["first", "later"]);
});

test("what a build throws stays as it is", async () => {
  const clone = testFolder();
  const building = underBuildLock(() => Promise.reject(new Error("the build's own")), undefined, clone);
  await expect(building).rejects.toThrow(/^the build's own$/);
});
