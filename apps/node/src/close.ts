import { rename } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { putInFront } from "@evenbench/bundle/deployable";

const SERVER = "server.mjs";
const BEHIND = "open-server.mjs";

/**
 * Makes a module of ours the `server.mjs` of a built server: it refuses strangers and starts the one it found
 * there.
 */
export async function closeServer(deployable: string): Promise<void> {
  await rename(join(deployable, SERVER), join(deployable, BEHIND));
  await putInFront({
    source: fileURLToPath(new URL("front.ts", import.meta.url)),
    outfile: join(deployable, SERVER),
    behind: `./${BEHIND}`,
  });
}
