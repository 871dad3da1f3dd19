import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { CaseManifest } from "@evenbench/core";
import { accountant, type SupervisedCommand, superviseCommand, toolEnvironment } from "@evenbench/host";
import { TYPE_STRIPPING } from "@evenbench/host/repository";

/** A case that is bundled, and not yet run. */
export interface CaseModule {
  readonly id: string;
  /** Absolute path of the module. */
  readonly file: string;
}

/** A case's own description, without its functions. */
export interface LoadedCase {
  readonly manifest: CaseManifest;
  /** True where the case has pins of its own. */
  readonly hasPins: boolean;
}

/** A case that was loaded; or the reason for which a module is none, behind the path of its folder. */
export type Loading = { readonly loaded: LoadedCase } | { readonly reason: string };

/** Limits of the top level of a case. */
export interface LoadLimits {
  /** Milliseconds within which it has to end. */
  readonly withinMs: number;
  /** Resident memory of the process that loads it, in bytes. */
  readonly bytes: number;
}

const BUILD_LIMITS: LoadLimits = { withinMs: 10_000, bytes: 2 ** 30 };
const LOADER = fileURLToPath(new URL("case-loader.ts", import.meta.url));
/** Milliseconds between two looks at the memory of the process that loads. */
const MEASURE_EVERY_MS = 100;

/** The beginning of the loader's lines that are answers: cases may write there themselves. */
const ANSWER = "evenbench-loading ";

interface Loader {
  readonly running: SupervisedCommand;
  /** Gives what it says of a case that it was sent. */
  readonly answers: AsyncIterator<Loading>;
}

/**
 * Runs the top level of cases in a process beside this one, one after another. A case that ends that process, hangs
 * in it or fills its memory is named; the others are loaded by a new one.
 *
 * @returns the outcome of each, in order.
 */
export async function loadCases(
  modules: readonly CaseModule[],
  limits: LoadLimits = BUILD_LIMITS,
): Promise<readonly Loading[]> {
  const loadings: Loading[] = [];
  let loader: Loader | null = null;
  try {
    for (const module of modules) {
      const isFirst: boolean = loader === null || hasEnded(loader);
      if (loader === null || isFirst) {
        loader = await startLoader();
      }
      let loading = await loadIn(loader, module, limits);
      if (hasEnded(loader) && !isFirst) {
        // What another case left behind may have ended it: this one gets a process of its own.
        loader = await startLoader();
        loading = await loadIn(loader, module, limits);
      }
      loadings.push(loading);
    }
    return loadings;
  } finally {
    await loader?.running.stop();
  }
}

function hasEnded({ running }: Loader): boolean {
  return running.serving.length === 0;
}

/** Starts a process that loads cases. @throws {Error} with the end of its output where it does not start. */
async function startLoader(): Promise<Loader> {
  const running = superviseCommand(
    { file: process.execPath, args: [...TYPE_STRIPPING, LOADER, ANSWER], env: toolEnvironment() },
    { graceMs: 0, stdio: ["pipe", "pipe", "pipe"] },
  );
  const { stdin, stdout, stderr } = running.supervisor;
  // Where it has just died, its end says so.
  stdin?.on("error", () => {});
  const errors: Buffer[] = [];
  const keep = (chunk: Buffer): void => {
    errors.push(chunk);
  };
  stderr?.on("data", keep);
  const answers = answersIn(stdout);
  const ready = await answers.next();
  if (ready.done) {
    await once(running.supervisor, "close");
    throw new Error(`Cases cannot be loaded: ${Buffer.concat(errors)}`);
  }
  // From here on cases write, as much as they like: it is read, so that none waits, and not kept.
  stderr?.removeListener("data", keep).resume();
  return { running, answers };
}

async function* answersIn(stdout: NodeJS.ReadableStream | null): AsyncGenerator<Loading, undefined> {
  for await (const line of stdout === null ? [] : createInterface({ input: stdout })) {
    if (line.startsWith(ANSWER)) {
      yield JSON.parse(line.slice(ANSWER.length));
    }
  }
}

async function loadIn(
  { running, answers }: Loader,
  module: CaseModule,
  limits: LoadLimits,
): Promise<Loading> {
  let excess: string | null = null;
  const endFor = (why: string): void => {
    excess ??= why;
    void running.stop();
  };
  const timer = setTimeout(endFor, limits.withinMs, `did not end within ${limits.withinMs / 1000} s`);
  const memory = setInterval(async () => {
    const account = await accountant.read(running.serving);
    if (account !== null && account.residentBytes > limits.bytes) {
      endFor(`took more than ${Math.round(limits.bytes / 2 ** 20)} MiB of memory`);
    }
  }, MEASURE_EVERY_MS);
  running.supervisor.stdin?.write(`${JSON.stringify(module)}\n`);
  try {
    // Its output may stay open: whatever a case started can hold it.
    const answer = await Promise.race([answers.next(), running.ended.then(() => null)]);
    if (answer?.done === false) {
      return answer.value;
    }
    const { code, signal } = await running.ended;
    const how = excess ?? `ended the process that loads it (${signal ?? `exit code ${code}`})`;
    return { reason: `its top level ${how}` };
  } finally {
    clearTimeout(timer);
    clearInterval(memory);
  }
}
