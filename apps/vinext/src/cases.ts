import { manifests as ofNext } from "@evenbench/app-next/cases";
import type { CaseManifest } from "@evenbench/core";

/** Both frameworks serve one source. What a visitor gets is compared; what a framework adds to it is not. */
const BY_ANOTHER_FRAMEWORK = {
  reason:
    "Next.js and vinext each add scripts, links and comments of their own to one page, and its flight data in a form of their own.",
  normalForm: "react-document",
  lengthWithin: 0.15,
} as const;

/** The cases of apps/next, as they are compared where vinext serves them, too. */
export const manifests: readonly CaseManifest[] = ofNext.map((manifest) =>
  manifest.page === null ? manifest : { ...manifest, variation: BY_ANOTHER_FRAMEWORK },
);
