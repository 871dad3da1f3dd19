import { discoverPlatforms } from "@evenbench/host";
import { sayLeftOut } from "../../left-out.ts";

/** Platforms to which something can be deployed. */
export default async (): Promise<readonly string[]> => {
  const platforms = await discoverPlatforms(undefined, sayLeftOut);
  return [...platforms.filter(({ deployment }) => deployment !== undefined).map(({ id }) => id), "all"];
};
