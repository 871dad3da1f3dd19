/** For opening connections, before a stage. */
export const OPEN_MS = 2000;
