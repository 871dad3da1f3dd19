export { type Created, createFolder, kinds } from "./create.ts";
