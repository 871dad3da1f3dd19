export const EVENBENCH: string = "npm run bench --";

/** Not so in the published package: it has no cases, apps and platforms. */
export const IN_CLONE: boolean = true;
