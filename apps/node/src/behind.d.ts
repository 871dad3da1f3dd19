declare module "#behind/server" {}
