/** Work that functions go on with behind their answers. */
const pending = new Set<Promise<unknown>>();

/** Waits until no work of `waitUntil` is left. */
export async function allWorkDone(): Promise<void> {
  while (pending.size > 0) {
    await Promise.all(pending);
  }
}

/** Notes work that goes on behind an answer. What fails is written to the log. */
export function waitUntil(work: unknown): void {
  const settled: Promise<unknown> = Promise.resolve(typeof work === "function" ? work() : work)
    .catch((error: unknown) => console.error("evenbench: work in waitUntil failed:", error))
    .finally(() => pending.delete(settled));
  pending.add(settled);
}
