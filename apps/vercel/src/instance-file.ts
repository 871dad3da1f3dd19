import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = fileURLToPath(new URL("instance.ts", import.meta.url));
/** Here its packages are found as from the source. */
const FOLDER = fileURLToPath(new URL("../dist/host", import.meta.url));

let made: Promise<string> | undefined;

/**
 * The program of an instance, in one file of plain JavaScript, made once in a process. From its sources each fresh
 * instance would strip the types of some 35 files of ours first: half of its start, and no part of any platform's.
 *
 * @returns its absolute path, named by its content: another version of it may be running.
 */
export function instanceFile(): Promise<string> {
  made ??= make();
  return made;
}

async function make(): Promise<string> {
  const { buildSync } = await import("esbuild");
  // No process of the tool's stays beside what is measured.
  const { outputFiles } = buildSync({
    entryPoints: [SOURCE],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node22",
    external: ["@vercel/node", "mime-types"],
    tsconfigRaw: {},
  });
  const contents = outputFiles[0]?.contents ?? new Uint8Array();
  const file = join(
    FOLDER,
    `instance-${createHash("sha256").update(contents).digest("hex").slice(0, 16)}.mjs`,
  );
  if (!existsSync(file)) writeWhole(file, contents);
  return file;
}

/** Others may start it while it is written. */
function writeWhole(file: string, contents: Uint8Array): void {
  const part = `${file}.${process.pid}`;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(part, contents);
  renameSync(part, file);
}
