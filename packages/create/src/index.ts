export { type Created, CreateError, createFolder, listKinds } from "./create.ts";
