import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("what passed at its second try only is named before the closing line, with what its first try said", async () => {
  // In the repository, so that Vitest is found from there.
  const folder = await mkdtemp(fileURLToPath(new URL("../../node_modules/.tries-", import.meta.url)));
  try {
    const code = `import { expect, test } from "vitest";
      let tries = 0;
      test("unlucky", () => expect(++tries).toBe(2));
      test("sound", () => expect(1).toBe(1));`;
    await writeFile(join(folder, "tries.test.js"), code);
    const reporter = fileURLToPath(new URL("closing-line.ts", import.meta.url));
    const command = ["run", "--root", folder, "--retry", "1", "--reporter", reporter, "--exclude", "none"];
    const { stdout } = await promisify(execFile)("vitest", command, {
      env: { PATH: process.env.PATH, NO_COLOR: "1" },
    });
    expect(stdout).toMatch(
      /^passed at its second try only: tries\.test\.js > unlucky\n {2}expected 1 to be 2 .*\(line 3\)\n(?: {2}.*\n)+\n2 passed, 0 failed, 0 skipped$/m,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
