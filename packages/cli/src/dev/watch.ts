import { once } from "node:events";
import { basename } from "node:path";
import { messageOf, UserError } from "@evenbench/core";
import { watch as watchFiles } from "chokidar";

/** Editors write a file in several steps, and several files at once. */
const QUIET_MS = 100;

/** Not sources of anything that is served: built, installed, hidden, or only read by tests. */
const IGNORED = /^(node_modules|dist|test|bench|\..*)$|\.test\.tsx?$/;

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

/** The first error is thrown; those after the start are told once for each reason, and not for each file. */
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
      onChange([...changed]);
      changed.clear();
    }, QUIET_MS);
  });
  const causes = new Set<string>();
  let isReady = false;
  const onError = (error: unknown) => {
    const cause = causeOf(error);
    if (isReady && !causes.has(cause)) {
      onLine(`! Changes of some files go unnoticed from now on: ${cause}`);
    }
    causes.add(cause);
  };
  const end = () => {
    clearTimeout(quiet);
    isReady = false;
    const closed = watcher.close();
    // That took all listeners away, and what is under way can still fail.
    watcher.on("error", onError);
    return closed;
  };
  try {
    watcher.on("error", onError);
    await once(watcher, "ready");
    isReady = true;
  } catch (error) {
    await end();
    throw new UserError(`The sources cannot be watched for changes: ${causeOf(error)}`);
  }
  return end;
}

function causeOf(error: unknown): string {
  const { code = "" } = error as NodeJS.ErrnoException;
  return LIMITS.get(code) ?? `${messageOf(error)}.`;
}
