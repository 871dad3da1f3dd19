import { folderOfEachTest } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { platformApp } from "../test/platform-app.ts";
import type { LocalTarget } from "./options.ts";
import { measureStart } from "./start-ups.ts";

let folder = "";
folderOfEachTest((made) => {
  folder = made;
});

function start(target: LocalTarget) {
  const settings = { workers: 1, cores: null, logFolder: folder, exchangeTimeoutMs: 30_000 };
  return measureStart(target, target.name, settings, 0);
}

// Other systems do not account for single threads.
const onLinux = test.skipIf(process.platform !== "linux");

onLinux.each(["cloudflare", "node", "vercel"])(
  "a start on %s is measured with its control, and modules are evaluated in a request where the platform says so",
  async (id) => {
    const { readyMs, controlMs, evaluation } = await start(await platformApp(folder, id, {}));
    expect(readyMs).toBeGreaterThan(0);
    expect(controlMs).toBeGreaterThan(0);
    expect(evaluation === null).toBe(id !== "cloudflare");
  },
);

onLinux.each([
  ["cloudflare", /not evaluated/],
  ["node", /did not start/],
  ["vercel", /did not start/],
])("an app that throws while its modules are evaluated on %s is refused, not measured", async (id, why) => {
  const target = await platformApp(folder, id, { atStart: 'throw new Error("no configuration")' });
  await expect(start(target)).rejects.toThrow(why);
});
