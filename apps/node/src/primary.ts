// The cluster's primary: `node primary.ts <server> <workers> [Node.js and V8 flags ...]`.
import cluster from "node:cluster";
import { keepWorkers } from "@evenbench/host/keep-workers";

const [server = "", count = "1", ...flags] = process.argv.slice(2);

// The primary's own; workers serve, and start as they would where they are deployed.
delete process.env.NODE_COMPILE_CACHE;
cluster.setupPrimary({ exec: server, args: [], execArgv: flags });
// Left alone, Node.js gives a worker the inspector port that follows the primary's, whatever its flags say.
const inspectPort = flags.map((flag) => /^--inspect(?:-wait)?=.*:(\d+)$/.exec(flag)?.[1]).find(Boolean);
if (inspectPort !== undefined) {
  cluster.setupPrimary({ inspectPort: Number(inspectPort) });
}

// No disconnect(): servers know what to do with a signal, and Node.js fails when both close one server.
keepWorkers(Number(count), ({ listening, ended }) => {
  const worker = cluster.fork();
  worker.once("listening", listening);
  worker.once("exit", (code, signal) => ended(signal ?? `exit code ${code}`));
  return worker.process;
});
