/** The server that the app's build made: it listens when it is imported. */
declare module "#behind/server" {}
