/** How a user calls Evenbench here, as messages write it. */
export const EVENBENCH: string = "npm run bench --";

/** True where this is a clone of the repository. The published package has no cases, apps and platforms. */
export const IN_CLONE: boolean = true;
