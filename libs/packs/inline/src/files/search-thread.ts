import { parentPort } from 'node:worker_threads';

/*
 * Searches texts for a model's pattern in a separate thread. A pattern that backtracks forever blocks only this thread, which is
 * then terminated from outside, and never the event loop of a service. Imports none of our modules, because tests start it from
 * its source.
 */

export interface SearchQuery {
  readonly query: string;
  readonly regex: boolean;
  readonly caseSensitive: boolean;
  /** Maximum hits that are returned; further ones are only counted. */
  readonly maxHits: number;
  /** Characters of a line that are searched. */
  readonly maxSearchedCharacters: number;
  /** Characters of a line that a hit shows. */
  readonly maxShownCharacters: number;
}

export interface SearchedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Starts a search, or sends its next files. */
export type SearchThreadRequest =
  | { readonly kind: 'start'; readonly search: SearchQuery }
  | { readonly kind: 'files'; readonly files: readonly SearchedFile[] };

export type SearchThreadResponse =
  | { readonly kind: 'ready' }
  | { readonly kind: 'bad-pattern'; readonly message: string }
  | { readonly kind: 'found'; readonly hits: readonly string[]; readonly more: number };

class Searcher {
  private readonly decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  private readonly search: SearchQuery;
  private readonly matches: (line: string) => boolean;
  private shown = 0;

  /** Throws SyntaxError for an invalid pattern. */
  constructor(search: SearchQuery) {
    this.search = search;
    const { query, regex, caseSensitive } = search;
    if (regex) {
      const pattern = new RegExp(query, caseSensitive ? 'u' : 'iu');
      this.matches = (line) => pattern.test(line);
    } else {
      const wanted = caseSensitive ? query : query.toLowerCase();
      this.matches = (line) => (caseSensitive ? line : line.toLowerCase()).includes(wanted);
    }
  }

  find(files: readonly SearchedFile[]): SearchThreadResponse {
    const { maxHits, maxSearchedCharacters, maxShownCharacters } = this.search;
    const hits: string[] = [];
    let more = 0;
    for (const { name, bytes } of files) {
      const text = this.tryDecode(bytes);
      if (text === undefined) continue;
      let number = 0;
      for (const whole of text.split('\n')) {
        number += 1;
        const line = whole.slice(0, maxSearchedCharacters);
        if (!this.matches(line)) continue;
        if (this.shown < maxHits) {
          this.shown += 1;
          hits.push(`${name}:${number}: ${line.trim().slice(0, maxShownCharacters)}`);
        } else more += 1;
      }
    }
    return { kind: 'found', hits, more };
  }

  private tryDecode(bytes: Uint8Array): string | undefined {
    if (bytes.includes(0)) return undefined;
    try {
      return this.decoder.decode(bytes);
    } catch {
      return undefined;
    }
  }
}

let searcher: Searcher | undefined;

parentPort?.on('message', (request: SearchThreadRequest) => {
  parentPort!.postMessage(handleRequest(request));
});

function handleRequest(request: SearchThreadRequest): SearchThreadResponse {
  if (request.kind === 'files') return searcher!.find(request.files);
  try {
    searcher = new Searcher(request.search);
    return { kind: 'ready' };
  } catch (error) {
    return { kind: 'bad-pattern', message: error instanceof Error ? error.message : String(error) };
  }
}
