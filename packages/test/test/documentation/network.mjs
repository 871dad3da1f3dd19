// Loaded into every Node.js process of a command by NODE_OPTIONS=--import: what platforms would serve under
// addresses of their own is served by this machine, without TLS. The query of this module says where:
// `?<host>=<port>`. Other addresses lead nowhere.
import net from "node:net";
import tls from "node:tls";

const ports = new URL(import.meta.url).searchParams;
/** The port "discard": nobody listens. */
const NOWHERE = "9";

tls.connect = (...words) => {
  const { servername, host } = words.find((word) => typeof word === "object") ?? {};
  const port = ports.get(servername || host) ?? NOWHERE;
  const socket = net.connect({ host: "127.0.0.1", port: Number(port) });
  return socket.once("connect", () => socket.emit("secureConnect"));
};
