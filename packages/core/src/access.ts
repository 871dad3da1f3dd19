import type { IncomingMessage, ServerResponse } from "node:http";
import { problemResponse } from "./response.ts";

/** The variable (where deployed: the platform's secret) that holds the token of a target's callers. */
export const TOKEN_VARIABLE = "EVENBENCH_TOKEN";
/** The variable by which local hosts, and nothing else, say that their loopback address is open. */
export const ACCESS_VARIABLE = "EVENBENCH_ACCESS";
/** The value of {@link ACCESS_VARIABLE} that opens a target. */
export const OPEN_ACCESS = "open";

/** Lengths of a token in characters: too long to be guessed, and short enough for a header. */
const SHORTEST_TOKEN = 32;
const LONGEST_TOKEN = 512;
/** A token68 (RFC 9110, section 11.2). */
const TOKEN_PATTERN = /^[\w.~+/-]+=*$/;
/** The value of a header "authorization" with a token, which is its group. */
const CREDENTIALS = /^Bearer +([\w.~+/-]+=*)$/i;
/** A token in a URL, by mistake or by section 2.3 of RFC 6750. URLs end up in logs. */
const TOKEN_IN_QUERY = /[?&](?:access_token|token)=/i;

/** The parts of a request that may hold a token. */
export interface Credentials {
  /** The header "authorization"; null or undefined where there is none. */
  readonly authorization: string | null | undefined;
  /** The whole URL, or its path with its query. */
  readonly url: string;
}

/** Checks who asks. @returns the refusal; null for a caller whom the target serves. */
export type Guard = (credentials: Credentials) => Response | null;

/**
 * Makes the guard of a target from its environment. Without a token that is valid it refuses everybody.
 *
 * @returns null where a local host says that the target is open.
 */
export function createGuard(environment: Readonly<Record<string, string | undefined>>): Guard | null {
  if (environment[ACCESS_VARIABLE] === OPEN_ACCESS) {
    return null;
  }
  const token = environment[TOKEN_VARIABLE] ?? "";
  if (!isToken(token)) {
    return () => unconfigured(token);
  }
  return ({ authorization, url }) => {
    const given = CREDENTIALS.exec(authorization ?? "")?.[1];
    const inQuery = TOKEN_IN_QUERY.test(url);
    if (given === undefined || !isEqual(given, token)) {
      return unauthorized(given !== undefined, inQuery);
    }
    return inQuery ? tokenInQuery() : null;
  };
}

/** Tells whether a text can be a token: long enough not to be guessed, and nothing that a header cannot carry. */
export function isToken(text: string): boolean {
  return text.length >= SHORTEST_TOKEN && text.length <= LONGEST_TOKEN && TOKEN_PATTERN.test(text);
}

/** The rule of `isToken` in words that go behind "must have". */
export const TOKEN_RULE = `${SHORTEST_TOKEN} to ${LONGEST_TOKEN} letters, digits or any of - . _ ~ + / (such as \`openssl rand -hex 32\` makes)`;

/** Makes the header that carries a token; no header where there is none. */
export function bearer(token: string | null | undefined): Record<string, string> {
  if (token === null || token === undefined) {
    return {};
  }
  return { authorization: `Bearer ${token}` };
}

/** Tells whether two tokens are equal. It takes equally long for every wrong one of a length. */
function isEqual(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let index = 0; index < expected.length; index++) {
    difference |= expected.charCodeAt(index) ^ (given.charCodeAt(index) | 0);
  }
  return difference === 0;
}

/** Refuses everybody, since the target has no valid token. */
function unconfigured(token: string): Response {
  const why =
    token === "" ? `No ${TOKEN_VARIABLE} is configured` : `The configured ${TOKEN_VARIABLE} is not valid`;
  return problemResponse(
    503,
    "Closed",
    `${why}, so this target serves nobody. Set it as the platform's secret or environment variable to ${TOKEN_RULE}; \`npm run bench -- deploy\` does.`,
  );
}

/** Refuses a caller. @param wrong true where a token was given. */
function unauthorized(wrong: boolean, inQuery: boolean): Response {
  const what = wrong ? "The token is wrong." : "This target serves only callers with its token.";
  const query = inQuery ? " A token in the URL is not looked at, and may stand in logs now." : "";
  const detail = `${what} Send it as the header "Authorization: Bearer <token>".${query}`;
  const response = problemResponse(401, "Unauthorized", detail);
  response.headers.set(
    "www-authenticate",
    `Bearer realm="evenbench"${wrong ? ', error="invalid_token"' : ""}`,
  );
  return response;
}

/** Refuses a caller with the right token who has it in the URL, too. */
function tokenInQuery(): Response {
  const detail =
    'A token in the URL ends up in logs: send it only as the header "Authorization: Bearer <token>".';
  return problemResponse(400, "Token in the URL", detail);
}

/** A module that serves by a `fetch` of the web. */
export interface Fetcher<Rest extends unknown[]> {
  fetch(request: Request, ...rest: Rest): Response | Promise<Response>;
}

/** Puts a guard in front of a module with a `fetch`. @returns the module itself where there is no guard. */
export function guardFetch<Rest extends unknown[], Target extends Fetcher<Rest>>(
  target: Target,
  guard: Guard | null,
): Target {
  if (guard === null) {
    return target;
  }
  const guarded: Fetcher<Rest> = {
    ...target,
    fetch(request, ...rest) {
      const { headers, method, url } = request;
      const refusal = guard({ authorization: headers.get("authorization"), url });
      if (refusal === null) {
        return target.fetch(request, ...rest);
      }
      return method === "HEAD" ? new Response(null, refusal) : refusal;
    },
  };
  return guarded as Target;
}

/** Sends a refusal through a server of Node.js. */
export async function sendRefusal(
  refusal: Response,
  { method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await refusal.text();
  response.writeHead(refusal.status, Object.fromEntries(refusal.headers));
  response.end(method === "HEAD" ? undefined : body);
}
