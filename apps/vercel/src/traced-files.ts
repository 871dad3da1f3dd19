import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { resolveTool } from "@evenbench/host/tools";

/** Names the parts that are used of Vercel's tracing, which its builder for Node.js brings along. */
interface Tracing {
  nodeFileTrace(
    files: readonly string[],
    options: { readonly base: string; readonly processCwd: string },
  ): Promise<{
    readonly fileList: ReadonlySet<string>;
    readonly reasons: ReadonlyMap<string, { readonly type: readonly string[] }>;
  }>;
}

/**
 * Lists the files that a module, a bundle, reads below its working folder, as Vercel's tracing finds them: Vercel puts
 * no others into the function.
 *
 * @param folder absolute path of the app's.
 * @returns paths from there on, without modules.
 */
export async function tracedFiles(module: string, folder: string): Promise<readonly string[]> {
  const builder = createRequire(resolveTool("@vercel/node/package.json", import.meta.url));
  const { nodeFileTrace } = builder("@vercel/nft") as Tracing;
  const { fileList, reasons } = await nodeFileTrace([module], { base: folder, processCwd: folder });
  const beside = join(dirname(module), "/");
  return [...fileList].filter((path) => {
    const isAsset = reasons.get(path)?.type.includes("asset") ?? false;
    return isAsset && !join(folder, path).startsWith(beside);
  });
}
