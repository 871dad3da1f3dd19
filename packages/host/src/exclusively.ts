import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** SQLite's result code where another holds the lock (sqlite.org/rescode.html#busy). */
const SQLITE_BUSY = 5;
/** Milliseconds between two attempts to take the lock. */
const ASK_EVERY_MS = 100;

/** Options of waiting while another process holds the lock. */
export interface WaitOptions {
  /** Called once where another holds the lock, with its process id; null where that is not known. */
  onWait?(holder: number | null): void;
  /** Ends the waiting; the promise rejects with its reason then. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Does `work` while nobody else, in this process or another, does any under the same file.
 * It is a lock of SQLite's, which the system frees when a process dies, however it dies. The file stays.
 *
 * @throws what `work` throws, and an error that names the file where it cannot be written.
 */
export async function exclusively<T>(
  lockFile: string,
  work: () => Promise<T>,
  { onWait, signal }: WaitOptions = {},
): Promise<T> {
  // Loaded here: the published package runs on a Node.js without it, and locks nothing.
  const { DatabaseSync } = await import("node:sqlite");
  await mkdir(dirname(lockFile), { recursive: true });
  const holderFile = `${lockFile}.pid`;
  using lock = openDatabase();
  let hasWaited = false;
  while (!tryLock()) {
    if (!hasWaited) {
      onWait?.(await readHolder(holderFile));
    }
    hasWaited = true;
    await delay(ASK_EVERY_MS, undefined, { signal });
  }
  await writeFile(holderFile, `${process.pid}\n`);
  return await work();

  function openDatabase() {
    try {
      return new DatabaseSync(lockFile);
    } catch (error) {
      throw new Error(`The lock ${lockFile} cannot be opened for writing.`, { cause: error });
    }
  }

  function tryLock(): boolean {
    try {
      lock.exec("BEGIN EXCLUSIVE");
      return true;
    } catch (error) {
      if ((error as { errcode?: number }).errcode === SQLITE_BUSY) {
        return false;
      }
      throw new Error(`The lock ${lockFile} cannot be written.`, { cause: error });
    }
  }
}

/** The id of the process that took the lock last; an older one may stand there for the moment between lock and note. */
async function readHolder(file: string): Promise<number | null> {
  const text = await readFile(file, "utf8").catch(() => "");
  return /^\d+\n$/.test(text) ? Number(text) : null;
}
