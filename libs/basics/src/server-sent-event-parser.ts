/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  /** Name of the event; `message` if the server sent none. */
  readonly name: string;
  readonly data: string;
}

/** Maximum length of a line. A server that sends a longer one is not sending events, and buffering more would exhaust memory. */
const MAX_LINE_CHARACTERS = 64 * 1024 * 1024;

/**
 * Parses a `text/event-stream`. Accepts the decoded text, without a byte order mark, in pieces split anywhere, even between CR and LF,
 * and returns the completed events. Text after the last blank line is discarded, as the standard requires. Unlike the standard, a line
 * `error: …` is the data of an event named `error`: llama.cpp reports its failures that way.
 */
export class ServerSentEventParser {
  /** Last `id` of a complete block, including blocks without data. */
  lastEventId = '';
  /** Reconnection time in milliseconds that the server sent with `retry`. */
  retryMs: number | undefined;

  /** Pieces of the current line. They are joined once at its end, so that a long line is not copied with every piece. */
  private unfinished: string[] = [];
  private unfinishedCharacters = 0;
  private skipLineFeed = false;
  private name = '';
  private data: string[] = [];
  private id: string | undefined;

  /** Parses a piece of text and returns the events that it completes. Throws RangeError for a line that is too long. */
  push(text: string): readonly ServerSentEvent[] {
    if (text === '') return [];
    // The LF of a split CRLF belongs to the line that the CR has already ended.
    let start = this.skipLineFeed && text.startsWith('\n') ? 1 : 0;
    this.skipLineFeed = text.endsWith('\r');
    const hasCarriage = text.includes('\r');
    const events: ServerSentEvent[] = [];
    for (let end = findLineEnd(text, start, hasCarriage); end >= 0; end = findLineEnd(text, start, hasCarriage)) {
      const event = this.parseLine(this.unfinished.join('') + text.slice(start, end));
      if (event) events.push(event);
      this.unfinished = [];
      this.unfinishedCharacters = 0;
      start = text.startsWith('\r\n', end) ? end + 2 : end + 1;
    }
    if (start < text.length) this.unfinished.push(text.slice(start));
    this.unfinishedCharacters += text.length - start;
    if (this.unfinishedCharacters > MAX_LINE_CHARACTERS)
      throw new RangeError('the event stream contains a line that is too long');
    return events;
  }

  private parseLine(line: string): ServerSentEvent | undefined {
    if (line === '') return this.dispatch();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data' || field === 'error') this.data.push(value);
    if (field === 'error') this.name = 'error';
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
    return data.length === 0 ? undefined : { name: name || 'message', data: data.join('\n') };
  }
}

function findLineEnd(text: string, from: number, hasCarriage: boolean): number {
  const lineFeed = text.indexOf('\n', from);
  const carriage = hasCarriage ? text.indexOf('\r', from) : -1;
  return lineFeed < 0 || carriage < 0 ? Math.max(lineFeed, carriage) : Math.min(lineFeed, carriage);
}
