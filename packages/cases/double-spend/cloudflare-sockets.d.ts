declare module "cloudflare:sockets" {
  export interface Socket {
    readonly readable: ReadableStream<BufferSource>;
    readonly writable: WritableStream<Uint8Array>;
    readonly opened: Promise<unknown>;
    close(): Promise<void>;
  }
  export function connect(address: string): Socket;
}
