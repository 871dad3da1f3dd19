import { basename, relative, sep } from "node:path";
import { watch as watchFiles } from "chokidar";

/** Editors write a file in several steps, and several files at once. */
const QUIET_MS = 100;

/** Not sources of anything that is served: built, installed, hidden, or only read by tests. */
const IGNORED = /^(node_modules|dist|test|bench|\..*)$|\.test\.tsx?$/;

/**
 * Watches folders for changes.
 *
 * @param onChange gets the changed files, absolute, when nothing more has changed for a moment.
 * @returns what ends it.
 */
export async function watchSources(
  folders: readonly string[],
  onChange: (files: readonly string[]) => void,
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
  await new Promise<void>((resolve, reject) => {
    watcher.once("ready", resolve);
    watcher.once("error", reject);
  });
  return async () => {
    clearTimeout(quiet);
    await watcher.close();
  };
}

/** Whether a file lies in a folder. */
export function liesIn(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return path !== "" && path !== ".." && !path.startsWith(`..${sep}`);
}
