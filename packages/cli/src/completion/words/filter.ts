import { listDevTargets } from "../../dev/index.ts";
import { sayLeftOut } from "../../left-out.ts";

/** What has a server for developing. */
export default async (): Promise<readonly string[]> =>
  (await listDevTargets(sayLeftOut)).map(({ name }) => name);
