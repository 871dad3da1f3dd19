import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { discoverPlatforms } from "@evenbench/host";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import type { Listener } from "./find-listener.ts";
import { HELD_NAME, nodeHeld, serverEntry } from "./sources.ts";

const root = testFolder();
const node = (await discoverPlatforms()).find(({ id }) => id === "node");

/** Source text of a server that listens once something else is there. */
const LATE = `const server = createServer((_, response) => response.end("late"));
setImmediate(() => server.listen(process.env.PORT));`;
const EARLY = `export default { listen: () => createServer((_, response) => response.end("early")).listen() };`;

test.each<[string, Pick<Listener, "isExported">, string, string]>([
  ["that listens later, and exports what could", {}, `${LATE} ${EARLY}`, "late"],
  ["that listens later, and exports its start", {}, `${LATE} export default async () => {};`, "late"],
  [
    "that exports a callback",
    { isExported: true },
    "export default (_, response) => response.end('it');",
    "it",
  ],
])("a module %s answers on Node.js", async (name, listener, text, answer) => {
  const folder = join(root, name.replace(/\W/g, "-"));
  mkdirSync(join(folder, "app"), { recursive: true });
  writeFileSync(join(folder, HELD_NAME), nodeHeld);
  writeFileSync(join(folder, "app/index.mjs"), `import { createServer } from "node:http";\n${text}`);
  writeFileSync(join(folder, "server.mjs"), serverEntry({ file: "index.mjs", ...listener }));
  const settings = { port: 0, logFile: join(folder, "log"), cores: null, workers: 1, v8Flags: [] };
  const host = await node?.serve({ ...settings, deployable: folder, readyPath: "/" });
  try {
    expect(await (await fetch(host?.url ?? "")).text()).toBe(answer);
  } finally {
    await host?.stop();
  }
});
