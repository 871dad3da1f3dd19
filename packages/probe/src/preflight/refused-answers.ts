// Answers of servers that know nothing of Evenbench that are no work, and what to do about each.
import { advising, type CaseManifest, recordedPath, shellWord } from "@evenbench/core";
import type { Answers } from "./asking.ts";
import { type PreflightProblem, problem, quoteBytes } from "./options.ts";
import type { WholeResponse } from "./whole-response.ts";

/**
 * Finds answers that are no work at all, such as redirects and errors, so that it makes no sense to ask again.
 *
 * @returns a problem for each target that gave one.
 */
export function refusedAnswers(
  manifest: CaseManifest,
  answers: readonly Answers[],
): readonly PreflightProblem[] {
  return answers.flatMap(({ target, responses: [first] }) =>
    first === undefined ? [] : (judgeAnswer(manifest, target, first) ?? []),
  );
}

/** Finds why an answer is no work; null where it may be. */
function judgeAnswer(
  { id, path, request }: CaseManifest,
  name: string,
  { url, status, location, coding, contentType, body }: WholeResponse,
): PreflightProblem | null {
  if (status >= 300 && status < 400 && location !== null) {
    const { where, remedy } = redirected(name, new URL(url), location);
    const what = `${name} redirects ${path} to ${where} (HTTP ${status}), and redirects are not followed.`;
    return problem({ kind: "redirect", caseId: id, what, remedy });
  }
  if (coding !== null) {
    const what = `${name} compresses ${path} (encoding ${quoteBytes(Buffer.from(coding))}), though the request accepts no compression.`;
    const remedy =
      'Turn compression off on the target, or at the proxy in front of it: it must honour "accept-encoding: identity".';
    return problem({ kind: "encoding", caseId: id, what, remedy });
  }
  const isPart = status === PARTIAL && request?.headers.some((header) => /^range:/i.test(header)) !== true;
  if (status < 300 && !isPart) {
    return null;
  }
  const what = `${name} answers ${path} with HTTP ${status}: that ${statusMeaning(status)}, and is not the work.${firstWords(contentType, body)}`;
  return problem({ kind: "status", caseId: id, what, ...(status < 500 ? REFUSED : failedAt(name, status)) });
}

/** What to do about an answer that refuses the request. */
const REFUSED = {
  remedy:
    "Correct the path, or give what the server wants (--method, --header, --body). To measure how it refuses, add --same-work assumed.",
};

/** Says what to do about a server that failed. By the value its log is quoted, which says why. */
function failedAt(name: string, status: number) {
  return {
    remedy:
      "Its log says what failed. Where that is a file: on Vercel a function has those that its code names by join(process.cwd(), …), and a Worker reads none.",
    values: { [name]: `HTTP ${status}` },
  };
}

/** The status of a part of a body (RFC 9110, section 15.3.7). */
const PARTIAL = 206;

function statusMeaning(status: number): string {
  if (status === PARTIAL) {
    return "is a part, which nobody asked for";
  }
  if (status === 304) {
    return "says that nothing changed";
  }
  return status < 400 ? "has no page" : "is an error";
}

/** Largest number of letters of an error's text that are quoted. */
const SHOWN_LETTERS = 200;

/** Quotes the first line of a text that says an error; "" for a page, which says it behind its markup. */
function firstWords(contentType: string | null, body: Buffer): string {
  const [line = ""] = body.toString("utf8").trim().split("\n");
  const isText = contentType?.startsWith("text/plain") === true && line !== "";
  return isText ? ` It says ${quoteBytes(Buffer.from(line.slice(0, SHOWN_LETTERS)))}.` : "";
}

/** Says where a redirect leads, without values that may be secrets, and what to do about it. */
function redirected(
  name: string,
  asked: URL,
  location: string,
): Pick<PreflightProblem, "remedy"> & { readonly where: string } {
  const to = URL.parse(location, asked);
  if (to === null) {
    return { where: "what is no address", remedy: "Give a path that answers with the page itself." };
  }
  // No request sends what follows it.
  to.hash = "";
  const path = recordedPath(to.pathname + to.search);
  const origin = `${to.protocol}//${to.host}`;
  const isSame = to.origin === asked.origin;
  const where = quoteBytes(Buffer.from(isSame ? path : origin + path));
  if (to.href === asked.href) {
    return {
      where,
      remedy: 'It leads to itself: send what it wants first, such as a cookie (--header "cookie: …").',
    };
  }
  const toPath = `--path ${shellWord(path)}`;
  const toTarget = `--target ${shellWord(`${name}=${origin}`)} ${toPath}`;
  const leads = isSame ? toPath : advising("--target", toTarget);
  const next = leads === "" ? "It leads to another server." : `Measure where it leads: ${leads}.`;
  return { where, remedy: `${next} If it leads to a login, send what logs in: --header "cookie: …".` };
}
