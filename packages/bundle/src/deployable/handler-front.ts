import { createGuard, guardFetch } from "@evenbench/core";
import handler from "#behind/handler";

/** The artifact's handler behind the guard of its token. */
export default guardFetch(handler, createGuard(process.env));
