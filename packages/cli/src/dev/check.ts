import { type CaseManifest, messageOf } from "@evenbench/core";
import {
  compareBodies,
  fetchWhole,
  type PreflightTarget,
  type WholeResponse,
} from "@evenbench/probe/preflight";

/** A development build of a framework may compile a page for as long. */
const TIMEOUT_MS = 120_000;

/** What one target said to one request. */
export interface CheckAnswer {
  readonly target: string;
  readonly error: string | null;
  readonly status: number | null;
  readonly bytes: number | null;
  /** To the body's first and last byte. */
  readonly firstByteMs: number | null;
  readonly lastByteMs: number | null;
}

/** One request of a case to all targets that serve it. */
export interface Check {
  /** The query, with its question mark; empty for the default parameters. */
  readonly query: string;
  readonly answers: readonly CheckAnswer[];
  /** null where there is nothing to compare with: one target, and no golden values. */
  readonly same: boolean | null;
  /** What differs, in a sentence, and each target's value. */
  readonly difference: { readonly what: string; readonly values: Readonly<Record<string, string>> } | null;
}

/**
 * Requests a case from each target, one after the other, and compares what they send. Never throws for what a
 * target does.
 */
export async function checkCase(
  targets: readonly Pick<PreflightTarget, "name" | "url">[],
  manifest: CaseManifest,
  query: string,
  signal: AbortSignal,
): Promise<Check> {
  const answers: CheckAnswer[] = [];
  const compared: { target: string; responses: WholeResponse[] }[] = [];
  for (const { name, url } of targets) {
    try {
      const response = await fetchWhole(`${url}${manifest.path}${query}`, { timeoutMs: TIMEOUT_MS, signal });
      compared.push({ target: name, responses: [response] });
      answers.push(answerOf(name, response));
    } catch (error) {
      const said = messageOf(error);
      const nothing = { status: null, bytes: null, firstByteMs: null, lastByteMs: null };
      answers.push({ target: name, error: said, ...nothing });
    }
  }
  // Golden values are those of the default parameters.
  const comparable = query === "" ? manifest : { ...manifest, golden: null };
  const problem = compareBodies(comparable, compared);
  const silent = answers.find(({ error }) => error !== null);
  const difference =
    problem === null
      ? silent === undefined
        ? null
        : { what: `${silent.target} did not answer.`, values: {} }
      : { what: problem.what, values: problem.values };
  const alone = compared.length < 2 && comparable.golden === null;
  return { query, answers, same: difference === null ? (alone ? null : true) : false, difference };
}

function answerOf(target: string, { status, body, bodyStartMs, elapsedMs }: WholeResponse): CheckAnswer {
  const times = { firstByteMs: bodyStartMs, lastByteMs: elapsedMs };
  return { target, error: null, status, bytes: body.length, ...times };
}
