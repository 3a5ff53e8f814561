import { deserializeMessage, type JSONRPCMessage } from '@modelcontextprotocol/client';
import type { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const NEWLINE = 0x0a;

/**
 * Splits what a server writes into its messages, one per line. In place of the buffer of the SDK, which copies the whole unfinished line
 * with every piece that arrives: a line of 31 MB took 3 seconds of the processor, without a turn for anything else.
 */
export class MessageBuffer {
  private unfinished: Buffer[] = [];
  private unfinishedBytes = 0;
  private lines: Buffer[] = [];

  constructor(private readonly maxBytes: number) {}

  /** Throws an Error where a message is larger than `maxBytes`. */
  append(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.keep(chunk.subarray(from, at));
      this.lines.push(this.unfinished.length === 1 ? this.unfinished[0]! : Buffer.concat(this.unfinished));
      this.unfinished = [];
      this.unfinishedBytes = 0;
      from = at + 1;
    }
    this.keep(chunk.subarray(from));
  }

  /** The next message; null when none is complete. Lines that are no JSON are passed over. Throws for JSON that is no message. */
  readMessage(): JSONRPCMessage | null {
    for (let line = this.lines.shift(); line; line = this.lines.shift()) {
      try {
        return deserializeMessage(line.toString('utf8').replace(/\r$/, ''));
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
    }
    return null;
  }

  clear(): void {
    this.unfinished = [];
    this.unfinishedBytes = 0;
    this.lines = [];
  }

  private keep(piece: Buffer): void {
    this.unfinishedBytes += piece.byteLength;
    if (this.unfinishedBytes > this.maxBytes) {
      this.clear();
      throw new Error(`a message of the server is larger than ${this.maxBytes} bytes`);
    }
    this.unfinished.push(piece);
  }
}

/** Lets a transport read by a `MessageBuffer`. Its own buffer is a private field, and there is no option to replace it. */
export function readByMessageBuffer(transport: StdioClientTransport, maxBytes: number): void {
  const owner = transport as unknown as { _readBuffer?: { append: unknown; readMessage: unknown; clear: unknown } };
  const { _readBuffer: own } = owner;
  if (typeof own?.append !== 'function' || typeof own.readMessage !== 'function' || typeof own.clear !== 'function')
    throw new Error('the MCP SDK reads its messages in another way than the version that is pinned');
  owner._readBuffer = new MessageBuffer(maxBytes);
}
