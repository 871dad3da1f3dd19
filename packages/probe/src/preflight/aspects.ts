import { type CaseManifest, caseInWords, findRenderMarker } from "@evenbench/core";
import { maskedDigest } from "../body.ts";
import type { BodyDifference } from "./difference.ts";
import type { PreflightKind } from "./options.ts";
import { isDelivered, textOf, type WholeResponse } from "./whole-response.ts";

/** A property of answers that is compared. */
export interface Aspect {
  /** The kind of the problem where it differs. */
  readonly kind: PreflightKind;
  /** Name of the property in sentences: "body length". */
  readonly noun: string;
  /** Remedy where the property differs. */
  readonly remedy: string;
  /** Gives the remedy for bodies that differ in a way that was found. Default: `remedy`. */
  remedyFor?(difference: BodyDifference): string;
  /** Says what is wrong. Default: that it differs. */
  what?(manifest: CaseManifest): string;
  /** Gives its value in one response, as messages show it. */
  valueIn(response: WholeResponse, manifest: CaseManifest, responses: readonly WholeResponse[]): string;
  /** Gives the value that it must have; null where only golden values would say it, and there are none. */
  expected(manifest: CaseManifest): string | null;
}

/** The protocol and whether the connection is kept. */
export const WIRE: Aspect = {
  kind: "wire",
  noun: "connection",
  remedy: "Turn keep-alive on at the target, or at the proxy in front of it.",
  what: (manifest) =>
    `${caseInWords(manifest, "Case")} does not come over HTTP/1.1 with a kept connection everywhere.`,
  valueIn: ({ httpVersion, keepAlive }) => `HTTP/${httpVersion}, connection ${keepAlive ? "kept" : "closed"}`,
  expected: () => "HTTP/1.1, connection kept",
};

/** The value that stands for every length of a body that may vary: by how much it may is checked elsewhere. */
const VARIES = "varies";
const SAME_BODY =
  "Let the case send the same everywhere: leave out what a runtime says of itself, and wrap what must differ (a time stamp) in volatile(...).";

/**
 * All aspects of an answer, in the order in which they are compared: the first difference explains the ones
 * after it.
 */
export const ASPECTS: readonly Aspect[] = [
  {
    kind: "status",
    noun: "status",
    remedy:
      "See the target's log. `npm run bench -- serve` keeps local targets up, to open the case on each.",
    valueIn: ({ status }) => `HTTP ${status}`,
    expected: ({ golden }) => golden && `HTTP ${golden.status}`,
  },
  {
    kind: "encoding",
    noun: "content encoding",
    remedy: 'Turn compression off on the target: it must honour "accept-encoding: identity".',
    valueIn: ({ coding }) => coding ?? "none",
    expected: () => "none",
  },
  {
    kind: "content-type",
    noun: "content type",
    remedy: "Serve the case with the same content type everywhere.",
    valueIn: ({ contentType }) => contentType ?? "none",
    expected: ({ golden }) => golden && (golden.contentType ?? "none"),
  },
  {
    kind: "cache",
    noun: "caching",
    remedy: "Send the same headers for caches everywhere.",
    valueIn: ({ cacheRules }) => cacheRules || "no header for caches",
    expected: () => null,
  },
  {
    kind: "length",
    noun: "body length",
    remedy: `${SAME_BODY} Keep the length of that constant.`,
    valueIn: ({ body }, { variation }) => (variation === null ? `${body.length} bytes` : VARIES),
    expected: ({ golden, variation }) => (variation === null ? golden && `${golden.bytes} bytes` : VARIES),
  },
  {
    kind: "digest",
    noun: "masked body",
    remedy: SAME_BODY,
    valueIn: ({ body }, manifest) => `sha256 ${maskedDigest(body, manifest)}`,
    expected: ({ golden }) => golden && `sha256 ${golden.sha256}`,
  },
];

/** The value of `RENDERING` that each page must have. */
const RENDERED_ANEW = "rendered anew for each request";

/** The aspect of pages that each response was rendered for its own request. */
export const RENDERING: Aspect = {
  kind: "render",
  noun: "rendering",
  remedy:
    "Pin dynamic rendering for the whole app (force-dynamic), let no cache answer, and let the page begin with its render marker.",
  what: ({ id }) => `The page "${id}" is not ${RENDERED_ANEW} everywhere.`,
  valueIn(_response, _manifest, responses) {
    const ids = responses.map(({ body }) => findRenderMarker(textOf(body))?.renderId);
    if (ids.some((id) => id === undefined)) {
      return "no render marker in the body";
    }
    return new Set(ids).size === ids.length ? RENDERED_ANEW : `rendering ${ids[0]} came twice`;
  },
  expected: () => RENDERED_ANEW,
};

const deliveryWords = (inParts: boolean) => (inParts ? "in parts" : "at once");
const isStreamed = ({ page }: CaseManifest) => page?.streams === true;

/** The aspect of pages that the body came in parts, or at once. */
export const DELIVERY: Aspect = {
  kind: "streaming",
  noun: "delivery",
  remedy: "See which adapter or proxy collects the body, or sends it early, or leave the case out.",
  what: (manifest) =>
    `The body of page "${manifest.id}" does not come ${deliveryWords(isStreamed(manifest))} everywhere.`,
  valueIn: (_response, manifest, responses) =>
    deliveryWords(isDelivered(responses, isStreamed(manifest)) === isStreamed(manifest)),
  expected: (manifest) => deliveryWords(isStreamed(manifest)),
};
