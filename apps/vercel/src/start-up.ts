/** The variable with the path whose function is loaded before the host listens, where a start is measured. */
export const START_PATH_VARIABLE = "EVENBENCH_START_PATH";

/** The module of Evenbench's function around an app's handler, which is beside it. */
export const HANDLER_FUNCTION = "evenbench-function.mjs";
