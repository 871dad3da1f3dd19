import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { TYPE_STRIPPING } from "@evenbench/host";

const MAKER = fileURLToPath(new URL("make-instance.ts", import.meta.url));
/** Here its packages are found as from the source. */
export const FOLDER = fileURLToPath(new URL("../dist/host", import.meta.url));
export const NOTE = "instance.json";

/** Named by its content, since another version of it may be running; with digests of its sources. */
export interface Note {
  readonly file: string;
  readonly inputs: Readonly<Record<string, string>>;
}

let made: Promise<string> | undefined;

export function instanceFile(): Promise<string> {
  made ??= find();
  return made;
}

async function find(): Promise<string> {
  const kept = fileOf(readNote());
  if (kept !== null) return kept;
  await promisify(execFile)(process.execPath, [...TYPE_STRIPPING, MAKER]);
  const fresh = fileOf(readNote());
  if (fresh === null) throw new Error(`${MAKER} left no program in ${FOLDER}.`);
  return fresh;
}

function readNote(): Note | null {
  try {
    return JSON.parse(readFileSync(join(FOLDER, NOTE), "utf8"));
  } catch {
    return null;
  }
}

function fileOf(note: Note | null): string | null {
  if (note === null) return null;
  const file = join(FOLDER, note.file);
  const isSame = Object.entries(note.inputs).every(([path, digest]) => isOf(join(FOLDER, path), digest));
  return isSame && existsSync(file) ? file : null;
}

function isOf(file: string, digest: string): boolean {
  return existsSync(file) && digestOf(file) === digest;
}

export function digestOf(what: string | Uint8Array): string {
  return createHash("sha256")
    .update(typeof what === "string" ? readFileSync(what) : what)
    .digest("hex");
}
