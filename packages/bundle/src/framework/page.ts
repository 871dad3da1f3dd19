import { type CaseManifest, type PageTraits, renderMarker } from "@evenbench/core";
import { enterInstance } from "./instance.ts";
import { describeEnvironment } from "./respond.ts";

/** What a page of a framework says of itself; the rest of a case holds for every page. */
export interface PageDescription
  extends Partial<Pick<CaseManifest, "masks" | "variation" | "warmAfter">>,
    PageTraits {
  /** Begins with the app's id. The page is at "/<id>". */
  readonly id: string;
  /** Its file, relative to the repository's root. */
  readonly source: string;
  readonly title: string;
  /** The framework: reports group cases by it. */
  readonly kind: string;
  readonly description: string;
}

/** Declares a page that the framework renders, and not `createResponder`. */
export function definePage({
  streams,
  masks = [],
  variation = null,
  ...page
}: PageDescription): CaseManifest {
  return {
    ...page,
    path: `/${page.id}`,
    parameters: {},
    golden: null,
    masks,
    variation,
    headline: "lastByteMs",
    notSameCode: null,
    services: [],
    page: { streams },
  };
}

/**
 * What every page says once, in text: which instance rendered it, that this rendering happened, and in which
 * environment. To be called once in each rendering, because it counts.
 */
export function describeRendering(builtFor: string | undefined): string {
  return `${renderMarker(enterInstance())} ${describeEnvironment(builtFor)}`;
}
