import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { testFolder } from "../test/folder.ts";

const folder = testFolder();
const moduleOf = (file: string) => JSON.stringify(join(import.meta.dirname, file));

/** Starts a server with ever more free files, from one on, and says what came of each start. */
const SCRIPT = `
  import { closeSync, openSync } from "node:fs";
  import { serveCommand } from ${moduleOf("serve-command.ts")};
  const command = { command: "exec node server-that-is-not-there.mjs", folder: ${JSON.stringify(folder)}, readyPath: "/", method: "GET", headers: {}, body: null };
  const logFile = ${JSON.stringify(join(folder, "logs", "few.log"))};
  // What is loaded at a first start needs files of its own.
  await serveCommand(command, { port: 0, logFile, cores: null }).catch(() => {});
  const taken = [];
  for (;;) {
    try {
      taken.push(openSync("/dev/null"));
    } catch {
      break;
    }
  }
  const said = [];
  for (let free = 1; free <= 6; free++) {
    closeSync(taken.pop());
    said.push(await serveCommand(command, { port: 0, logFile, cores: null }).then(() => "started", (error) => error.name + ": " + error.message));
  }
  for (const descriptor of taken) closeSync(descriptor);
  process.stdout.write(JSON.stringify(said));
  process.exit();
`;

test("where a process may open too few files, a server's start fails in words", async () => {
  const command = 'ulimit -n 60 && exec "$0" --input-type=module-typescript -e "$1"';
  const { stdout } = await promisify(execFile)("sh", ["-c", command, process.execPath, SCRIPT]);
  const said = JSON.parse(stdout) as string[];
  expect(said).toHaveLength(6);
  for (const words of said) {
    expect(words).toContain("EMFILE");
    expect(words).not.toContain("TypeError");
  }
});
