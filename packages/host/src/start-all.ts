import { messageOf } from "@evenbench/core";

/** One that did not start, by its place among those that were to. */
export interface FailedStart {
  readonly index: number;
  readonly reason: unknown;
  /** The reason in words. */
  readonly why: string;
}

/** Starts all side by side. Where one fails, those that started are stopped: there are all, or none. */
export async function startAll<T>(
  starts: readonly (() => Promise<T>)[],
  stop: (started: T) => Promise<unknown>,
  explain: (failed: readonly FailedStart[]) => unknown,
): Promise<T[]> {
  const settled = await Promise.allSettled(starts.map((start) => start()));
  const started = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const failed = settled.flatMap((one, index) =>
    one.status === "rejected" ? [{ index, reason: one.reason, why: messageOf(one.reason) }] : [],
  );
  if (failed.length === 0) return started;
  // What cannot be stopped must not hide why.
  await Promise.allSettled(started.map((one) => stop(one)));
  throw explain(failed);
}

/** "2 of 3 targets did not start." and a line for each with its reason. */
export function describeFailedStarts(
  failed: readonly FailedStart[],
  names: readonly string[],
  what: string,
): string {
  const lines = failed.map(({ index, why }) => `${names[index]}: ${why}`);
  return `${failed.length} of ${names.length} ${what} did not start.\n${lines.join("\n")}`;
}
