/** The words that start the command, for messages, help texts and reports. */
export const EVENBENCH: string = "npm run bench --";

/** Whether this is a clone of the repository, with its cases, apps and platforms: not so in the published package. */
export const IN_CLONE: boolean = true;
