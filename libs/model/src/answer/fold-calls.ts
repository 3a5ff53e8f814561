import { asObject, asText } from '../wire/loose-json.js';

/** The part of a call that has arrived so far. */
export interface PartialCall {
  id: string;
  name: string;
  /** Arguments received as text, with all pieces joined. */
  text: string;
  /** Arguments received as a JSON value: an object, or `null` for none yet. `undefined` if only text was received. */
  value: unknown;
}

interface CallPiece {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

type PieceRole = 'begins' | 'continues' | 'repeats';

/**
 * Assembles calls from the pieces of a stream. Servers disagree on what marks a new call: an index, an id, both, or
 * only a name; indices start at 1 or stay at 0; ids are missing, empty, repeated or different in every piece.
 */
export class CallFold {
  private readonly calls: PartialCall[] = [];
  private readonly latestAt = new Map<number, PartialCall>();

  /** @param offered Names of the offered tools, used to tell a name sent in pieces from the name of the next call. */
  constructor(private readonly offered: ReadonlySet<string>) {}

  /** Adds the `tool_calls` of one chunk. */
  add(pieces: readonly unknown[]): void {
    pieces.forEach((value, position) => {
      const piece = readPiece(value);
      if (piece) this.addPiece(piece, position > 0);
    });
  }

  /** Returns the calls in the order in which they began, without empty placeholders. */
  result(): readonly PartialCall[] {
    return this.calls.filter((call) => call.name !== '' || call.text.trim() !== '' || asObject(call.value));
  }

  private addPiece(piece: CallPiece, hasNeighbour: boolean): void {
    const current = this.findCurrentCall(piece);
    const role = current ? this.classifyPiece(current, piece, hasNeighbour) : 'begins';
    if (role === 'repeats') return;
    const call = current && role === 'continues' ? current : { id: '', name: '', text: '', value: undefined };
    if (call !== current) this.calls.push(call);
    if (piece.index !== undefined) this.latestAt.set(piece.index, call);
    if (call.id === '') call.id = piece.id;
    if (piece.name !== call.name) call.name += piece.name;
    if (typeof piece.arguments === 'string') call.text += piece.arguments;
    else call.value = piece.arguments ?? call.value ?? piece.arguments;
  }

  /** Finds the call that a piece would continue. */
  private findCurrentCall({ index, id }: CallPiece): PartialCall | undefined {
    if (index !== undefined) return this.latestAt.get(index);
    const last = this.calls.at(-1);
    if (id === '' || last?.id === id) return last;
    // Calls streamed in parallel and distinguished only by their ids.
    return this.calls.findLast((call) => call.id === id && !isComplete(call)) ?? last;
  }

  private classifyPiece(current: PartialCall, piece: CallPiece, hasNeighbour: boolean): PieceRole {
    const { index, id, name } = piece;
    const anonymous = index === undefined && id === '';
    const otherId = id !== '' && current.id !== '' && id !== current.id;
    // Some servers generate a new id for every piece: same index, no name, unfinished arguments.
    if (otherId) return index !== undefined && name === '' && !isComplete(current) ? 'continues' : 'begins';
    if (name === '' || current.name === '') return 'continues';
    // Without an index, each entry of one list is a separate call.
    if (anonymous && hasNeighbour) return 'begins';
    const sameName = name === current.name;
    if (isComplete(current) || (anonymous && current.value === null)) {
      if (sameName && !anonymous && hasNoArguments(piece)) return 'repeats';
      // Some servers repeat a streamed call as a whole.
      if (sameName && id !== '' && id === current.id && hasSameArguments(current, piece)) return 'repeats';
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

/** Whether the arguments are complete. Neither `""` nor `null` is: streams begin with both. */
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

function hasSameArguments(call: PartialCall, piece: CallPiece): boolean {
  if (typeof piece.arguments === 'string') return piece.arguments.trim() === call.text.trim();
  return JSON.stringify(piece.arguments) === JSON.stringify(call.value);
}
