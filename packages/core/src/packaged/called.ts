// Takes the place of ../called.ts in the published package.

/** The command by which users call the published package. */
export const EVENBENCH: string = "npx evenbench";
/** False in the published package, which has no cases, apps and platforms. */
export const IN_CLONE: boolean = false;
