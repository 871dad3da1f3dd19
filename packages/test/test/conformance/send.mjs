// `node send.mjs <module>`: prints what a case sends, loaded by plain Node.js as tools load apps.
import "@evenbench/host";

const { default: definition } = await import(process.argv[2]);
const response = await definition.handle(new Request("http://localhost/"), {}, { platform: "node" });
process.stdout.write(await response.text());
