// What a reader of the documentation may have: a server that knows nothing of Evenbench, and answers every path.
import { createServer } from "node:http";

const server = createServer((_request, response) => {
  response.setHeader("content-type", "text/html; charset=utf-8").end("<p>Products</p>");
});
server.listen(Number(process.env.PORT), "127.0.0.1");
