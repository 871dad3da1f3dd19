import { basename } from "node:path";
import { messageOf, UserError } from "@evenbench/core";
import { type FSWatcher, watch as watchFiles } from "chokidar";

/** Editors write a file in several steps, and several files at once. */
const QUIET_MS = 100;

/** Not sources of anything that is served: built, installed, hidden, or only read by tests. */
const IGNORED = /^(node_modules|dist|test|bench|\..*)$|\.test\.tsx?$/;

/** What a system runs out of, and what to do then, by the error's code. */
const LIMITS = new Map([
  [
    "ENOSPC",
    "this machine's limit of watched files is reached (fs.inotify.max_user_watches). Raise that, for instance by `sudo sysctl fs.inotify.max_user_watches=524288`, and start again.",
  ],
  [
    "EMFILE",
    "the limit of open files or watchers is reached (ulimit -n, fs.inotify.max_user_instances). Raise these, or end other programs that watch files, and start again.",
  ],
]);

/**
 * Watches folders for changes.
 *
 * @param onChange gets the changed files, absolute, when nothing more has changed for a moment.
 * @throws {UserError} when the files that are there cannot be watched.
 */
export async function watchSources(
  folders: readonly string[],
  onChange: (files: readonly string[]) => void,
  onLine: (line: string) => void,
): Promise<() => Promise<void>> {
  const changed = new Set<string>();
  let quiet: NodeJS.Timeout | undefined;
  const watcher = watchFiles([...folders], {
    ignoreInitial: true,
    ignored: (path) => !folders.includes(path) && IGNORED.test(basename(path)),
  });
  watcher.on("all", (_event, path) => {
    changed.add(path);
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      const files = [...changed];
      changed.clear();
      onChange(files);
    }, QUIET_MS);
  });
  const end = () => {
    clearTimeout(quiet);
    return close(watcher);
  };
  try {
    await untilReady(watcher, onLine);
  } catch (error) {
    await end();
    throw new UserError(`The sources cannot be watched for changes: ${causeOf(error)}`);
  }
  return end;
}

/** There is an error for each file. Only the first is thrown; those after the start are told. */
async function untilReady(watcher: FSWatcher, onLine: (line: string) => void): Promise<void> {
  const told = new Set<string>();
  const tell = (error: unknown) => {
    const { code = messageOf(error) } = error as NodeJS.ErrnoException;
    if (told.has(code)) return;
    told.add(code);
    onLine(`! Changes of some files go unnoticed from now on: ${causeOf(error)}`);
  };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let onError: (error: unknown) => void = reject;
  watcher.on("error", (error) => onError(error));
  watcher.once("ready", () => {
    onError = tell;
    resolve();
  });
  await promise;
}

function causeOf(error: unknown): string {
  const { code = "" } = error as NodeJS.ErrnoException;
  return LIMITS.get(code) ?? `${messageOf(error)}.`;
}

function close(watcher: FSWatcher): Promise<void> {
  const closed = watcher.close();
  // That took all listeners away, and what is under way can still fail.
  watcher.on("error", () => {});
  return closed;
}
