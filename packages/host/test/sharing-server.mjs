// A server that shares its port with its siblings. Its argument says how it behaves.
import { createServer } from "node:http";

if (process.argv[2] === "fail") throw new Error("on purpose");

const server = createServer((_request, response) => response.end(String(process.pid)));
const address = { host: process.env.HOST, port: Number(process.env.PORT), reusePort: true };
server.listen(address, () => process.send("listening"));
process.once("SIGTERM", () => process.exit(0));
