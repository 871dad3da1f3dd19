// What `npm run` starts: looks at the clone's path, then hands over to start.mjs. It is CommonJS, since Node.js loads
// no ES module below a folder with a backslash in its name.
const { dirname } = require("node:path");

const root = dirname(dirname(__dirname));
// OpenNext writes the path between double quotes into the programs that it makes, and escapes nothing.
const found = ['"', "\\"].filter((character) => root.includes(character));

if (found.length === 0) {
  void import("./start.mjs");
} else {
  console.error(
    `evenbench: Below a folder with ${found.join(" or ")} in its name neither Node.js' modules nor OpenNext (Next.js for Cloudflare) work. ` +
      `Nothing was installed or built. Move the clone to another folder, and run the command again: it lies in ${root}.`,
  );
  process.exitCode = 2;
}
