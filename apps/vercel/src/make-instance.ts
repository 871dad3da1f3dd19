// In a process of its own: esbuild leaves one running beside whoever called it.
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { digestOf, FOLDER, NOTE, type Note } from "./instance-file.ts";

const { outputFiles, metafile } = await build({
  entryPoints: [fileURLToPath(new URL("instance.ts", import.meta.url))],
  bundle: true,
  write: false,
  metafile: true,
  platform: "node",
  format: "esm",
  target: "node22",
  external: ["@vercel/node", "mime-types"],
  tsconfigRaw: {},
});
const contents = outputFiles[0]?.contents ?? new Uint8Array();
const inputs = Object.keys(metafile.inputs);
const note: Note = {
  file: `instance-${digestOf(contents).slice(0, 16)}.mjs`,
  inputs: Object.fromEntries(inputs.map((file) => [relative(FOLDER, resolve(file)), digestOf(file)])),
};
mkdirSync(FOLDER, { recursive: true });
writeWhole(note.file, contents);
writeWhole(NOTE, JSON.stringify(note));

/** Others may read it while it is written. */
function writeWhole(name: string, contents: string | Uint8Array): void {
  const part = join(FOLDER, `${name}.${process.pid}`);
  writeFileSync(part, contents);
  renameSync(part, join(FOLDER, name));
}
