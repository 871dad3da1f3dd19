import nodeModule from "node:module";

// Nothing that is measured gets it: it goes to no other process.
nodeModule.enableCompileCache();
const { main, surviveClosedPipes } = await import("@evenbench/cli");

surviveClosedPipes();
process.exitCode = await main(process.argv.slice(2));
