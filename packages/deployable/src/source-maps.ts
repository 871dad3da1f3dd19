import { join } from "node:path";

/**
 * Where the source map of a deployed file is kept: beside the deployable, not in it. What is deployed and measured stays
 * the same bytes.
 *
 * @param path of the file, relative to the deployable.
 */
export function sourceMapFile(deployable: string, path: string): string {
  return join(`${deployable}.maps`, `${path}.map`);
}
