// What the sources use and Node.js 20 lacks. Where they are there, these do nothing.
import "core-js/actual/async-disposable-stack/index.js";
import "core-js/actual/map/group-by.js";
import "core-js/actual/promise/with-resolvers.js";
import "core-js/actual/url/parse.js";
