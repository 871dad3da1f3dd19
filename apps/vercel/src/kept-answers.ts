import { randomUUID } from "node:crypto";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { callInside, type Invoke } from "./inner-call.ts";
import { waitUntil } from "./pending-work.ts";
import {
  allowedHeaders,
  divideAnswer,
  goodFor,
  type KeptAnswer,
  type Prerender,
  readBuiltAnswer,
} from "./prerender.ts";
import { setCacheControl, setRequestHeaders } from "./proxy-headers.ts";
import type { Routed } from "./router.ts";
import { MATCHED_PATH } from "./router.ts";
import { UnservedError } from "./unserved.ts";
import { writePart } from "./web-handler.ts";

/** A call of a function whose answers are kept. */
interface KeptCall {
  readonly prerender: Prerender;
  readonly invoke: Invoke;
  /** The name of the answer: the path, and the part of the query that the answer depends on. */
  readonly key: string;
}

/** The origin of an answer, in the words of the header x-vercel-cache. */
type CacheState = "PRERENDER" | "HIT" | "STALE" | "MISS";

interface FoundAnswer {
  readonly answer: KeptAnswer;
  readonly state: CacheState;
}

/**
 * The cache of prerender functions ("Incremental Static Regeneration" of Vercel's documentation): what is too old is
 * given once more while it is rendered anew. Tags and groups take no part: the local host is never told of them.
 */
export class KeptAnswers {
  readonly #kept = new Map<string, KeptAnswer>();
  /** Answers that this host has rendered; the others are the build's. */
  readonly #renderedHere = new WeakSet<KeptAnswer>();
  /** Renderings that are under way, by the name of the answer. */
  readonly #rendering = new Map<string, Promise<KeptAnswer>>();

  /** Sends the answer that is kept for a request, or has it rendered. */
  async send(
    call: KeptCall,
    routed: Routed<unknown>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const found = await this.#find(call, request);
    await sendAnswer(found, call, routed, request, response);
  }

  async #find(call: KeptCall, request: IncomingMessage): Promise<FoundAnswer> {
    const { prerender, key } = call;
    const asked = request.headers["x-prerender-revalidate"];
    if (asked !== undefined && asked === prerender.bypassToken) {
      return { answer: await this.#renderOnce(call, request), state: "MISS" };
    }
    const known = this.#kept.get(key);
    if (known !== undefined) {
      return this.#giveKnown(known, call, request);
    }
    const built = await readBuiltAnswer(prerender);
    if (built === null) {
      return { answer: await this.#renderOnce(call, request), state: "MISS" };
    }
    // One for all paths stands for those that are not there yet; of a page in parts it is a part.
    const standsForOthers = prerender.allowQuery?.length !== 0 && prerender.chain === null;
    if (standsForOthers) {
      this.#renderLater(call, request);
    } else {
      this.#kept.set(key, built);
    }
    return { answer: built, state: "PRERENDER" };
  }

  /** Gives an answer that is kept; one that is too old is rendered anew meanwhile. */
  #giveKnown(known: KeptAnswer, call: KeptCall, request: IncomingMessage): FoundAnswer {
    if (performance.now() >= known.goodUntil) {
      this.#renderLater(call, request);
      return { answer: known, state: "STALE" };
    }
    return { answer: known, state: this.#renderedHere.has(known) ? "HIT" : "PRERENDER" };
  }

  #renderLater(call: KeptCall, request: IncomingMessage): void {
    const rendered = this.#renderOnce(call, request);
    waitUntil(rendered.catch((error: unknown) => this.#keepBuilt(call, error)));
  }

  /** Keeps the build's answer for ever where it cannot be rendered here: it would fail each time. */
  #keepBuilt({ key }: KeptCall, error: unknown): void {
    const known = this.#kept.get(key);
    if (!(error instanceof UnservedError) || known === undefined) {
      throw error;
    }
    this.#kept.set(key, { ...known, goodUntil: Number.POSITIVE_INFINITY });
    console.error(
      `evenbench: ${key} is served as the build rendered it, and is not rendered again: ${error.message}`,
    );
  }

  /** Renders an answer. Requests that come while it is rendered wait for the same one. */
  #renderOnce(call: KeptCall, request: IncomingMessage): Promise<KeptAnswer> {
    const begun = this.#rendering.get(call.key);
    if (begun !== undefined) {
      return begun;
    }
    const rendered = this.#renderAndKeep(call, request).finally(() => this.#rendering.delete(call.key));
    this.#rendering.set(call.key, rendered);
    return rendered;
  }

  async #renderAndKeep(call: KeptCall, request: IncomingMessage): Promise<KeptAnswer> {
    const answer = await render(call, request);
    if (answer.goodUntil > performance.now()) {
      this.#kept.set(call.key, answer);
      this.#renderedHere.add(answer);
    }
    return answer;
  }
}

/** The header by which the platform says which parameters the answer depends on; the path may lack them. */
const ROUTE_MATCHES = "x-now-route-matches";

/** Renders an answer for all who ask for it: without what the one who asks brings. */
async function render({ prerender, invoke, key }: KeptCall, request: IncomingMessage): Promise<KeptAnswer> {
  const [path = "/"] = (request.url ?? "/").split("?");
  const query = key.slice(key.indexOf("?") + 1);
  const headers = allowedHeaders(prerender, request.headers);
  const matchedPath = request.headers[MATCHED_PATH]?.toString() ?? path;
  setRequestHeaders(headers, request.socket.remoteAddress, matchedPath);
  // By it Next.js tells calls of a function apart: without one it gives what it rendered in the ten seconds before.
  headers["x-invocation-id"] = randomUUID();
  headers[ROUTE_MATCHES] = query;
  const url = query === "" ? path : `${path}?${query}`;
  const parts: Buffer[] = [];
  let status = 200;
  let own: OutgoingHttpHeaders = {};
  await callInside(
    invoke,
    { method: "GET", url, headers, body: Buffer.alloc(0) },
    {
      head(ownStatus, ownHeaders) {
        status = ownStatus;
        own = ownHeaders;
      },
      async part(chunk) {
        parts.push(chunk);
      },
    },
  );
  if (own["x-nextjs-postponed"] !== undefined && prerender.chain !== null) {
    throw new UnservedError(
      `${prerender.name}: a page in parts ("chain") of which the build has rendered nothing for this path`,
    );
  }
  const goodForMs = goodFor(prerender, status, own["cache-control"]?.toString() ?? "");
  const { state, body, contentType } = divideAnswer(own["content-type"]?.toString(), Buffer.concat(parts));
  const typed = contentType === undefined ? {} : { "content-type": contentType };
  return {
    status,
    headers: { ...headersToKeep(own, goodForMs > 0), ...typed },
    body,
    state,
    goodUntil: performance.now() + goodForMs,
  };
}

/** Gives the headers that are kept with an answer: the platform says how long others keep it. */
function headersToKeep(own: OutgoingHttpHeaders, isKept: boolean): OutgoingHttpHeaders {
  const { "content-length": _length, connection: _connection, "cache-control": cacheControl, ...rest } = own;
  return isKept || cacheControl === undefined ? rest : { ...rest, "cache-control": cacheControl };
}

async function sendAnswer(
  { answer, state }: FoundAnswer,
  { prerender, invoke }: KeptCall,
  routed: Routed<unknown>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined) {
      response.setHeader(name, value);
    }
  }
  response.setHeader("x-vercel-cache", state);
  setCacheControl(routed, response);
  const { state: rest, body } = answer;
  const { chain } = prerender;
  if (rest === null || chain === null) {
    response.setHeader("content-length", body.length);
    response.writeHead(answer.status).end(request.method === "HEAD" ? undefined : body);
    return;
  }
  response.writeHead(answer.status);
  if (request.method !== "HEAD") {
    response.write(body);
    await renderRest(rest, chain, invoke, request, response);
  }
  response.end();
}

/** Has the rest of a page rendered from its state, for the request as it came. */
async function renderRest(
  state: Buffer,
  chain: NonNullable<Prerender["chain"]>,
  invoke: Invoke,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const headers = { ...request.headers, ...chain.headers, "content-length": String(state.length) };
  const call = { method: "POST", url: request.url ?? "/", headers, body: state };
  await callInside(invoke, call, {
    head(status) {
      if (status >= 400) {
        throw new Error(`The rest of ${chain.path} could not be rendered: status ${status}.`);
      }
    },
    async part(chunk) {
      await writePart(response, chunk);
    },
  });
}
