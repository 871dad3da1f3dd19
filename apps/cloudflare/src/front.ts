import worker from "#behind/worker";

export * from "#behind/worker";

import { createGuard, guardFetch } from "@evenbench/core";

/** The Worker behind the guard of its token. */
export default guardFetch(worker, createGuard(process.env));
