import { copyFile, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type BuildResult, buildArtifact, DIGEST_FILE } from "@evenbench/bundle";
import { DEVELOPMENT_PIN } from "@evenbench/core";

/**
 * Builds the artifact of handler cases for developing: React and others in their development builds, and
 * marked as such.
 */
export function buildForDeveloping(outDirectory: string): Promise<BuildResult> {
  return buildArtifact({ outDirectory, nodeEnv: "development", pins: DEVELOPMENT_PIN });
}

/**
 * Replaces the artifact under a server that may read it at any moment: each file whole or not at all, the
 * digest last, so that who serves a digest serves all of its artifact.
 */
export async function replaceArtifact(
  deployable: string,
  {
    artifact,
    manifest,
  }: {
    readonly artifact: string;
    readonly manifest: { readonly files: readonly { readonly path: string }[] };
  },
): Promise<void> {
  const place = await artifactIn(deployable);
  // Not where a server looks for modules, and on the same volume: renaming is one step.
  const incoming = join(deployable, ".incoming");
  const put = async (path: string) => {
    const [from, to] = [join(artifact, path), join(place, path)];
    const [content, present] = await Promise.all([readFile(from), readFile(to).catch(() => null)]);
    if (present?.equals(content)) return;
    await mkdir(dirname(to), { recursive: true });
    await copyFile(from, incoming);
    await rename(incoming, to);
  };
  const paths = manifest.files.map(({ path }) => path).filter((path) => path !== DIGEST_FILE);
  for (const path of paths.sort((a, b) => rank(a) - rank(b))) await put(path);
  const cases = await readdir(join(place, "cases"));
  const gone = cases.filter((name) => !paths.includes(`cases/${name}`));
  await Promise.all(gone.map((name) => rm(join(place, "cases", name))));
  await put(DIGEST_FILE);
}

const rank = (path: string) => (path === "index.mjs" ? 1 : 0);

/** Platforms put it where they like: wherever the digest's file is. */
async function artifactIn(deployable: string): Promise<string> {
  const files = await readdir(deployable, { recursive: true });
  const digest = files.find((file) => basename(file) === DIGEST_FILE);
  if (digest === undefined) throw new Error(`${deployable} holds no artifact.`);
  return dirname(join(deployable, digest));
}
