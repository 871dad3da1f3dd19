import { type CaseManifest, caseInWords, messageOf } from "@evenbench/core";
import { describeOwnLimit, NoAnswerError } from "@evenbench/core/http";
import { type PreflightProblem, type PreflightTarget, problem } from "./options.ts";

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
  const url = target.url + path;
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
