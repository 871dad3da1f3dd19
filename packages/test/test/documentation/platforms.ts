import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { cloudflareApi } from "@evenbench/app-cloudflare/testing";
import { vercelApi } from "@evenbench/app-vercel/testing";
import { BUILD_VARIABLE, type Host } from "@evenbench/core";
import { readDeployments } from "@evenbench/deploy";
import { startRecorder } from "@evenbench/deploy/testing";
import { repositoryRoot } from "@evenbench/host";
import { type LocalTarget, listTargets } from "@evenbench/runner";

/**
 * What stands in for the platforms, from outside of every command: their APIs, and the addresses of what is
 * deployed to them.
 */
export interface Platforms extends AsyncDisposable {
  /** By which the platforms' tools and the command itself find them. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The addresses that the APIs of the recorders give to the bundle. */
const HOSTS = { cloudflare: "evenbench.somebody.workers.dev", vercel: "evenbench-somebody.vercel.app" };

/**
 * Starts them for one repository. An address serves the build of that repository which its deployments.json
 * says is deployed there, closed by the token that stands there.
 *
 * @param root of the repository.
 */
export async function startPlatforms(root: string): Promise<Platforms> {
  const parts = new AsyncDisposableStack();
  const cloudflare = parts.use(await startRecorder(cloudflareApi(new Set())));
  const vercel = parts.use(await startRecorder(vercelApi(new Set()).answer));
  const module = pathToFileURL(join(import.meta.dirname, "network.mjs"));
  for (const target of await listTargets()) {
    const host = Object.entries(HOSTS).find(([name]) => name === target.name)?.[1];
    if (host === undefined) continue;
    module.searchParams.set(host, String(parts.use(await startAddress(root, target)).port));
  }
  return {
    environment: {
      NODE_OPTIONS: `--import=${module.href}`,
      CLOUDFLARE_API_BASE_URL: cloudflare.url,
      CLOUDFLARE_API_TOKEN: "token",
      CLOUDFLARE_ACCOUNT_ID: "account",
      EVENBENCH_VERCEL_API: vercel.url,
      VERCEL_TOKEN: "atokenofvercel",
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** A port that passes connections on to a server of what is deployed, which is started anew after each deployment. */
async function startAddress(root: string, target: LocalTarget): Promise<AsyncDisposable & { port: number }> {
  const served = new Map<string, Promise<Host>>();
  const sockets = new Set<Socket>();
  const server = createServer(async (socket) => {
    sockets.add(socket.on("error", () => {}));
    const file = join(root, "deployments.json");
    const { token, deployments } = await readDeployments(file);
    const deployed = deployments.find(({ platform }) => platform === target.platform.id);
    if (deployed === undefined || token === null) return socket.destroy();
    const host = served.get(deployed.at) ?? serve(root, target, token, deployed.digest);
    served.set(deployed.at, host);
    const { hostname, port } = new URL((await host).url);
    const onwards = connect(Number(port), hostname).on("error", () => socket.destroy());
    socket.pipe(onwards).pipe(socket);
    return undefined;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      for (const host of served.values()) await (await host).stop();
    },
  };
}

function serve(root: string, target: LocalTarget, token: string, digest: string): Promise<Host> {
  return target.platform.serve({
    deployable: join(root, relative(repositoryRoot, target.deployable)),
    port: 0,
    logFile: join(root, `results/${target.name}.log`),
    cores: null,
    workers: 1,
    v8Flags: [],
    token,
    environment: { [BUILD_VARIABLE]: digest },
  });
}
