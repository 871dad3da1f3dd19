import { copyFile, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type BuildResult, buildArtifact } from "@evenbench/bundle";
import { DEVELOPMENT_PIN } from "@evenbench/core";

/** Builds the artifact of handler cases for developing: React and others in their development builds, and marked as such. */
export function buildForDeveloping(outDirectory: string): Promise<BuildResult> {
  return buildArtifact({ outDirectory, nodeEnv: "development", pins: DEVELOPMENT_PIN });
}

/**
 * Puts an artifact in the place of the one that a deployable holds. Files that are equal are not touched, and the index comes
 * last: whoever watches the folder finds the cases that it names.
 */
export async function replaceArtifact(
  deployable: string,
  { artifact, manifest }: Pick<BuildResult, "artifact" | "manifest">,
): Promise<void> {
  const place = await artifactIn(deployable);
  const paths = manifest.files.map(({ path }) => path).sort((a, b) => rank(a) - rank(b));
  for (const path of paths) {
    const [from, to] = [join(artifact, path), join(place, path)];
    const [content, present] = await Promise.all([readFile(from), readFile(to).catch(() => null)]);
    if (present?.equals(content)) continue;
    await mkdir(dirname(to), { recursive: true });
    await copyFile(from, to);
  }
  const cases = await readdir(join(place, "cases"));
  const gone = cases.filter((name) => !paths.includes(`cases/${name}`));
  await Promise.all(gone.map((name) => rm(join(place, "cases", name))));
}

const rank = (path: string) => (path === "index.mjs" ? 1 : 0);

/** Platforms put it where they like: wherever the digest's file is. */
async function artifactIn(deployable: string): Promise<string> {
  const files = await readdir(deployable, { recursive: true });
  const digest = files.find((file) => file.endsWith("digest.mjs"));
  if (digest === undefined) throw new Error(`${deployable} holds no artifact.`);
  return dirname(join(deployable, digest));
}
