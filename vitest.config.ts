import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { textModule } from "./packages/host/src/text-imports.ts";

const tests = (...endings: string[]) =>
  endings.flatMap((ending) => [`packages/**/*${ending}`, `apps/**/*${ending}`]);
const outside = ["**/node_modules/**", "**/dist/**", "**/.vercel/**", "**/.next/**"];
const processes = tests(".process.test.ts", ".browser.test.ts");
const long = tests(".long.test.ts");
const exclusive = tests(".exclusive.test.ts");

/** The end of a file's name says when and how it is run: docs/developing.md. No test has a second try. */
const projects: TestProjectInlineConfiguration[] = [
  {
    extends: true,
    test: {
      name: "unit",
      include: tests(".test.ts", ".test.tsx"),
      exclude: [...outside, ...processes, ...long, ...exclusive],
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
      exclude: outside,
      // Much of their time is waiting for servers.
      maxWorkers: availableParallelism() + 1,
      sequence: { groupOrder: 1 },
    },
  },
  {
    extends: true,
    test: {
      name: "long",
      include: long,
      exclude: outside,
      maxWorkers: availableParallelism() + 1,
      sequence: { groupOrder: 2 },
    },
  },
  {
    extends: true,
    test: {
      name: "exclusive",
      include: exclusive,
      exclude: outside,
      maxWorkers: 1,
      fileParallelism: false,
      sequence: { groupOrder: 3 },
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
    reporters: ["default", "./packages/setup/closing-line.ts"],
    // Tests start real runtimes on machines that may be busy: the bounds only stop what hangs.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    teardownTimeout: 20_000,
    // Vitest's own is a second.
    expect: { poll: { timeout: 20_000 } },
  },
});
