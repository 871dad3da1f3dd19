const pending = new Set<Promise<unknown>>();

/** What @vercel/functions and the launcher of Next.js look up: the way to go on with work behind a response. */
export function provideRequestContext(): void {
  const context = { waitUntil, headers: {}, url: "" };
  Object.assign(globalThis, { [Symbol.for("@vercel/request-context")]: { get: () => context } });
}

/** Resolves when all work is done that was to be waited for. */
export async function waitedFor(): Promise<void> {
  while (pending.size > 0) await Promise.all(pending);
}

function waitUntil(work: unknown): void {
  const settled: Promise<unknown> = Promise.resolve(typeof work === "function" ? work() : work)
    .catch((error: unknown) => console.error("evenbench: work in waitUntil failed:", error))
    .finally(() => pending.delete(settled));
  pending.add(settled);
}
