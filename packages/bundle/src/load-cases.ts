import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { CaseManifest } from "@evenbench/core";
import { accountant, processTree } from "@evenbench/host";
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

/** The limits of a build. */
const BUILD_LIMITS: LoadLimits = { withinMs: 10_000, bytes: 2 ** 30 };
/** The program that loads cases. */
const LOADER = fileURLToPath(new URL("case-loader.ts", import.meta.url));
/** Milliseconds between two looks at the memory of the process that loads. */
const MEASURE_EVERY_MS = 100;

/**
 * Runs the top level of cases in a process beside this one, one after another. A case that ends that process, hangs
 * in it or fills its memory is named; the others are loaded by a new one.
 *
 * @returns the outcome of each module, in their order.
 */
export async function loadCases(
  modules: readonly CaseModule[],
  limits: LoadLimits = BUILD_LIMITS,
): Promise<readonly Loading[]> {
  const loadings: Loading[] = [];
  let loader: ChildProcess | null = null;
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
    if (loader !== null) {
      endLoader(loader);
    }
  }
}

/** Ends a loader, together with what a case started: that would go on, with the loader's output open. */
function endLoader(loader: ChildProcess): void {
  const [, ...below] = loader.pid === undefined ? [] : processTree(loader.pid);
  loader.kill("SIGKILL");
  for (const pid of below) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Starts a process that loads cases. @throws {Error} with the end of its output where it does not start. */
async function startLoader(): Promise<ChildProcess> {
  const loader = fork(LOADER, [], {
    execArgv: [...TYPE_STRIPPING],
    // What a case prints there says nothing of the build.
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const errors: Buffer[] = [];
  const keep = (chunk: Buffer): void => {
    errors.push(chunk);
  };
  loader.stderr?.on("data", keep);
  await new Promise<void>((resolve, reject) => {
    loader.once("message", () => resolve());
    loader.once("error", reject);
    loader.once("close", () => reject(new Error(`Cases cannot be loaded: ${Buffer.concat(errors)}`)));
  });
  // From here on cases write, as much as they like: it is read, so that none waits, and not kept.
  loader.stderr?.removeListener("data", keep).resume();
  return loader;
}

/** Has a process load a case, within the limits. */
function loadIn(loader: ChildProcess, module: CaseModule, limits: LoadLimits): Promise<Loading> {
  const { promise, resolve } = Promise.withResolvers<Loading>();
  let excess: string | null = null;
  const endFor = (why: string): void => {
    excess ??= why;
    endLoader(loader);
  };
  const timer = setTimeout(endFor, limits.withinMs, `did not end within ${limits.withinMs / 1000} s`);
  const memory = setInterval(async () => {
    const account = loader.pid === undefined ? null : await accountant.read([loader.pid]);
    if (account === null || account.residentBytes <= limits.bytes) {
      return;
    }
    endFor(`took more than ${Math.round(limits.bytes / 2 ** 20)} MiB of memory`);
  }, MEASURE_EVERY_MS);
  const onExit = (code: number | null, signal: NodeJS.Signals | null): void => {
    const how = excess ?? `ended the process that loads it (${signal ?? `exit code ${code}`})`;
    resolve({ reason: `its top level ${how}` });
  };
  // Its output may stay open: whatever a case started can hold it.
  loader.once("message", resolve).once("exit", onExit);
  // Where it has just died, its end says so.
  loader.send(module, () => {});
  return promise.finally(() => {
    clearTimeout(timer);
    clearInterval(memory);
    loader.off("message", resolve).off("exit", onExit);
  });
}
