// A small real server for the runner's tests: `/identity` and the cases "short", "long", "streamed" and "marked", with
// the faults that FAULT names, from the FAULT_FROM-th answer (from 0) on, for FAULT_FOR answers; WAIT is for how many
// milliseconds an answer waits, so that load on it takes little CPU time.
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";

const id = randomBytes(8).toString("hex");
const { PORT, PINS, FAULT: GIVEN_FAULT, FAULT_FROM = "0", FAULT_FOR = "Infinity", COLD, WAIT } = process.env;
/**
 * Until it has served so many, each request costs as much CPU time as a program that is still interpreted:
 * four times that of a warm one.
 */
const coldUntil = Number(COLD ?? 0);
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
  if (COLD !== undefined) {
    spin(served < coldUntil ? 4 : 1);
  }
  const body = Buffer.alloc(request.url === "/long" ? 50_000 : 100, "x");
  // Marked text that differs from answer to answer, and keeps its length.
  if (request.url === "/marked") {
    body.write(`[eb[${String(served).padStart(6, "0")}]eb]`);
  }
  const nth = served - Number(FAULT_FROM);
  const FAULT = nth >= 0 && nth < Number(FAULT_FOR) ? GIVEN_FAULT : undefined;
  // In place of an answer it ends the connection, unless the request is the first one there.
  if (FAULT === "closes" && request.socket.hasAnswered) {
    return request.socket.destroy();
  }
  request.socket.hasAnswered = true;
  response.setHeader("content-type", "text/plain");
  response.setHeader("x-evenbench-instance", `${id}; served=${served++}; in-flight=0`);
  if (request.url === "/streamed") {
    return stream(response, body);
  }
  if (FAULT === "error-page") {
    return response.end("<h1>Internal Server Error</h1>");
  }
  if (FAULT === "other-type") {
    response.setHeader("content-type", "text/html");
  }
  if (FAULT === "ages") {
    response.setHeader("cache-control", `s-maxage=${1000 - served}`);
  }
  response.setHeader("content-length", body.length);
  if (FAULT === "dies") {
    process.kill(process.pid, "SIGKILL");
  } else if (FAULT === "truncates") {
    response.write(body.subarray(0, 50), () => request.socket.destroy());
  } else if (FAULT === "changes") {
    response.end(Buffer.from(body).fill("y", 50, 51));
  } else if (FAULT === "fails") {
    response.writeHead(500).end(body);
  } else if (FAULT === "hangs") {
    response.write(body.subarray(0, 50));
  } else if (WAIT !== undefined) {
    setTimeout(() => response.end(body), Number(WAIT));
  } else {
    response.end(body);
  }
}).listen(Number(PORT), "127.0.0.1");

/** Uses so much CPU time by the process's own account, in milliseconds. */
function spin(ms) {
  const start = process.cpuUsage();
  for (let used = 0; used < ms * 1000; ) {
    const { user, system } = process.cpuUsage(start);
    used = user + system;
  }
}

/** Four parts, each on its way before the next. */
function stream(response, body) {
  for (const part of [0, 25, 50, 75]) {
    setTimeout(() => response.write(body.subarray(part, part + 25)), part / 5);
  }
  setTimeout(() => response.end(), 20);
}
