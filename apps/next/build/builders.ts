import type { Build } from "@evenbench/deployable";
import { buildForCloudflare } from "./cloudflare.ts";
import { buildForNode } from "./node.ts";
import { buildForVercel } from "./vercel.ts";

/** Makes a deployable of the app in a folder. Leaves only the deployable behind. */
export type Builder = (source: string, deployable: string, build: Build) => Promise<void>;

export const builders: Readonly<Record<string, Builder>> = {
  cloudflare: buildForCloudflare,
  node: buildForNode,
  vercel: buildForVercel,
};
