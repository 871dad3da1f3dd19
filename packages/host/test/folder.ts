import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { OwnAppSource, OwnPackageJson } from "@evenbench/core";
import { afterAll, beforeEach } from "vitest";

/** Makes a folder in that of all tests, which is removed after them: packages/setup/test-folder.ts. */
const newFolder = () => mkdtempSync(join(process.env.EVENBENCH_TEST_FOLDER ?? tmpdir(), "test-"));

/** Makes a folder for whatever the tests of a file write; it is removed after them. */
export function testFolder(): string {
  const folder = newFolder();
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Writes files below a folder, by paths from it on, an object as JSON. @returns the folder. */
export function writeFiles(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array | object>>,
): string {
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    const isWritten = typeof content === "string" || content instanceof Uint8Array;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), isWritten ? content : JSON.stringify(content));
  }
  return folder;
}

/** Writes the files of an app. @returns what its kind is found by. */
export function writeApp(
  folder: string,
  files: Readonly<Record<string, string | object>>,
  packageJson: OwnPackageJson = {},
): OwnAppSource {
  const places = {
    folder: writeFiles(folder, files),
    workspace: folder,
    root: folder,
    unreached: null,
    passedOver: [],
  };
  const manager = { packageJson, packageManager: "npm", managerVersion: null } as const;
  const rangeOf = (name: string) => packageJson.dependencies?.[name] ?? null;
  return { ...places, ...manager, variables: {}, files: Object.keys(files), rangeOf };
}

/** Makes a digest of paths, times and contents of all that lies in a folder: SHA-256 in hexadecimal. */
export function digestOfFolder(folder: string): string {
  const hash = createHash("sha256");
  for (const path of (readdirSync(folder, { recursive: true }) as string[]).sort()) {
    const stats = statSync(join(folder, path));
    const content = stats.isFile() ? readFileSync(join(folder, path), "utf8") : "";
    hash.update(`${path} ${stats.mtimeMs} ${content}\n`);
  }
  return hash.digest("hex");
}

/**
 * Makes a function that runs git in a folder, as somebody who commits there.
 *
 * @returns its output without blanks around.
 */
export function gitIn(cwd: string): (...args: string[]) => string {
  const identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
  return (...args: string[]): string =>
    execFileSync("git", [...identity, ...args], { cwd, encoding: "utf8", stdio: "pipe" }).trim();
}

/** Makes a folder before each test of a file, and removes it after the test. @param take gets its absolute path. */
export function folderOfEachTest(take: (folder: string) => void): void {
  beforeEach(() => {
    const folder = newFolder();
    take(folder);
    return () => rmSync(folder, { recursive: true });
  });
}
