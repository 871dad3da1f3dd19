import type { Guard } from "./access.ts";
import { responseOf } from "./problem.ts";

/** Puts a guard in front of something with a web-standard `fetch`. Without a guard it stays what it was. */
export function guardFetch<Rest extends unknown[], Target extends Fetcher<Rest>>(
  target: Target,
  guard: Guard | null,
): Target {
  if (guard === null) return target;
  const guarded: Fetcher<Rest> = {
    ...target,
    fetch(request, ...rest) {
      const { headers, method, url } = request;
      const refusal = guard({ authorization: headers.get("authorization"), url });
      if (refusal === null) return target.fetch(request, ...rest);
      const response = responseOf(refusal);
      return method === "HEAD" ? new Response(null, response) : response;
    },
  };
  return guarded as Target;
}

interface Fetcher<Rest extends unknown[]> {
  fetch(request: Request, ...rest: Rest): Response | Promise<Response>;
}
