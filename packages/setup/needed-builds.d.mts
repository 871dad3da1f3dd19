/** Filters for turbo; empty: everything is to be built; null: nothing. */
export function filtersFor(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<readonly string[] | null>;
