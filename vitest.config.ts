import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { textModule } from "./packages/host/src/text-imports.ts";
import LongestFirst from "./packages/setup/longest-first.ts";

const tests = (...endings: string[]) =>
  endings.flatMap((ending) => [`packages/**/*${ending}`, `apps/**/*${ending}`]);
const outside = ["**/node_modules/**", "**/dist/**", "**/.vercel/**", "**/.next/**"];
const processes = tests(".process.test.ts", ".long.test.ts", ".browser.test.ts");
const exclusive = tests(".exclusive.test.ts");
/** Real servers on a busy machine: what passes at its second try only is named at the end. Unit tests have one. */
const retry = 1;

/**
 * The end of a file's name says how it is run, so that no list has to be kept; docs/developing.md explains
 * the choice.
 */
const projects: TestProjectInlineConfiguration[] = [
  {
    extends: true,
    test: {
      name: "unit",
      include: tests(".test.ts", ".test.tsx"),
      exclude: [...outside, ...processes, ...exclusive],
      setupFiles: ["./packages/setup/starts-no-process.ts"],
      maxWorkers: availableParallelism(),
      // Modules are loaded once for all files of a worker: that is a third of their CPU time.
      isolate: false,
      sequence: { groupOrder: 0 },
    },
  },
  {
    extends: true,
    test: {
      name: "process",
      include: processes,
      retry,
      exclude: outside,
      // Much of their time is waiting for servers.
      maxWorkers: availableParallelism() + 2,
      sequence: { groupOrder: 1 },
    },
  },
  {
    extends: true,
    test: {
      name: "exclusive",
      include: exclusive,
      retry,
      exclude: outside,
      maxWorkers: 1,
      fileParallelism: false,
      sequence: { groupOrder: 2 },
    },
  },
];

export default defineConfig({
  plugins: [
    {
      name: "text-imports",
      // Before Vite's own, by which a text file is an asset, and its import that asset's address.
      enforce: "pre",
      load: (file) => (file.endsWith(".txt") ? textModule(file) : null),
    },
  ],
  test: {
    projects,
    sequence: { sequencer: LongestFirst },
    reporters: ["default", "./packages/setup/slowest-files.ts", "./packages/setup/closing-line.ts"],
    // Tests start real runtimes on machines that may be busy: the bounds only stop what hangs.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    teardownTimeout: 20_000,
    // Vitest's own is a second.
    expect: { poll: { timeout: 20_000 } },
  },
});
