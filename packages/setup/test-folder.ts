import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * One folder for all that tests write: where all tests of a file are left out (-t), nothing of it is called
 * after them.
 */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "evenbench-tests-"));
  process.env.EVENBENCH_TEST_FOLDER = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
