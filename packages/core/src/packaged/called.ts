// Takes the place of ../called.ts in the published package.

export const EVENBENCH: string = "npx evenbench";
export const IN_CLONE: boolean = false;
