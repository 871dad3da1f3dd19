// A thread that draws pictures, one after the other: the program that draw-pictures.ts starts.
import { parentPort } from "node:worker_threads";
import { pngOf } from "./picture.ts";

parentPort?.on("message", async (svg: string) => {
  parentPort?.postMessage(await pngOf(svg));
});
