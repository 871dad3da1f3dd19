// One instance of a deployment: `node instance.ts <build output> <port>`. Serves the functions and static files of the
// folder in this process, several requests at a time, as Fluid compute does.
import { createReadStream } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { LOOPBACK } from "@evenbench/host";
import mime from "mime-types";
import { type OutputFunction, readBuildOutput } from "./build-output.ts";
import { type Invoke, loadFunction } from "./functions.ts";
import { makeRouter } from "./routing.ts";

const [output = "", port = "0"] = process.argv.slice(2);
const route = makeRouter(await readBuildOutput(output));
const loaded = new Map<string, Promise<Invoke>>();

/** What the platform offers running code: `waitUntil` for work after the response, which a living process just does. */
const requestContext = {
  get: () => ({
    waitUntil(work: Promise<unknown>) {
      work.catch((error: unknown) => console.error("evenbench: waitUntil failed:", error));
    },
  }),
};
Object.defineProperty(globalThis, Symbol.for("@vercel/request-context"), { value: requestContext });

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    console.error("evenbench: the function failed:", error);
    if (response.headersSent) response.destroy();
    else response.writeHead(500, { "content-type": "text/plain" }).end("Internal Server Error\n");
  });
});
// A kept connection must not be closed between two rounds: Node's default of 5 s is shorter than a slow round.
server.keepAliveTimeout = Number(process.env.KEEP_ALIVE_TIMEOUT ?? 65_000);
server.listen(Number(port), LOOPBACK);
process.on("SIGTERM", () => server.close(() => process.exit(0)).closeIdleConnections());

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const decision = route(request.method ?? "GET", request.url ?? "/");
  for (const [name, value] of Object.entries(decision.headers)) response.setHeader(name, value);
  if (decision.status !== null) response.statusCode = decision.status;
  if (decision.kind === "function") {
    await (await functionAt(decision.target))(request, response);
  } else if (decision.kind === "file") {
    response.setHeader(
      "content-type",
      mime.contentType(mime.lookup(decision.file) || "") || "application/octet-stream",
    );
    createReadStream(decision.file).pipe(response);
  } else {
    response.end();
  }
}

/** Functions that share a folder share their module, as they share an instance on the platform. */
function functionAt(target: OutputFunction): Promise<Invoke> {
  let invoke = loaded.get(target.folder);
  if (invoke === undefined) {
    invoke = loadFunction(target);
    loaded.set(target.folder, invoke);
  }
  return invoke;
}
