import { refusingBindings } from "@evenbench/app-cloudflare/missing-bindings";
import handler from "#behind/own-handler";
import { settings } from "./settings.ts";

/** The part of a Worker's `env` that is there: variables of the configuration, and of the user's files. */
const environment: Record<string, unknown> = { ...settings.vars };
for (const name of settings.names) {
  environment[name] = process.env[name] ?? environment[name];
}

if (typeof handler?.fetch !== "function") {
  throw new TypeError("The module's default export has no method fetch.");
}

/** Answers a request. */
type Answer = (request: Request) => Response | Promise<Response>;

/** Makes a function that calls the user's handler as Workers do: with `env` and a context. */
export function answering(waitUntil: (work: Promise<unknown>) => void): Answer {
  const context = { waitUntil, passThroughOnException: () => {}, props: {} };
  const { bindings } = settings;
  if (bindings.length === 0) {
    return logging((request) => handler.fetch(request, environment, context));
  }
  const refusing = refusingBindings(handler.fetch.bind(handler), bindings);
  return logging((request) => refusing(request, environment as never, context as never));
}

/** Writes what a handler throws into the log: the server below it answers 500, and says nothing. */
function logging(answer: Answer): Answer {
  return async (request) => {
    try {
      return await answer(request);
    } catch (error) {
      console.error(error);
      throw error;
    }
  };
}
