import { readFile } from "node:fs/promises";
import { join } from "node:path";
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
  return measureStart({ target, path: "/" }, settings, 0);
}

// Other systems do not account for single threads.
const onLinux = test.skipIf(process.platform !== "linux");

onLinux.each(["cloudflare", "node", "vercel"])(
  "a start on %s is measured with its control, as the platform evaluates modules: with code from strings",
  async (id) => {
    const atStart = 'new Function("return 1")()';
    const { readyMs, controlMs, compiledMs } = await start(await platformApp(folder, id, { atStart }));
    expect(readyMs).toBeGreaterThan(0);
    expect(controlMs).toBeGreaterThan(0);
    expect(compiledMs === null).toBe(id !== "cloudflare");
  },
);

onLinux("an app that throws while its modules are evaluated is refused, not measured", async () => {
  const target = await platformApp(folder, "node", { atStart: 'throw new Error("no configuration")' });
  await expect(start(target)).rejects.toThrow(/did not start/);
});

onLinux.each(["node", "vercel"])(
  "the control of a start on %s has Evenbench's own server around the app's handler, too",
  async (id) => {
    const log = join(folder, "started");
    const note = (what: string) =>
      `process.getBuiltinModule("fs").appendFileSync(${JSON.stringify(log)}, "${what} ")`;
    const atStart = `import "./handler.mjs"; ${note("server")}`;
    await start(await platformApp(folder, id, { atStart, handler: note("app") }));
    expect(await readFile(log, "utf8")).toBe("server app server ");
  },
);
