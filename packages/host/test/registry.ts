import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

/** A version of a package as a registry keeps it. */
interface PublishedVersion {
  /** The package.json. */
  readonly manifest: { readonly name: string; readonly version: string };
  readonly tarball: Buffer;
}

/**
 * Serves packages as a registry of npm does, to the end of the file's tests.
 *
 * @param tarballs absolute paths of what `npm pack` made; the last one of a name is its latest version.
 * @param cache absolute path of a folder for npm's cache.
 * @returns variables that lead npm there.
 */
export async function serveRegistry(
  tarballs: readonly string[],
  cache: string,
): Promise<Readonly<Record<string, string>>> {
  const published = tarballs.map(readPacked);
  const server = createServer((request, response) => {
    const [, name = "", version] = /^\/([^/]+)(?:\/(.+))?$/.exec(request.url ?? "") ?? [];
    const versions = published.filter(({ manifest }) => manifest.name === name);
    const asked = versions.find(({ manifest }) => manifest.version === version);
    if (asked !== undefined) {
      response.end(asked.tarball);
    } else if (versions.length > 0) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(documentOf(name, versions, originOf())));
    } else {
      response.writeHead(404).end("{}");
    }
  });
  const originOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return { npm_config_registry: originOf(), npm_config_cache: cache };
}

function readPacked(file: string): PublishedVersion {
  const text = execFileSync("tar", ["-xzOf", file, "package/package.json"], { encoding: "utf8" });
  return { manifest: JSON.parse(text), tarball: readFileSync(file) };
}

function documentOf(name: string, versions: readonly PublishedVersion[], origin: string): object {
  const entries = versions.map(({ manifest, tarball }) => {
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
    const dist = { tarball: `${origin}/${name}/${manifest.version}`, integrity };
    return [manifest.version, { ...manifest, dist }];
  });
  const latest = versions.at(-1)?.manifest.version;
  return { name, "dist-tags": { latest }, versions: Object.fromEntries(entries) };
}
