import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach } from "vitest";

const newFolder = () => mkdtempSync(join(tmpdir(), "evenbench-test-"));

/** For whatever the tests of a file write; removed after them. */
export function testFolder(): string {
  const folder = newFolder();
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Each test gets one of its own. */
export function folderOfEachTest(take: (folder: string) => void): void {
  beforeEach(() => {
    const folder = newFolder();
    take(folder);
    return () => rmSync(folder, { recursive: true });
  });
}
