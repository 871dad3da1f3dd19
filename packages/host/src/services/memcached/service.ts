import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { LOOPBACK } from "../../index.ts";
import { defineService } from "../services.ts";

const ASK_EVERY_MS = 20;
const ANSWERS_WITHIN_MS = 2000;

export default defineService({
  title: "memcached",
  program: "memcached",
  install: "apt-get install memcached",

  command(program, port) {
    // It refuses to run as root without being told as whom instead.
    const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
    return { file: program, args: ["-l", LOOPBACK, "-p", String(port), "-U", "0", "-c", "2048", ...user] };
  },

  readiness: {
    what: ' (its command "version")',
    async wait(url, signal) {
      let seen = "no answer yet";
      while (!signal.aborted) {
        const answer = await version(Number(new URL(url).port));
        if (answer.startsWith("VERSION ")) return null;
        seen = answer;
        await delay(ASK_EVERY_MS);
      }
      return seen;
    },
  },
});

function version(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: LOOPBACK, timeout: ANSWERS_WITHIN_MS });
    const end = (answer: string) => {
      socket.destroy();
      resolve(answer);
    };
    socket
      .once("connect", () => socket.write("version\r\n"))
      .once("data", (data) => end(data.toString("latin1").trim()))
      .once("timeout", () => end("no answer"))
      .once("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
