import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { type CaseManifest, messageOf } from "@evenbench/core";
import { NoAnswerError } from "@evenbench/core/http";
import { EXCHANGE_TIMEOUT_MS } from "../probe.ts";
import { fetchIdentity } from "./identity.ts";
import type { PreflightOptions, PreflightTarget } from "./options.ts";
import { isDelivered } from "./page.ts";
import type { PreflightProblem } from "./problem.ts";
import { type FetchOptions, fetchWhole, type WholeResponse } from "./response.ts";

/** A target with the one connection to it. */
export interface Connected extends PreflightTarget {
  readonly fetchOptions: FetchOptions & { readonly agent: HttpAgent | HttpsAgent };
}

/** One kept connection, as the probe has. */
export function connect(target: PreflightTarget, options: PreflightOptions): Connected {
  const Agent = target.url.startsWith("https:") ? HttpsAgent : HttpAgent;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    ...target,
    fetchOptions: {
      agent,
      timeoutMs: options.timeoutMs ?? EXCHANGE_TIMEOUT_MS,
      signal: options.signal,
      token: target.token,
      request: target.stranger?.request,
    },
  };
}

/** A page whose parts a busy machine held up together is asked for again, so often at most. */
const MOST_RESPONSES = 6;

/**
 * What a target answers to a case, twice in turn; or why it does not, and whether it took all of its time for
 * that.
 */
export async function ask(
  target: Connected,
  manifest: CaseManifest,
  source: string | null,
): Promise<
  | { readonly responses: readonly [WholeResponse, WholeResponse, ...WholeResponse[]] }
  | { readonly problem: PreflightProblem; readonly isLate: boolean }
> {
  const url = new URL(manifest.path, target.url).href;
  try {
    const once = () => fetchWhole(url, target.fetchOptions);
    const responses: [WholeResponse, WholeResponse, ...WholeResponse[]] = [await once(), await once()];
    const streams = manifest.page?.streams ?? null;
    while (streams !== null && !isDelivered(responses, streams) && responses.length < MOST_RESPONSES)
      responses.push(await once());
    return { responses };
  } catch (error) {
    if (!(error instanceof NoAnswerError) || error.how !== "late")
      return { problem: down(target, manifest.path, error, manifest.id), isLate: false };
    const isStuck = !(await isAlive(target));
    return { problem: unfinished(target, manifest, { isStuck, seen: error.message, source }), isLate: true };
  }
}

/** A target that cannot be reached, or does not answer at a path. */
export function down(
  target: PreflightTarget,
  path: string,
  error: unknown,
  caseId: string | null,
): PreflightProblem {
  const url = new URL(path, target.url).href;
  const reason = messageOf(error);
  const isThere = error instanceof NoAnswerError && error.isConnected;
  const code = codeOfCertificate(error);
  if (code !== null)
    return untrusted(target, `${reason.split(";")[0]?.replace(` (${code})`, "")} (${code})`, caseId);
  return {
    kind: "down",
    pin: null,
    caseId,
    what: `${target.name} gives no usable answer at ${url}: ${reason}`,
    values: { [target.name]: reason },
    remedy: `${isThere ? "Mend what it sends, or the proxy in front of it" : "See that it runs and that its URL is right"} (see its log), or leave the target out.`,
  };
}

/** As OpenSSL and Node.js name what is wrong with one. */
const CERTIFICATE = /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/;

function codeOfCertificate(error: unknown): string | null {
  const { code = "" } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
  return CERTIFICATE.test(code) ? code : null;
}

function untrusted({ name, url }: PreflightTarget, reason: string, caseId: string | null): PreflightProblem {
  return {
    kind: "certificate",
    pin: null,
    caseId,
    what: `The certificate of ${name} at ${url} is not trusted: ${reason}.`,
    values: {},
    remedy:
      "Give the file of whoever signed it in the variable NODE_EXTRA_CA_CERTS, and a name that it is made out to; or measure over http.",
  };
}

function unfinished(
  { name }: Connected,
  { id }: CaseManifest,
  {
    isStuck,
    seen,
    source,
  }: { readonly isStuck: boolean; readonly seen: string; readonly source: string | null },
): PreflightProblem {
  const since = isStuck ? "answers nothing since then, and " : "";
  return {
    kind: "unfinished",
    pin: null,
    caseId: id,
    what: `Case "${id}" did not end on ${name}: ${seen}. ${name} ${since}is not asked for the other cases.`,
    values: {},
    remedy: `See in ${source ?? "its log"} what it waits for, or whether a loop of it never ends.`,
  };
}

/** What does no work: what answers at all answers it in this time. */
const ALIVE_WITHIN_MS = 5000;

async function isAlive({ url, fetchOptions, stranger }: Connected): Promise<boolean> {
  const options = { ...fetchOptions, timeoutMs: Math.min(ALIVE_WITHIN_MS, fetchOptions.timeoutMs) };
  const answer =
    stranger === undefined
      ? fetchIdentity(url, options)
      : fetchWhole(url, { ...options, request: undefined });
  return answer.then(
    () => true,
    () => false,
  );
}
