// A small real server for the runner's tests: `/identity` and the cases "short", "long" and "streamed", with the faults that FAULT names.
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";

const id = randomBytes(8).toString("hex");
const { PORT, PINS, FAULT } = process.env;
const pins = {
  "nodeEnv.artifact": "production",
  "nodeEnv.runtime": "production",
  ...JSON.parse(PINS ?? "{}"),
};
let served = 0;

createServer((request, response) => {
  if (request.url === "/identity") {
    const identity = {
      schemaVersion: 1,
      app: "fixture",
      platform: "fixture",
      instance: { id, served },
      pins,
      facts: {},
    };
    response.end(JSON.stringify(identity));
    return;
  }
  const body = Buffer.alloc(request.url === "/long" ? 50_000 : 100, "x");
  response.setHeader("content-type", "text/plain");
  response.setHeader("x-evenbench-instance", `${id}; served=${served++}; in-flight=0`);
  if (request.url === "/streamed") return stream(response, body);
  response.setHeader("content-length", body.length);
  if (FAULT === "dies") process.kill(process.pid, "SIGKILL");
  else if (FAULT === "truncates") response.write(body.subarray(0, 50), () => request.socket.destroy());
  else if (FAULT === "changes") response.end(Buffer.from(body).fill("y", 7, 8));
  else if (FAULT === "fails") response.writeHead(500).end(body);
  else if (FAULT === "hangs") response.write(body.subarray(0, 50));
  else response.end(body);
}).listen(Number(PORT), "127.0.0.1");

/** Four parts, each on its way before the next. */
function stream(response, body) {
  for (const part of [0, 25, 50, 75])
    setTimeout(() => response.write(body.subarray(part, part + 25)), part / 5);
  setTimeout(() => response.end(), 20);
}
