import type { JobId } from '@phaseline/contracts';
import { getSchemaVersion, phaseStream } from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';
import { contentHash } from '@phaseline/workspace';
import { FileHistory } from './file-history.js';

export const JOB = '019b0000-0000-7000-8000-00000000000a' as JobId;

/** A seeded random generator (mulberry32). That of the harness cannot be used here, because the harness imports this library. */
class SeededRandom {
  constructor(private state: number) {}

  /** Whole number from `min` to `max`, inclusive. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.between(0, items.length - 1)]!;
  }

  private next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** What one commit does to the only file of a history. */
export type Edit =
  | { readonly kind: 'write'; readonly path: string; readonly lines: readonly string[] }
  | { readonly kind: 'rename'; readonly from: string; readonly path: string }
  | { readonly kind: 'delete'; readonly path: string };

/** Draws a history of a file. Lines are new in every history unless `words` repeats them. */
export function drawHistory(seed: number, words?: readonly string[]): readonly Edit[] {
  const random = new SeededRandom(seed);
  let made = 0;
  const newLines = (most: number): string[] =>
    Array.from({ length: random.between(1, most) }, () =>
      words ? random.pick(words) : `line ${(made += 1)} of ${seed}`,
    );
  const edits: Edit[] = [];
  let path = 'a.md';
  let lines: readonly string[] | undefined;
  for (let number = random.between(2, 12); number > 0; number -= 1) {
    if (lines && lines.length > 0 && random.chance(0.1)) {
      const from = path;
      path = `${String.fromCharCode(97 + edits.length)}.md`;
      edits.push({ kind: 'rename', from, path });
    } else if (lines && random.chance(0.05)) {
      lines = undefined;
      edits.push({ kind: 'delete', path });
    } else {
      lines = editLines(random, lines ?? [], newLines);
      edits.push({ kind: 'write', path, lines });
    }
  }
  if (edits.at(-1)?.kind === 'delete') edits.push({ kind: 'write', path, lines: newLines(5) });
  return edits;
}

/** Appends, inserts, replaces or removes some lines, or replaces all of them. */
function editLines(random: SeededRandom, lines: readonly string[], newLines: (most: number) => string[]): string[] {
  const at = random.between(0, lines.length);
  const removed = Math.min(lines.length - at, random.between(1, 4));
  switch (random.pick(['append', 'append', 'insert', 'replace', 'replace', 'remove', 'rewrite'])) {
    case 'append':
      return [...lines, ...newLines(6)];
    case 'insert':
      return [...lines.slice(0, at), ...newLines(4), ...lines.slice(at)];
    case 'replace':
      return [...lines.slice(0, at), ...newLines(4), ...lines.slice(at + removed)];
    case 'remove':
      return [...lines.slice(0, at), ...lines.slice(at + removed)];
    default:
      return newLines(10);
  }
}

export const toText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** Folds a history as the events of a job, one commit per edit. Position `n` is that of the edit with the index `n - 1`. */
export function foldHistory(edits: readonly Edit[]) {
  const history = new FileHistory();
  const texts = new Map<string, string>();
  let content = '';
  for (const [index, edit] of edits.entries()) {
    if (edit.kind === 'write') content = toText(edit.lines);
    const hash = contentHash(Buffer.from(content));
    texts.set(hash, content);
    const written = { path: edit.path, hash, size: content.length, writtenAt: '2026-01-01T00:00:00.000Z', callId: 'c' };
    if (edit.kind === 'delete') history.apply(toRecorded(index, 'FileDeleted', { path: edit.path, callId: 'c' }));
    // The two halves of a rename come in either order.
    const deletion = edit.kind === 'rename' ? { path: edit.from, callId: 'c' } : undefined;
    if (deletion && index % 2 === 0) history.apply(toRecorded(index, 'FileDeleted', deletion));
    if (edit.kind !== 'delete') history.apply(toRecorded(index, 'FileWritten', written));
    if (deletion && index % 2 === 1) history.apply(toRecorded(index, 'FileDeleted', deletion));
  }
  return { history, texts };
}

/** An event of a phase, in the commit with this index; of the stream of the job with `stream`. */
export function toRecorded(index: number, type: string, data: object, stream = phaseStream(JOB, 1)): RecordedEvent {
  return {
    position: index + 1,
    streamId: stream,
    version: index + 1,
    eventId: '' as RecordedEvent['eventId'],
    type,
    schemaVersion: getSchemaVersion(type as 'FileWritten'),
    data: data as RecordedEvent['data'],
    metadata: {},
    recordedAt: '2026-01-01T00:00:00.000Z',
    correlationId: JOB,
    transactionId: String(index + 1),
    hash: 'ab'.repeat(32),
  };
}
