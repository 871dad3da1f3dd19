export { type Created, createFolder, listKinds } from "./create.ts";
