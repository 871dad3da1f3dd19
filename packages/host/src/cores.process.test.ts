import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { TYPE_STRIPPING } from "#repository";
import { splitCores } from "./cores.ts";

const split = splitCores();

test.runIf(split !== null)(
  "a process that confines itself runs on the client's cores with all its threads",
  () => {
    const cores = fileURLToPath(new URL("cores.ts", import.meta.url));
    const script = `
    import { readFileSync, readdirSync } from "node:fs";
    import { confineThisProcess } from ${JSON.stringify(cores)};
    confineThisProcess(${JSON.stringify(split?.client)});
    const lists = readdirSync("/proc/self/task").map((thread) =>
      /^Cpus_allowed_list:\\s*(\\S+)/m.exec(readFileSync("/proc/self/task/" + thread + "/status", "utf8"))[1]);
    console.log(JSON.stringify([...new Set(lists)]));
  `;
    const output = execFileSync(process.execPath, [...TYPE_STRIPPING, "--input-type=module", "-e", script], {
      encoding: "utf8",
    });
    expect(JSON.parse(output)).toEqual([split?.client]);
  },
);
