import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Host, Platform } from "@evenbench/core";
import { discoverPlatforms, runProgram } from "@evenbench/host";
import { testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { expect, onTestFinished, test } from "vitest";
import type { Listener } from "./find-listener.ts";
import { FIRST_NAME, firstEntry, HELD_NAME, nodeHeld, serverEntry } from "./sources.ts";

const root = testFolder();
const node = (await discoverPlatforms()).find(({ id }) => id === "node");

/** Source text of a server that listens once something else is there. */
const LATE = `const server = createServer((_, response) => response.end("late"));
setImmediate(() => server.listen(process.env.PORT));`;
const EARLY = `export default { listen: () => createServer((_, response) => response.end("early")).listen() };`;

/** Source text of a server that listens once what the module exports was asked for it. */
const MUCH_LATER = `const server = createServer((_, response) => response.end("late"));
const early = createServer(({ url }, response) => {
  if (url === "/now") setImmediate(() => server.listen(process.env.PORT));
  response.end("early");
});
export default { listen: () => early.listen() };`;

/** Serves a module as an app on Node.js. */
async function served(
  name: string,
  text: string,
  listener: Pick<Listener, "isExported"> = {},
): Promise<Host> {
  // Characters that mean something in a URL.
  const folder = join(root, `${name} #%41?`);
  const file = "in#dex%41.mjs";
  mkdirSync(join(folder, "app"), { recursive: true });
  writeFileSync(join(folder, HELD_NAME), nodeHeld);
  writeFileSync(join(folder, "app", file), `import { createServer } from "node:http";\n${text}`);
  writeFileSync(join(folder, "server.mjs"), serverEntry({ file, ...listener }));
  const settings = { port: 0, logFile: join(folder, "log"), cores: null, workers: 1, v8Flags: [] };
  const host = await (node as Platform).serve({ ...settings, deployable: folder, readyPath: "/" });
  onTestFinished(() => host.stop());
  return host;
}

const answerOf = async ({ url }: Host) => (await fetch(url)).text();

test.each<[string, Pick<Listener, "isExported">, string, string]>([
  ["that listens later, and exports what could", {}, `${LATE} ${EARLY}`, "late"],
  ["that listens later, and exports its start", {}, `${LATE} export default async () => {};`, "late"],
  ["that does not listen, and leaves nothing under way", {}, EARLY, "early"],
  [
    "that exports a callback",
    { isExported: true },
    "export default (_, response) => response.end('it');",
    "it",
  ],
])("a module %s answers on Node.js", async (name, listener, text, answer) => {
  expect(await answerOf(await served(name, text, listener))).toBe(answer);
});

test("a server that listens when what its module exports does so already takes its place", async () => {
  const host = await served("much later", MUCH_LATER);
  expect(await answerOf(host)).toBe("early");
  await (await fetch(new URL("/now", host.url))).text();
  await expect.poll(() => answerOf(host)).toBe("late");
});

/** Source text of a hook of `require`, as compilers have it. */
const HOOK = `require("node:module")._extensions[".js"] = (module, file) =>
  module._compile('module.exports = "hooked";', file);`;

test.each([
  ["the hook compiles", HOOK, "export default 'plain';", "hooked"],
  ["awaits something", "", "export default await 'awaited';", "awaited"],
])("a module that %s is loaded behind what is required first", async (name, hook, text, exported) => {
  const folder = writeFiles(join(root, name), {
    "package.json": { type: "module" },
    "hook.cjs": hook,
    "own.js": text,
    [FIRST_NAME]: firstEntry({ file: "own.js" }, [{ name: "./hook.cjs", by: "require" }]),
  });
  const source = `import own from "./${FIRST_NAME}"; console.log(own);`;
  const command = [process.execPath, "--input-type=module", "--eval", source] as const;
  const { stdout } = await runProgram({ command, cwd: folder });
  expect(stdout.trim()).toBe(exported);
});
