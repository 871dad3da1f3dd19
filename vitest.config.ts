import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { isTextFile, textModule } from "./packages/host/src/text-imports.ts";

// Tests read what programs print.
delete process.env.FORCE_COLOR;

const tests = (ending: string) => [`packages/**/*${ending}`, `apps/**/*${ending}`];
const outside = ["**/node_modules/**", "**/dist/**", "**/.vercel/**", "**/.next/**"];
const processes = tests(".process.test.ts");
const long = tests(".long.test.ts");
const exclusive = tests(".exclusive.test.ts");

/** More workers than cores: much of the time of tests is waiting for servers. */
const maxWorkers = availableParallelism() + 2;

/** The projects of all tests: those of one group run beside each other, groups one after the other. */
const PROJECTS: readonly (TestProjectInlineConfiguration["test"] & { group: number })[] = [
  {
    group: 0,
    name: "unit",
    include: [...tests(".test.ts"), ...tests(".test.tsx")],
    exclude: [...outside, ...processes, ...long, ...exclusive],
    setupFiles: ["./packages/setup/starts-no-process.ts", "./packages/probe/test/fresh-state.ts"],
    maxWorkers,
  },
  { group: 0, name: "process", include: processes, maxWorkers },
  // Some build apps in a checkout of their own: minutes on a machine with other work.
  { group: 1, name: "long", include: long, maxWorkers: availableParallelism() + 1, testTimeout: 600_000 },
  {
    group: 2,
    name: "exclusive",
    include: exclusive,
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 600_000,
  },
];

/** The files that take longest, by their ends, the longest first. */
const LONGEST = [
  "own-apps/src/small-apps.long.test.ts",
  "own-apps/src/next-app.long.test.ts",
  "against/own.long.test.ts",
  "commands/new.long.test.ts",
  "evenbench/src/action.long.test.ts",
  "dev/develop.long.test.ts",
  "conformance/frameworks.long.test.ts",
  "conformance/targets.process.test.ts",
  "cli/src/command.process.test.ts",
  "own-apps/src/own-app.process.test.ts",
  "runner/src/equal-work.process.test.ts",
  "host/src/run-program.process.test.ts",
  "bundle/src/load-cases.process.test.ts",
  "host/src/serve-command.process.test.ts",
];

/** Begins with the files that take longest, so that no worker is left alone with one of them at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const index = LONGEST.findIndex((end) => moduleId.endsWith(end));
      return index === -1 ? LONGEST.length : index;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}

/** The end of a file's name says when and how it is run: docs/developing.md. No test has a second try. */
const projects = PROJECTS.map(({ group: groupOrder, ...test }) => ({
  extends: true as const,
  test: { exclude: outside, ...test, sequence: { groupOrder } },
}));

/** The beginning of a text file's module's name: with a zero, as Vite wants it of what is no file. */
const TEXT_MODULE = "\0text:";

export default defineConfig({
  plugins: [
    {
      name: "text-imports",
      // Before Vite's own, by which a text file is an asset, and its import that asset's address.
      enforce: "pre",
      // By another name, since Vitest empties whatever is called .css.
      async resolveId(source, importer, options) {
        const found = isTextFile(source) ? await this.resolve(source, importer, options) : null;
        return found && `${TEXT_MODULE}${found.id}.js`;
      },
      load: (id) =>
        id.startsWith(TEXT_MODULE) ? textModule(id.slice(TEXT_MODULE.length, -".js".length)) : null,
    },
  ],
  test: {
    projects,
    sequence: { sequencer: LongestFirst },
    globalSetup: "./packages/setup/test-folder.ts",
    setupFiles: ["./packages/probe/test/fresh-state.ts"],
    // Modules are loaded once for all files of a worker, which is a third of the CPU time of unit tests.
    isolate: false,
    // What a test changes of the environment, and what it watches, ends with it.
    unstubEnvs: true,
    restoreMocks: true,
    reporters: ["default", "./packages/setup/closing-line.ts"],
    // Tests start real runtimes on machines that may be busy: the bounds only stop what hangs.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    teardownTimeout: 20_000,
    // As long as a test may take: Vitest's own is a second.
    expect: { poll: { timeout: 150_000 } },
  },
});
