import type { Attribution } from "../src/attribution/attribute.ts";
import { isIn } from "./recorded.ts";

/** Tells the two files of a recorded profile apart; everything else is the runtime's. */
export const BURN_AND_CHURN: Attribution = {
  ownerOf: (frame) => {
    if (isIn(frame, "burn.ts")) return { kind: "case", name: "burn" };
    if (isIn(frame, "churn.ts")) return { kind: "package", name: "churn" };
    return { kind: "runtime", name: "others" };
  },
  fileOf: (url) => url.slice(url.lastIndexOf("/") + 1),
};
