import { hash } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

/** The folder of the program: its packages are found there as from the source. */
const HOST_FOLDER = fileURLToPath(new URL("../dist/host", import.meta.url));
/** The path of the program; undefined before it was asked for. */
let made: string | undefined;

/**
 * Makes the program of an instance, once for this process: plain JavaScript, which starts sooner than types that are
 * stripped. @returns its absolute path.
 */
export async function hostProgram(): Promise<string> {
  made ??= makeProgram();
  return made;
}

function makeProgram(): string {
  // Not `build`, which leaves a process running beside this one.
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL("instance.ts", import.meta.url))],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node22",
    external: ["@edge-runtime/vm", "@vercel/node", "esbuild", "mime-types"],
    tsconfigRaw: {},
  });
  const contents = outputFiles[0]?.contents ?? new Uint8Array();
  // Named by its content, since another version of it may be running.
  const file = join(HOST_FOLDER, `instance-${hash("sha256", contents).slice(0, 16)}.mjs`);
  const part = `${file}.${process.pid}`;
  mkdirSync(HOST_FOLDER, { recursive: true });
  writeFileSync(part, contents);
  renameSync(part, file);
  return file;
}
