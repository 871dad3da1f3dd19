export { k6Engine } from "./k6-engine.ts";
