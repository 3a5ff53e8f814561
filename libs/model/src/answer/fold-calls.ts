import { asObject, asText } from '../wire/loose-json.js';

/** A call as far as it has arrived. */
export interface PartialCall {
  id: string;
  name: string;
  /** Arguments that came as text, pieces joined. */
  text: string;
  /** Arguments that came as a value instead: an object, or `null` for none yet. `undefined` when only texts came. */
  value: unknown;
}

interface CallPiece {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

type Verdict = 'begins' | 'continues' | 'repeats';

/**
 * Puts calls together out of the pieces of a stream. Servers disagree on what marks a new call: an index, an id, both,
 * or nothing but a name; indices start at 1 or stay at 0; ids are missing, empty, repeated or new in every piece.
 */
export class CallFold {
  private readonly calls: PartialCall[] = [];
  private readonly latestAt = new Map<number, PartialCall>();

  /** @param offered Names of the tools on offer, to know a name that comes in pieces from the name of a next call. */
  constructor(private readonly offered: ReadonlySet<string>) {}

  /** Takes the `tool_calls` of one chunk. */
  add(pieces: readonly unknown[]): void {
    pieces.forEach((value, position) => {
      const piece = readPiece(value);
      if (piece) this.take(piece, position > 0);
    });
  }

  /** The calls in the order in which they began, without those that are nothing but a placeholder. */
  result(): readonly PartialCall[] {
    return this.calls.filter((call) => call.name !== '' || call.text.trim() !== '' || asObject(call.value));
  }

  private take(piece: CallPiece, hasNeighbour: boolean): void {
    const current = this.currentFor(piece);
    const verdict = current ? this.judge(current, piece, hasNeighbour) : 'begins';
    if (verdict === 'repeats') return;
    const call = current && verdict === 'continues' ? current : { id: '', name: '', text: '', value: undefined };
    if (call !== current) this.calls.push(call);
    if (piece.index !== undefined) this.latestAt.set(piece.index, call);
    if (call.id === '') call.id = piece.id;
    if (piece.name !== call.name) call.name += piece.name;
    if (typeof piece.arguments === 'string') call.text += piece.arguments;
    else call.value = piece.arguments ?? call.value ?? piece.arguments;
  }

  /** The call that a piece would continue. */
  private currentFor({ index, id }: CallPiece): PartialCall | undefined {
    if (index !== undefined) return this.latestAt.get(index);
    const last = this.calls.at(-1);
    if (id === '' || last?.id === id) return last;
    // Calls that are streamed side by side and told apart by their ids alone.
    return this.calls.findLast((call) => call.id === id && !isComplete(call)) ?? last;
  }

  private judge(current: PartialCall, piece: CallPiece, hasNeighbour: boolean): Verdict {
    const { index, id, name } = piece;
    const anonymous = index === undefined && id === '';
    const otherId = id !== '' && current.id !== '' && id !== current.id;
    // A new id at the same index, without a name and inside unfinished arguments, comes of servers that make up an id
    // for every piece.
    if (otherId) return index !== undefined && name === '' && !isComplete(current) ? 'continues' : 'begins';
    if (name === '' || current.name === '') return 'continues';
    // Without an index, the entries of one list are calls of their own.
    if (anonymous && hasNeighbour) return 'begins';
    const sameName = name === current.name;
    if (isComplete(current) || (anonymous && current.value === null)) {
      if (sameName && !anonymous && hasNoArguments(piece)) return 'repeats';
      // Some servers send a call that was streamed once more as a whole.
      if (sameName && id !== '' && id === current.id && sameArguments(current, piece)) return 'repeats';
      return 'begins';
    }
    return sameName || (current.text === '' && this.isNameInPieces(current.name, name)) ? 'continues' : 'begins';
  }

  private isNameInPieces(begun: string, next: string): boolean {
    if (this.offered.has(begun)) return false;
    return [...this.offered].some((name) => name.startsWith(begun + next));
  }
}

function readPiece(value: unknown): CallPiece | undefined {
  const piece = asObject(value);
  if (!piece) return undefined;
  const fn = asObject(piece.function) ?? {};
  return { index: readIndex(piece.index), id: asText(piece.id), name: asText(fn.name), arguments: fn.arguments };
}

function readIndex(value: unknown): number | undefined {
  const index = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof index === 'number' && Number.isInteger(index) ? index : undefined;
}

/** Whether nothing can be added to the arguments. Neither `""` nor `null` is complete: streams begin with both. */
function isComplete(call: PartialCall): boolean {
  if (call.value !== undefined && call.value !== null) return true;
  if (!call.text.trimEnd().endsWith('}')) return false;
  try {
    JSON.parse(call.text);
    return true;
  } catch {
    return false;
  }
}

function hasNoArguments(piece: CallPiece): boolean {
  const given = piece.arguments ?? '';
  return typeof given === 'string' && given.trim() === '';
}

function sameArguments(call: PartialCall, piece: CallPiece): boolean {
  if (typeof piece.arguments === 'string') return piece.arguments.trim() === call.text.trim();
  return JSON.stringify(piece.arguments) === JSON.stringify(call.value);
}
