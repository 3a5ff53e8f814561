import { deserializeMessage, type JSONRPCMessage } from '@modelcontextprotocol/client';

const NEWLINE = 0x0a;

/**
 * Splits the output of a server into messages, one per line. The buffer of the SDK copies the whole
 * unfinished line with every piece: a line of 31 MB blocked the event loop for 3 seconds.
 */
export class MessageBuffer {
  private unfinished: Buffer[] = [];
  private unfinishedBytes = 0;
  private lines: Buffer[] = [];

  constructor(private readonly maxBytes: number) {}

  /** Adds a piece of output. Throws an Error if a message is larger than `maxBytes`. */
  append(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.addToLine(chunk.subarray(from, at));
      this.lines.push(this.unfinished.length === 1 ? this.unfinished[0]! : Buffer.concat(this.unfinished));
      this.unfinished = [];
      this.unfinishedBytes = 0;
      from = at + 1;
    }
    this.addToLine(chunk.subarray(from));
  }

  /** Returns the next message, or null if none is complete. Skips lines that are not JSON. Throws for JSON that is not a message. */
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

  private addToLine(piece: Buffer): void {
    this.unfinishedBytes += piece.byteLength;
    if (this.unfinishedBytes > this.maxBytes) {
      this.clear();
      throw new Error(`a message of the server is larger than ${this.maxBytes} bytes`);
    }
    this.unfinished.push(piece);
  }
}
