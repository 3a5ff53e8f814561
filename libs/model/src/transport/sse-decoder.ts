/** One server-sent event. `isError` is set for events named `error` and for the bare `error:` lines of llama.cpp. */
export interface SseEvent {
  readonly data: string;
  readonly isError: boolean;
}

/**
 * Decodes a stream of server-sent events from byte pieces that may be cut anywhere. Comments, ids and retry hints are
 * ignored. Lines may end in LF, CRLF or CR.
 */
export class SseDecoder {
  private readonly text = new TextDecoder();
  /** Pieces of the current line. They are joined once at its end, so that a long line is not copied with every piece. */
  private unfinished: string[] = [];
  private skipLineFeed = false;
  private data: string[] = [];
  private isError = false;

  push(bytes: Uint8Array): readonly SseEvent[] {
    return this.decode(this.text.decode(bytes, { stream: true }));
  }

  /** Returns the last event if the stream ended without the empty line that closes it. */
  end(): readonly SseEvent[] {
    return this.decode(`${this.text.decode()}\n\n`);
  }

  private decode(text: string): readonly SseEvent[] {
    const events: SseEvent[] = [];
    const piece = this.skipLineFeed && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') this.skipLineFeed = false;
    const mayBreakAtCarriage = piece.includes('\r');
    let start = 0;
    for (
      let at = findLineBreak(piece, 0, mayBreakAtCarriage);
      at >= 0;
      at = findLineBreak(piece, start, mayBreakAtCarriage)
    ) {
      const event = this.readLine(this.unfinished.join('') + piece.slice(start, at));
      this.unfinished = [];
      if (event) events.push(event);
      start = at + 1;
      if (piece[at] !== '\r') continue;
      if (piece[start] === '\n') start++;
      else if (start === piece.length) this.skipLineFeed = true;
    }
    if (start < piece.length) this.unfinished.push(piece.slice(start));
    return events;
  }

  private readLine(line: string): SseEvent | undefined {
    if (line === '') return this.dispatch();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.data.push(value);
    else if (field === 'event') this.isError = value === 'error';
    else if (field === 'error') {
      this.data.push(value);
      this.isError = true;
    }
    return undefined;
  }

  private dispatch(): SseEvent | undefined {
    const event = { data: this.data.join('\n'), isError: this.isError };
    this.data = [];
    this.isError = false;
    return event.data.trim() === '' ? undefined : event;
  }
}

function findLineBreak(text: string, from: number, mayBreakAtCarriage: boolean): number {
  const lineFeed = text.indexOf('\n', from);
  const carriage = mayBreakAtCarriage ? text.indexOf('\r', from) : -1;
  if (lineFeed < 0 || carriage < 0) return Math.max(lineFeed, carriage);
  return Math.min(lineFeed, carriage);
}
