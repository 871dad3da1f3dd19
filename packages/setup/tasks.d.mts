/** Names of turbo's build tasks. */
export const builds: readonly string[];
