// Stands in front of a module that answers requests: lets in whom the guard lets in.

import { createGuard, guardFetch } from "@evenbench/core";
import handler from "#behind/handler";

export default guardFetch(handler, createGuard(process.env));
