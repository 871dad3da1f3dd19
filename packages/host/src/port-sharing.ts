// `node port-sharing.ts <workers> <program> [arguments ...]`: a server says by any IPC message that it listens.
import { spawn } from "node:child_process";
import { keepWorkers } from "./keep-workers.ts";

const [count = "1", program = "", ...args] = process.argv.slice(2);

keepWorkers(Number(count), ({ listening, ended }) => {
  const worker = spawn(program, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  worker.once("message", listening);
  worker.once("error", ({ message }) => ended(message));
  worker.once("exit", (code, signal) => ended(signal ?? `exit code ${code}`));
  return worker;
});
