import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { type CaseManifest, type Identity, parseJson } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { identity as identitySchema } from "@evenbench/core/schema";
import { maskedDigest } from "../body.ts";
import { EXCHANGE_TIMEOUT_MS } from "../probe.ts";
import { requestOf } from "../request.ts";
import type { Expectation } from "../rules.ts";
import type { PreflightOptions, PreflightTarget } from "./options.ts";
import { type FetchOptions, fetchWhole, isDelivered, type WholeResponse } from "./whole-response.ts";

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
