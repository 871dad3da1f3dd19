import type { TestOptions } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** Why a test is skipped: what is not installed, and how it is. The end of the suite counts them by it. */
    missing?: string;
  }
}

/** Options of a test, or of a `describe`, that needs something which not every machine has. */
export function needs(missing: string | null): TestOptions {
  return missing === null ? {} : { skip: true, meta: { missing } };
}
