export interface ServerSentEvent {
  /** `message` where the server gave no name. */
  readonly name: string;
  readonly data: string;
}

/** A server that sends no line break for this long a text is not sending events; going on would only fill the memory. */
const MAX_PENDING_CHARACTERS = 64 * 1024 * 1024;

/**
 * Takes the decoded text (so without a byte order mark) of a `text/event-stream` in pieces cut anywhere (between CR and LF as well) and gives back the events that
 * are complete. What follows the last blank line is thrown away with the parser, as the standard wants it.
 */
export class ServerSentEventParser {
  /** The last `id` that came with a complete block, also with one that had no data. */
  lastEventId = '';
  /** What the server asked for with `retry`, in milliseconds. */
  retryMs: number | undefined;

  private pending = '';
  private afterCarriageReturn = false;
  private name = '';
  private data: string[] = [];
  private id: string | undefined;

  /** Events that this piece completed. Throws RangeError for an endless line. */
  push(text: string): readonly ServerSentEvent[] {
    let piece = text;
    if (piece === '') return [];
    // The LF of a CRLF that was cut in two belongs to the line that the CR already ended.
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
      const event = this.takeLine(this.pending + line);
      this.pending = '';
      if (event) events.push(event);
    }
    this.pending += unfinished;
    if (this.pending.length > MAX_PENDING_CHARACTERS) throw new RangeError('the event stream holds a line without end');
    return events;
  }

  private takeLine(line: string): ServerSentEvent | undefined {
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
