import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder, writeFiles } from "../test/folder.ts";
import { HostError } from "./loopback.ts";
import { ownRuntime } from "./runtimes.ts";

const optionalDependencies = { "@some/for-this-system": "1.0.0", "@some/for-another": "1.0.0" };
const folder = writeFiles(testFolder(), { "package.json": { optionalDependencies } });

test("a runtime that is not installed is told with the command that installs it, in one line", () => {
  const runtime = ownRuntime("Some runtime", folder, "bin/some");
  const words = runtime.missing() ?? "";
  expect(words).toMatch(/^Some runtime is not installed: .* Install it with: npx pnpm -C \S+ install$/);
  expect(() => runtime.program()).toThrow(HostError);
  expect(() => runtime.program()).toThrow(words);
});

test("an installed one is found in the package that the install left for this system", () => {
  const runtime = ownRuntime("Some runtime", folder, "bin/some");
  const program = "node_modules/@some/for-this-system/bin/some";
  writeFiles(folder, { [program]: "" });
  expect(runtime.missing()).toBeNull();
  expect(runtime.program()).toBe(join(folder, program));
});
