import { fileURLToPath } from "node:url";
import {
  type CaseManifest,
  defineApp,
  definePlatform,
  type Host,
  MANIFEST_DEFAULTS,
  namePlatform,
  volatile,
} from "@evenbench/core";
import { serverEnvironment, startHost } from "@evenbench/host";
import { maskedDigest } from "@evenbench/probe";
import type { LocalTarget } from "../src/options.ts";

const SERVER = fileURLToPath(new URL("fixture-server.mjs", import.meta.url));

/** A case of the fixture server, which answers with so many times "x"; as payload always with 100. */
export function fixtureCase(id: "short" | "long" | "streamed" | "marked"): CaseManifest {
  const bytes = id === "long" ? 50_000 : 100;
  const body = Buffer.alloc(bytes, "x");
  if (id === "marked") {
    body.write(volatile("000000"));
  }
  const sha256 = maskedDigest(body);
  return {
    ...MANIFEST_DEFAULTS,
    id,
    path: `/${id}`,
    title: id,
    description: "The letter x.",
    golden: { status: 200, contentType: "text/plain", bytes, sha256 },
  };
}

/** The app of the fixture server. */
export const fixtureApp = defineApp({
  id: "fixture",
  title: "Fixture",
  cases: async () => [fixtureCase("short"), fixtureCase("long")],
  deployable: () => SERVER,
});

/**
 * A target that is a real process under the real supervisor.
 *
 * @param settings how the n-th start (from 0; preflight's is the first) is odd: FAULT, FAULT_FROM, FAULT_FOR,
 *   PINS, COLD and WAIT of the fixture server.
 */
export function fixtureTarget(
  name: string,
  settings: (start: number) => Record<string, string> = () => ({}),
): LocalTarget & { readonly hosts: readonly Host[] } {
  const hosts: Host[] = [];
  let starts = 0;
  const definition = definePlatform({
    title: "Fixture",
    description: "A small server.",
    async serve(options) {
      const env = serverEnvironment(settings(starts++));
      const host = await startHost({
        ...options,
        name: `${name} host`,
        command: (port) => ({
          file: process.execPath,
          args: [options.deployable],
          env: { ...env, PORT: String(port) },
        }),
      });
      hosts.push(host);
      return host;
    },
    close: async () => {},
    size: async () => ({ bytes: 0, gzipBytes: 0, limit: null }),
  });
  const platform = namePlatform(name, definition);
  return { place: "local", name, app: fixtureApp, platform, deployable: SERVER, hosts };
}
