// What the sources use and Node.js 22 lacks. Where it is there, this does nothing.
import "core-js/actual/async-disposable-stack/index.js";
