import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Makes one folder for all that tests write, and gives what removes it. It is not a folder for each file:
 * where all tests of a file are left out (-t), nothing of the file is called after them.
 */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "evenbench-tests-"));
  process.env.EVENBENCH_TEST_FOLDER = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
