// What `npm run` starts: looks at the current folder and the clone's path, then hands over to start.mjs. It is CommonJS,
// since Node.js loads no ES module below a folder with a backslash in its name.
const { dirname } = require("node:path");

const root = dirname(dirname(__dirname));
const refusal = whyNot();

if (refusal === null) {
  void import("./start.mjs");
} else {
  console.error(`evenbench: ${refusal}`);
  process.exitCode = 2;
}

/** Says why nothing can be started here; null where it can. */
function whyNot() {
  try {
    process.cwd();
  } catch {
    return "The current folder was removed. Change to another one, and run the command again.";
  }
  // OpenNext writes the path between double quotes into the programs that it makes, and escapes nothing.
  const found = ['"', "\\"].filter((character) => root.includes(character));
  if (found.length === 0) {
    return null;
  }
  return (
    `Below a folder with ${found.join(" or ")} in its name neither Node.js' modules nor OpenNext (Next.js for Cloudflare) work. ` +
    `Nothing was installed or built. Move the clone to another folder, and run the command again: it lies in ${root}.`
  );
}
