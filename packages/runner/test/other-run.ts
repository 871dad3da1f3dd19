// Another run on this machine: `node other-run.ts <results folder>`. It prints what it was told of others.
import { fixtureTarget } from "./fixture.ts";
import { eventsOf, shortRunInto } from "./short-run.ts";

const [out = ""] = process.argv.slice(2);
const result = await shortRunInto(out, { targets: [fixtureTarget("node")], rounds: 1 });
console.log(JSON.stringify(eventsOf(result, "other-run-active").map(({ detail }) => detail)));
