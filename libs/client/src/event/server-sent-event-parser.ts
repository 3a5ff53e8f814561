export interface ServerSentEvent {
  /** Name of the event; `message` if the server sent none. */
  readonly name: string;
  readonly data: string;
}

/** Maximum length of a line. A server that sends a longer one is not sending events, and buffering more would exhaust memory. */
const MAX_PENDING_CHARACTERS = 64 * 1024 * 1024;

/**
 * Parses a `text/event-stream`. Accepts the decoded text, without a byte order mark, in pieces split anywhere, even between CR and LF,
 * and returns the completed events. Text after the last blank line is discarded, as the standard requires.
 */
export class ServerSentEventParser {
  /** Last `id` of a complete block, including blocks without data. */
  lastEventId = '';
  /** Reconnection time in milliseconds that the server sent with `retry`. */
  retryMs: number | undefined;

  private pending = '';
  private afterCarriageReturn = false;
  private name = '';
  private data: string[] = [];
  private id: string | undefined;

  /** Parses a piece of text and returns the events that it completes. Throws RangeError for a line that is too long. */
  push(text: string): readonly ServerSentEvent[] {
    let piece = text;
    if (piece === '') return [];
    // The LF of a split CRLF belongs to the line that the CR has already ended.
    if (this.afterCarriageReturn && piece.startsWith('\n')) piece = piece.slice(1);
    if (piece === '') {
      this.afterCarriageReturn = false;
      return [];
    }
    this.afterCarriageReturn = piece.endsWith('\r');

    const lines = piece.split(/\r\n|\n|\r/);
    const unfinished = lines.pop() ?? '';
    const events: ServerSentEvent[] = [];
    for (const line of lines) {
      const event = this.parseLine(this.pending + line);
      this.pending = '';
      if (event) events.push(event);
    }
    this.pending += unfinished;
    if (this.pending.length > MAX_PENDING_CHARACTERS)
      throw new RangeError('the event stream contains a line that is too long');
    return events;
  }

  private parseLine(line: string): ServerSentEvent | undefined {
    if (line === '') return this.dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return undefined;
    const field = colon < 0 ? line : line.slice(0, colon);
    const rest = colon < 0 ? '' : line.slice(colon + 1);
    const value = rest.startsWith(' ') ? rest.slice(1) : rest;
    if (field === 'data') this.data.push(value);
    else if (field === 'event') this.name = value;
    else if (field === 'id' && !value.includes('\0')) this.id = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
    return undefined;
  }

  private dispatch(): ServerSentEvent | undefined {
    const { name, data, id } = this;
    this.name = '';
    this.data = [];
    this.id = undefined;
    if (id !== undefined) this.lastEventId = id;
    return data.length === 0 ? undefined : { name: name === '' ? 'message' : name, data: data.join('\n') };
  }
}
