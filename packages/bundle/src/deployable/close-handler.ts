import { rename } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { putInFront } from "./put-in-front.ts";

/**
 * Puts the guard in front of a built module whose default export answers with a web-standard `fetch`.
 * Whatever server imports it, on whichever runtime, then serves only callers with the token.
 */
export async function closeHandler(file: string): Promise<void> {
  const behind = file.replace(/\.mjs$/, ".open.mjs");
  await rename(file, behind);
  const source = fileURLToPath(new URL("handler-front.ts", import.meta.url));
  await putInFront({ source, outfile: file, behind: `./${basename(behind)}` });
}
