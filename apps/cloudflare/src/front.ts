import worker from "#behind/worker";

export * from "#behind/worker";

import { createGuard, guardFetch } from "@evenbench/core";

export default guardFetch(worker, createGuard(process.env));
