import { type CaseManifest, maskBody } from "@evenbench/core";
import { maskedDigest } from "../index.ts";
import type { PreflightKind } from "./problem.ts";
import type { WholeResponse } from "./response.ts";

/** One thing that must be equal in all targets' answers to a case. */
export interface Aspect {
  readonly kind: PreflightKind;
  readonly noun: string;
  readonly remedy: string;
  of(response: WholeResponse, manifest: CaseManifest): string;
  /** What it must be; null where only golden values would tell and there are none. */
  expected(manifest: CaseManifest): string | null;
}

/** Stands for every length of a body that may vary: how far is looked at elsewhere. */
const VARIES = "varies";
const ASSUME_IT =
  "See which of the two answers is meant; --same-work assumed compares them all the same, and every output then says so.";
const SAME_BODY =
  "Let the case send the same everywhere: leave out what a runtime says of itself, and wrap what must differ (a time stamp) in volatile(...).";

/** In the order in which they are looked at: the first difference explains the ones after it. */
export const ASPECTS: readonly Aspect[] = [
  {
    kind: "status",
    noun: "status",
    remedy:
      "See the target's log. `npm run bench -- serve` keeps local targets up, to open the case on each.",
    of: ({ status }) => `HTTP ${status}`,
    expected: ({ golden }) => golden && `HTTP ${golden.status}`,
  },
  {
    kind: "encoding",
    noun: "content encoding",
    remedy: 'Turn compression off on the target: it must honour "accept-encoding: identity".',
    of: ({ contentEncoding }) => contentEncoding ?? "none",
    expected: () => "none",
  },
  {
    kind: "content-type",
    noun: "content type",
    remedy: "Serve the case with the same content type everywhere.",
    of: ({ contentType }) => contentType ?? "none",
    expected: ({ golden }) => golden && (golden.contentType ?? "none"),
  },
  {
    kind: "cache",
    noun: "caching",
    remedy: "Send the same headers for caches everywhere.",
    of: ({ cacheHeaders }) => cacheHeaders || "no header for caches",
    expected: () => null,
  },
  {
    kind: "length",
    noun: "body length",
    remedy: `${SAME_BODY} Keep the length of that constant.`,
    of: ({ body }, { variation }) => (variation === null ? `${body.length} bytes` : VARIES),
    expected: ({ golden, variation }) => (variation === null ? golden && `${golden.bytes} bytes` : VARIES),
  },
  {
    kind: "digest",
    noun: "masked body",
    remedy: SAME_BODY,
    of: ({ body }, manifest) => `sha256 ${maskedDigest(body, manifest)}`,
    expected: ({ golden }) => golden && `sha256 ${golden.sha256}`,
  },
];

const MASK_IT =
  "Hide what may differ with --mask '<regex>', or compare all the same with --same-work assumed: every output then says so.";

/**
 * What is looked at in answers of targets without an identity: masks may hide parts of any length, and what
 * is said to caches may differ.
 */
export const STRANGER_ASPECTS: readonly Aspect[] = ASPECTS.flatMap((aspect) => {
  const { kind } = aspect;
  if (kind === "encoding" || kind === "cache") return [];
  const remedy = kind === "length" || kind === "digest" ? MASK_IT : ASSUME_IT;
  if (kind !== "length") return [{ ...aspect, remedy }];
  const of: Aspect["of"] = ({ body }, { masks }) => {
    const masked = maskBody(body.toString("latin1"), { masks, variation: null });
    return `${masked.length} bytes${masks.length === 0 ? "" : " once masked"}`;
  };
  return [{ ...aspect, remedy, of }];
});
