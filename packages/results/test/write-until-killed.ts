import { SampleWriter } from "../src/write.ts";
import { exampleSample } from "./example.ts";

// Writes samples one after the other, telling how many are flushed, until it is killed.
const writer = new SampleWriter(process.argv[2] ?? ".");
let written = 0;
setInterval(() => {
  for (let i = 0; i < 50; i++) {
    writer.append(exampleSample(written));
    writer.flush();
    written += 1;
  }
  process.stdout.write(`${written}\n`);
}, 1);
