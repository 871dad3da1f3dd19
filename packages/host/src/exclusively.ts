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
 * Does `work` while nobody else, in this process or another, does any under the same file. The file stays.
 *
 * @throws what `work` throws, and an error that names the file where it cannot be written.
 */
export async function exclusively<T>(
  lockFile: string,
  work: () => Promise<T>,
  { onWait, signal }: WaitOptions = {},
): Promise<T> {
  const holderFile = `${lockFile}.pid`;
  let held = await tryToHold(lockFile, "alone");
  if (held === null) {
    onWait?.(await readHolder(holderFile));
  }
  while (held === null) {
    await delay(ASK_EVERY_MS, undefined, { signal });
    held = await tryToHold(lockFile, "alone");
  }
  using _ = held;
  await writeFile(holderFile, `${process.pid}\n`);
  return await work();
}

/** How a lock is held: by nobody else, or beside others that hold it so, too. */
export type Holding = "alone" | "with others";

/** SQL that takes a lock, by how it is held. The first reading of a transaction takes a shared one. */
const TAKE: Readonly<Record<Holding, string>> = {
  alone: "BEGIN EXCLUSIVE",
  "with others": "BEGIN; SELECT count(*) FROM sqlite_schema",
};

/**
 * Takes a lock where nobody holds it otherwise. It is a lock of SQLite's, which the system frees when a process dies,
 * however it dies.
 *
 * @returns what gives it back when it is disposed of; null where another holds it.
 * @throws an error that names the file where it cannot be written.
 */
export async function tryToHold(lockFile: string, holding: Holding): Promise<Disposable | null> {
  // Loaded here: the published package runs on a Node.js without it, and locks nothing.
  const { DatabaseSync } = await import("node:sqlite");
  await mkdir(dirname(lockFile), { recursive: true });
  let lock: InstanceType<typeof DatabaseSync> | null = null;
  try {
    lock = new DatabaseSync(lockFile);
    lock.exec(TAKE[holding]);
    return lock;
  } catch (error) {
    lock?.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) {
      return null;
    }
    throw new Error(`The lock ${lockFile} cannot be opened for writing.`, { cause: error });
  }
}

/** The id of the process that took the lock last; an older one may stand there for the moment between lock and note. */
async function readHolder(file: string): Promise<number | null> {
  const text = await readFile(file, "utf8").catch(() => "");
  return /^\d+\n$/.test(text) ? Number(text) : null;
}
