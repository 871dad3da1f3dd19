// A server with a child process of its own. Its argument says how it behaves.
import { spawn } from "node:child_process";
import { createServer } from "node:http";

const [behaviour] = process.argv.slice(2);
console.log("starting as", behaviour);
if (behaviour === "fail") {
  throw new Error("on purpose");
}

spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
if (behaviour === "stubborn") {
  process.on("SIGTERM", () => console.log("asked to stop, and does not"));
}

const { pid, env } = process;
const place = { port: Number(env.PORT), host: env.HOST, reusePort: behaviour === "sharing" };
createServer((_request, response) => {
  response.end(JSON.stringify({ pid, env }));
}).listen(place, () => process.send?.("listening"));
