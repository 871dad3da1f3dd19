import { refusingBindings } from "@evenbench/app-cloudflare/missing-bindings";
import handler from "#behind/own-handler";
import { settings } from "./settings.ts";

// Classes of Durable Objects, which the configuration of a Worker names.
export * from "#behind/own-handler";

const { bindings } = settings;
// A class is instantiated by the platform, and stays as it is.
const isWrapped = bindings.length > 0 && typeof handler !== "function";

export default isWrapped
  ? { ...handler, fetch: refusingBindings(handler.fetch.bind(handler), bindings) }
  : handler;
