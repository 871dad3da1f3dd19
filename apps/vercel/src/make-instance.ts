// Makes the program of an instance and prints its path: plain JavaScript, which starts sooner than types that are
// stripped. In a process of its own: esbuild leaves one running beside whoever called it.
import { createHash } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The folder of the program: its packages are found there as from the source. */
const HOST_FOLDER = fileURLToPath(new URL("../dist/host", import.meta.url));

const { outputFiles } = await build({
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
const digest = createHash("sha256").update(contents).digest("hex");
const file = join(HOST_FOLDER, `instance-${digest.slice(0, 16)}.mjs`);
const part = `${file}.${process.pid}`;
mkdirSync(HOST_FOLDER, { recursive: true });
writeFileSync(part, contents);
renameSync(part, file);
process.stdout.write(file);
