import { createGuard, guardFetch } from "@evenbench/core";
import handler from "#behind/handler";

export default guardFetch(handler, createGuard(process.env));
