// The main module of every Worker, whichever app it is of: lets in whom the guard lets in.
import worker from "#behind/worker";

export * from "#behind/worker";

import { createGuard, guardFetch } from "@evenbench/core";

export default guardFetch(worker, createGuard(process.env));
