// The bare server of Node.js: what any target on Node.js is held against. No Evenbench code in it.
import { createServer } from "node:http";

createServer((request, response) => {
  response.statusCode = request.url === "/identity" ? 200 : 204;
  response.end();
}).listen(Number(process.env.PORT), "127.0.0.1");
