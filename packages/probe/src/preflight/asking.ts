import { Agent as HttpAgent, type IncomingHttpHeaders } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { type CaseManifest, caseInWords, type Identity, messageOf, parseJson } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { ask, describeOwnLimit, type HttpAnswer, NoAnswerError } from "@evenbench/core/http";
import { identity as identitySchema } from "@evenbench/core/schema";
import { maskedDigest } from "../body.ts";
import { EXCHANGE_TIMEOUT_MS } from "../probe.ts";
import { type AskedWith, requestOf, requestWith } from "../request.ts";
import { codingOf, type Expectation, mediaType } from "../rules.ts";
import { cacheHitIn, cacheRulesIn, cacheStateIn } from "./cache-headers.ts";
import { type PreflightOptions, type PreflightProblem, type PreflightTarget, problem } from "./options.ts";

/** A whole response, with what preflight compares of its headers. */
export interface WholeResponse extends HttpAnswer {
  /** True where the connection goes on behind it. */
  readonly keepAlive: boolean;
  /** The content type without its parameters; null where there is none. */
  readonly contentType: string | null;
  /** What its bytes are coded by, as `codingOf` gives it. */
  readonly coding: string | null;
  /** Headers that steer caches, as text; empty where the response has none. */
  readonly cacheRules: string;
  /** Headers in which caches on the way say what they did, as text; empty where there are none. */
  readonly cacheState: string;
  /**
   * The header by which the answer says that a cache gave it, such as "x-nextjs-cache: HIT"; null where none
   * says so.
   */
  readonly fromCache: string | null;
  /** The header "location"; null where there is none. */
  readonly location: string | null;
  /** True where it sets a cookie. No request sends one back. */
  readonly setsCookie: boolean;
}

/** How a response is fetched. */
export interface FetchOptions extends AskedWith {
  /** Milliseconds within which the whole response has to come. */
  readonly timeoutMs: number;
  /** Default: Node.js's own. */
  readonly agent?: HttpAgent | HttpsAgent;
  /** Ends the request early: there is then no whole response. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fetches a whole response with node:http, which names its HTTP version. No redirects are followed.
 *
 * @throws {NoAnswerError} where there is no whole response.
 */
export async function fetchWhole(url: string, options: FetchOptions): Promise<WholeResponse> {
  const { timeoutMs, agent, signal } = options;
  const { method, body, headers: requestHeaders } = requestWith(options, url);
  const headers = { ...(body !== null && { "content-length": String(body.byteLength) }), ...requestHeaders };
  const answer = await ask(url, { method, headers, body, agent, timeoutMs, signal });
  const head = answer.headers;
  return {
    ...answer,
    body: sharedBody(answer.body),
    keepAlive: isKept(method, answer, head),
    contentType: mediaType(head["content-type"]),
    coding: codingOf(head["content-encoding"] ?? null, head["transfer-encoding"] ?? null),
    cacheRules: cacheRulesIn(head),
    cacheState: cacheStateIn(head),
    fromCache: cacheHitIn(head),
    location: head.location ?? null,
    setsCookie: head["set-cookie"] !== undefined,
  };
}

/** The last body that came, for as long as it is used. */
let lastBody = new WeakRef<Buffer>(Buffer.alloc(0));

/** Gives the last body where an equal one came, as most are: many answers of many megabytes are kept at once. */
function sharedBody(body: Buffer): Buffer {
  const last = lastBody.deref();
  if (last?.equals(body)) {
    return last;
  }
  lastBody = new WeakRef(body);
  return body;
}

/** The texts of bodies. */
const texts = new WeakMap<Buffer, string>();

/** Gives a body as text, one character for each byte. */
export function textOf(body: Buffer): string {
  const text = texts.get(body) ?? body.toString("latin1");
  texts.set(body, text);
  return text;
}

/**
 * Tells whether the connection goes on behind an answer. It ends with a body that has no named end (RFC 9112,
 * section 6.3).
 */
function isKept(
  method: string,
  { status, httpVersion }: Pick<HttpAnswer, "status" | "httpVersion">,
  headers: IncomingHttpHeaders,
): boolean {
  if (httpVersion === "1.0" || /\bclose\b/i.test(headers.connection ?? "")) {
    return false;
  }
  const hasNoBody = method === "HEAD" || status === 204 || status === 304;
  return hasNoBody || headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

/** Remedies for a status of `/identity`, behind the sentence that names it. */
const IDENTITY_REMEDIES: Readonly<Record<number, string>> = {
  401: `; it wants its token: set EVENBENCH_TOKEN and add --deployed, or deploy it again with \`${EVENBENCH} deploy\``,
  503: `; if it is closed for want of a token, deploy it again with \`${EVENBENCH} deploy\``,
};

/** Fetches what a target says of itself. @throws {Error} where it does not answer with an identity. */
export async function fetchIdentity(url: string, options: FetchOptions): Promise<Identity> {
  const response = await fetchWhole(new URL("/identity", url).href, options);
  if (response.status !== 200) {
    const remedy = IDENTITY_REMEDIES[response.status] ?? "";
    throw new Error(`/identity answers HTTP ${response.status} instead of 200${remedy}`);
  }
  const { success, data } = identitySchema.safeParse(parseJson(response.body.toString()));
  if (!success) {
    throw new Error("/identity does not answer with an identity of schema version 1");
  }
  return data;
}

/** A target with a connection of its own. */
export interface Connected extends PreflightTarget {
  readonly fetchOptions: FetchOptions & { readonly agent: HttpAgent | HttpsAgent };
}

/** Gives a target a connection of its own, which `fetchOptions.agent` closes. */
export function connectTarget(target: PreflightTarget, options: PreflightOptions): Connected {
  const Agent = target.url.startsWith("https:") ? HttpsAgent : HttpAgent;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    ...target,
    fetchOptions: {
      agent,
      timeoutMs: options.timeoutMs ?? EXCHANGE_TIMEOUT_MS,
      signal: options.signal,
      token: target.token,
      request: target.ownServer?.request,
    },
  };
}

/** Largest number of requests for a page until it arrives in parts: a busy machine may hold its parts up together. */
const MAX_RESPONSES = 6;

/** Asks a target for a case. */
export function askOnce(
  { url, fetchOptions }: Connected,
  { id, path, sends }: CaseManifest,
): Promise<WholeResponse> {
  const request = requestOf(fetchOptions, { path, sends, ownCase: id });
  return fetchWhole(new URL(request.path, url).href, { ...fetchOptions, request });
}

/**
 * Number of requests that a server that knows nothing of Evenbench gets back to back: what changes with each request
 * shows in three answers.
 */
const ASKED_BACK_TO_BACK = 3;

/** Asks a user's own server for a case, several times back to back. */
export async function askOwnServer(target: Connected, manifest: CaseManifest): Promise<WholeResponse[]> {
  const responses: WholeResponse[] = [];
  while (responses.length < ASKED_BACK_TO_BACK) {
    responses.push(await askOnce(target, manifest));
  }
  return responses;
}

/**
 * Asks a target for a case at least twice: a body that differs between the two varies by itself, and cannot
 * be compared. A page is asked for again, up to {@link MAX_RESPONSES} times, until it arrives as it says.
 */
export async function askForCase(target: Connected, manifest: CaseManifest): Promise<WholeResponse[]> {
  const responses = [await askOnce(target, manifest), await askOnce(target, manifest)];
  const streams = manifest.page?.streams ?? null;
  while (streams !== null && !isDelivered(responses, streams) && responses.length < MAX_RESPONSES) {
    responses.push(await askOnce(target, manifest));
  }
  return responses;
}

/** Tells whether an error says that the time was over. */
export function isLate(error: unknown): boolean {
  return error instanceof NoAnswerError && error.how === "late";
}

/** Makes the problem of a case that got no answer. @param source the path of the case; null where it is not known. */
export function problemOfCase(
  target: PreflightTarget,
  manifest: CaseManifest,
  error: unknown,
  source: string | null,
): PreflightProblem {
  const { id, path } = manifest;
  if (!isLate(error)) {
    return problemOfTarget(target, path, error, id);
  }
  const { name } = target;
  return problem({
    kind: "unfinished",
    caseId: id,
    what: `${caseInWords(manifest, "Case")} did not end on ${name}: ${messageOf(error)}. ${name} is not asked for the other cases.`,
    values: { [name]: messageOf(error) },
    remedy: `See in ${source ?? "its log"} what it waits for, or whether a loop of it never ends.`,
  });
}

/** Makes the problem of a target that gives no usable answer. */
export function problemOfTarget(
  target: PreflightTarget,
  path: string,
  error: unknown,
  caseId: string | null,
): PreflightProblem {
  const url = new URL(path, target.url).href;
  const reason = messageOf(error);
  const isThere = error instanceof NoAnswerError && error.isConnected;
  const code = codeOfCertificate(error);
  if (code !== null) {
    return problem({
      kind: "certificate",
      caseId,
      what: `The certificate of ${target.name} at ${target.url} is not trusted: ${reason.split(";")[0]?.replace(` (${code})`, "")} (${code}).`,
      remedy:
        "Give the file of whoever signed it in the variable NODE_EXTRA_CA_CERTS, and a name that it is made out to; or measure over http.",
    });
  }
  if (error instanceof NoAnswerError && describeOwnLimit(error.cause) !== null) {
    return problem({
      kind: "down",
      caseId,
      what: `The client cannot ask ${target.name} at ${url}: ${reason}.`,
      values: { [target.name]: reason },
      remedy: "That is no failure of the target. Raise the limit, or close what else uses it.",
    });
  }
  return problem({
    kind: "down",
    caseId,
    what: `${target.name} gives no usable answer at ${url}: ${reason}`,
    values: { [target.name]: reason },
    remedy: `${isThere ? "Fix what it sends, or the proxy in front of it" : "Check that it runs and that its URL is right"} (see its log), or leave the target out.`,
  });
}

/** Error codes of OpenSSL and Node.js for a certificate that is not trusted. */
const CERTIFICATE = /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/;

/** Finds the error code of a certificate that is not trusted; null for any other error. */
function codeOfCertificate(error: unknown): string | null {
  const { code = "" } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
  return CERTIFICATE.test(code) ? code : null;
}

/** The answers of one target to one case. */
export interface Answers {
  readonly target: string;
  readonly responses: readonly WholeResponse[];
  /** The time by `performance.now()` when its first request was sent. */
  readonly askedAt: number;
  /** Which of `responses` were the first ones of a fresh start, by their index. */
  readonly freshAt: readonly number[];
}

/** Makes the expectation of a case from an answer to it: all later answers have to be like that one. */
export function expectationFrom(
  { status, contentType, body }: Pick<WholeResponse, "status" | "contentType" | "body">,
  manifest: CaseManifest,
): Expectation {
  const { id, masks, variation, page, sends, request } = manifest;
  const sha256 = maskedDigest(body, manifest);
  const answer = { status, contentType, bytes: body.length, sha256, masks, variation, isPage: page !== null };
  return {
    ...answer,
    ...(sends !== undefined && { sends }),
    ...(request !== undefined && { ownCase: id }),
  };
}

/**
 * A response counts as streamed if its first body byte arrives before this share of its time: the rest was
 * not complete then.
 */
const STREAMS_BELOW = 0.5;

/** Finds the shortest time of some responses, in milliseconds: a busy machine makes them longer, never shorter. */
export function shortestMs(responses: readonly Pick<WholeResponse, "elapsedMs">[]): number {
  return Math.min(...responses.map(({ elapsedMs }) => elapsedMs));
}

/**
 * Tells whether at least one response came as the page says: in parts, or at once. A busy machine can hold up a
 * part of one response; an adapter does the same with all.
 */
export function isDelivered(responses: readonly WholeResponse[], streams: boolean): boolean {
  return responses.some((response) => {
    const wasStreamed = response.bodyStartMs / response.elapsedMs < STREAMS_BELOW;
    return wasStreamed === streams;
  });
}
