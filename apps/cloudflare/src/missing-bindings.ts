/** A binding that a configuration declares, and that the local host does not have. */
export interface MissingBinding {
  /** The name in the app's code, such as "BLOG". */
  readonly name: string;
  /** The kind in words for people, such as "KV namespace". */
  readonly kind: string;
}

/** The handler of a Worker. */
type Fetch = (request: Request, env: never, context: never) => Response | Promise<Response>;

/**
 * Gives each request stand-ins for bindings that are not there. A request that uses one is answered with 501 and the
 * binding's name, whatever the app makes of it: a Worker without its data does not do its work.
 */
export function refusingBindings(fetch: Fetch, bindings: readonly MissingBinding[]): Fetch {
  return async (request, env, context) => {
    let used: MissingBinding | undefined;
    const standIns = bindings.map((binding) => [
      binding.name,
      standIn(binding, () => {
        used ??= binding;
      }),
    ]);
    const complete = { ...(env as object), ...Object.fromEntries(standIns) } as never;
    let response: Response | undefined;
    try {
      response = await fetch(request, complete, context);
    } catch (error) {
      if (used === undefined) {
        throw error;
      }
    }
    return used === undefined && response !== undefined ? response : missingBindingAnswer(request, used);
  };
}

/** Makes an object whose use is noticed, and fails. @param onUse is called at each use. */
function standIn({ kind, name }: MissingBinding, onUse: () => void): object {
  return new Proxy(Object.create(null), {
    get(_target, property) {
      // To wait for it or to print it is no use of it.
      if (typeof property === "symbol" || property === "then" || property === "toJSON") {
        return undefined;
      }
      onUse();
      return () => {
        throw new Error(`The ${kind} ${name} is not there.`);
      };
    },
  });
}

function missingBindingAnswer({ method, url }: Request, used: MissingBinding | undefined): Response {
  const what = `${method} ${new URL(url).pathname} uses the ${used?.kind} ${used?.name}`;
  const text = `${what}, which the local host does not have: this path cannot be measured.`;
  console.error(`evenbench: ${text}`);
  return new Response(`${text}\n`, { status: 501, headers: { "content-type": "text/plain; charset=utf-8" } });
}
