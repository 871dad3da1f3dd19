import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import {
  type CaseManifest,
  DEVELOPMENT_PIN,
  type ExpectedBuild,
  type Golden,
  type Identity,
} from "@evenbench/core";
import { type Expectation, maskedDigest } from "@evenbench/probe";
import { type Answers, compareBodies } from "./bodies.ts";
import { compareBuild } from "./build.ts";
import { fetchIdentity } from "./identity.ts";
import { describeVariation, lookAtPage } from "./page.ts";
import { comparePins } from "./pins.ts";
import type { PreflightProblem } from "./problem.ts";
import { type FetchOptions, fetchWhole, type WholeResponse } from "./response.ts";

export interface PreflightTarget {
  readonly name: string;
  /** Origin, such as "http://127.0.0.1:41234". */
  readonly url: string;
  /** Where it is closed. */
  readonly token?: string | null;
  /** Where it is a deployment of ours: what it has to run. */
  readonly expectedBuild?: ExpectedBuild | null;
}

export interface PreflightOptions {
  readonly targets: readonly PreflightTarget[];
  readonly cases: readonly CaseManifest[];
  /** Cases that the targets serve but that are not measured: their pins are ignored. */
  readonly otherCaseIds?: readonly string[];
  /** Names of pins that may differ: each difference is then a warning. */
  readonly allow?: readonly string[];
  /** Longest that one request may take, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface PreflightResult {
  /** Whether the comparison may go on: no problems. */
  readonly ok: boolean;
  readonly problems: readonly PreflightProblem[];
  /** Differences that were allowed. */
  readonly warnings: readonly PreflightProblem[];
  /** What frameworks make different in bodies that are the same page: a sentence for each such case, with the sizes. */
  readonly differences: readonly string[];
  /** Of the targets that could be reached, by target name. */
  readonly identities: Readonly<Record<string, Identity>>;
  /** What every exchange is to be held against, by case id; a case with a problem has none. */
  readonly expectations: Readonly<Record<string, Expectation>>;
  /**
   * Values that all targets agree on, of handler cases without golden values: to be looked at and then written into the case.
   * (Pages have none: every version of a framework writes them otherwise.)
   */
  readonly toConfirm: Readonly<Record<string, Golden>>;
  /** Time of each target's second exchange, in milliseconds, by case id and target name: a first idea of its cost. */
  readonly exchangeMs: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/**
 * Proves that all targets do the same work, before anything is timed: equal pins, NODE_ENV "production", HTTP/1.1 with
 * kept connections, no compression, and for each case the status, content type, length and masked body of its golden
 * values (or the same ones everywhere, where it has none yet). Speaks HTTP alone and never throws for what a target does.
 */
export async function preflight(options: PreflightOptions): Promise<PreflightResult> {
  const found: PreflightProblem[] = [];
  const identities: Record<string, Identity> = {};
  const expectations: Record<string, Expectation> = {};
  const toConfirm: Record<string, Golden> = {};
  const exchangeMs: Record<string, Record<string, number>> = {};
  const differences: string[] = [];
  const reached: Connected[] = [];
  const all = options.targets.map((target) => connect(target, options));

  for (const target of all) {
    try {
      const identity = await fetchIdentity(target.url, target.fetchOptions);
      if (identity.pins.mode === DEVELOPMENT_PIN.mode) {
        found.push(forDeveloping(target));
        continue;
      }
      identities[target.name] = identity;
      found.push(...compareBuild(target, identity));
      reached.push(target);
    } catch (error) {
      found.push(down(target, "/identity", error, null));
    }
  }
  found.push(...comparePins(identities, options.otherCaseIds ?? []));

  for (const manifest of options.cases) {
    const before = found.length;
    const answers: Answers[] = [];
    for (const target of reached) {
      const url = new URL(manifest.path, target.url).href;
      try {
        const first = await fetchWhole(url, target.fetchOptions);
        const second = await fetchWhole(url, target.fetchOptions);
        answers.push({ target: target.name, responses: [first, second] });
        exchangeMs[manifest.id] = { ...exchangeMs[manifest.id], [target.name]: second.elapsedMs };
      } catch (error) {
        found.push(down(target, manifest.path, error, manifest.id));
      }
    }
    found.push(...[compareWire(manifest, answers), compareBodies(manifest, answers)].filter(isProblem));
    if (manifest.page !== null) found.push(...lookAtPage(manifest, manifest.page, answers));
    const varies = describeVariation(manifest, answers);
    if (varies !== null) differences.push(varies);
    const sample = answers[0]?.responses[0];
    if (found.length > before || sample === undefined) continue;
    const golden = manifest.golden ?? goldenOf(manifest, sample);
    if (manifest.golden === null && manifest.page === null) toConfirm[manifest.id] = golden;
    const { masks, variation, page } = manifest;
    expectations[manifest.id] = { ...golden, masks, variation, isPage: page !== null };
  }

  for (const target of all) target.fetchOptions.agent.destroy();
  const isAllowed = ({ pin }: PreflightProblem) => pin !== null && (options.allow ?? []).includes(pin);
  const problems = found.filter((problem) => !isAllowed(problem));
  const warnings = found.filter(isAllowed);
  const ok = problems.length === 0;
  return { ok, problems, warnings, differences, identities, expectations, toConfirm, exchangeMs };
}

interface Connected extends PreflightTarget {
  readonly fetchOptions: FetchOptions & { readonly agent: HttpAgent | HttpsAgent };
}

function isProblem(problem: PreflightProblem | null): problem is PreflightProblem {
  return problem !== null;
}

/** One kept connection, as the probe has. */
function connect(target: PreflightTarget, options: PreflightOptions): Connected {
  const Agent = target.url.startsWith("https:") ? HttpsAgent : HttpAgent;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    ...target,
    fetchOptions: {
      agent,
      timeoutMs: options.timeoutMs ?? 30_000,
      signal: options.signal,
      token: target.token,
    },
  };
}

function forDeveloping({ name, url }: PreflightTarget): PreflightProblem {
  return {
    kind: "development",
    pin: null,
    caseId: null,
    what: `${name} at ${url} is a server for developing: its builds are not to be measured.`,
    values: {},
    remedy: "Measure the local targets (npm run bench), or deploy it and give that URL.",
  };
}

function down(
  target: PreflightTarget,
  path: string,
  error: unknown,
  caseId: string | null,
): PreflightProblem {
  const url = new URL(path, target.url).href;
  const reason = error instanceof Error ? error.message : String(error);
  return {
    kind: "down",
    pin: null,
    caseId,
    what: `${target.name} does not answer at ${url}: ${reason}`,
    values: { [target.name]: reason },
    remedy: "See that it runs and that its URL is right (its log says more), or leave the target out.",
  };
}

function compareWire(manifest: CaseManifest, answers: readonly Answers[]): PreflightProblem | null {
  const describe = ({ httpVersion, keepAlive }: WholeResponse) =>
    `HTTP/${httpVersion}, connection ${keepAlive ? "kept" : "closed"}`;
  const values = Object.fromEntries(
    answers.map(({ target, responses }) => [target, [...new Set(responses.map(describe))].join(", then ")]),
  );
  const expected = "HTTP/1.1, connection kept";
  if (Object.values(values).every((value) => value === expected)) return null;
  return {
    kind: "wire",
    pin: null,
    caseId: manifest.id,
    what: `Case "${manifest.id}" does not come over HTTP/1.1 with a kept connection everywhere.`,
    values: { expected, ...values },
    remedy: "Turn keep-alive on at the target, or at the proxy in front of it.",
  };
}

function goldenOf(manifest: CaseManifest, response: WholeResponse): Golden {
  const { status, contentType, body } = response;
  return { status, contentType, bytes: body.length, sha256: maskedDigest(body, manifest) };
}
