import { type FSWatcher, watch } from "node:fs";
import { join, sep } from "node:path";
import { messageOf, UserError } from "@evenbench/core";

/** Milliseconds without a change after which changes are reported: editors write a file in several steps. */
const QUIET_MS = 100;

/** Names of files and folders that nothing served is made of: built, installed, hidden, or only read by tests. */
const IGNORED = /^(node_modules|dist|test|bench|\..*)$|\.test\.tsx?$/;

/** Sentences on limits of the system, by code of the error. */
const SYSTEM_LIMITS = new Map([
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
 * Watches folders with all below them.
 *
 * @param onChange gets the absolute paths of what changed, once it is quiet.
 * @returns a function that ends it.
 * @throws {UserError} where they cannot be watched; what fails later is reported once for each reason.
 */
export async function watchSources(
  folders: readonly string[],
  onChange: (files: readonly string[]) => void,
  onLine: (line: string) => void,
): Promise<() => void> {
  const changed = new Set<string>();
  let quiet: NodeJS.Timeout | undefined;
  const note = (path: string) => {
    changed.add(path);
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      onChange([...changed]);
      changed.clear();
    }, QUIET_MS);
  };
  const causes = new Set<string>();
  const tell = (error: unknown) => {
    const cause = causeOf(error);
    if (!causes.has(cause)) {
      onLine(`! Changes of some files go unnoticed from now on: ${cause}`);
    }
    causes.add(cause);
  };
  const watchers: FSWatcher[] = [];
  const end = () => {
    clearTimeout(quiet);
    for (const watcher of watchers) {
      watcher.close();
    }
  };
  try {
    for (const folder of folders) {
      // Older versions of Node.js know no `ignore`: there the events of ignored files are passed over.
      const options = { recursive: true, ignore: isIgnored };
      const watcher = watch(folder, options, (_event, path) => {
        if (path !== null && !isIgnored(path)) {
          note(join(folder, path));
        }
      });
      watchers.push(watcher.on("error", tell));
    }
  } catch (error) {
    end();
    throw new UserError(`The sources cannot be watched for changes: ${causeOf(error)}`);
  }
  return end;
}

/** Tells whether a change of a path means nothing. @param path from the watched folder on. */
function isIgnored(path: string): boolean {
  return path.split(sep).some((name) => IGNORED.test(name));
}

function causeOf(error: unknown): string {
  const { code = "" } = error as NodeJS.ErrnoException;
  return SYSTEM_LIMITS.get(code) ?? `${messageOf(error)}.`;
}
