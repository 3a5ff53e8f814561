import { hash } from 'node:crypto';
import type { EventId } from '@phaseline/contracts';
import type { BinaryRow } from './copy-rows.js';
import { toChainLink, type HashedEvent } from './canonical-event.js';

/** The columns of `events` in the order that BinaryEvent expects. */
export const EVENT_COLUMNS_BINARY =
  'stream_id, version, event_id, type, schema_version, recorded_at, correlation_id, data, metadata, position, transaction_id, hash';
export const EVENT_COLUMN_COUNT = 12;

const STREAM = 0;
const VERSION = 1;
const EVENT_ID = 2;
const TYPE = 3;
const SCHEMA_VERSION = 4;
const RECORDED_AT = 5;
const CORRELATION = 6;
const DATA = 7;
const METADATA = 8;
const POSITION = 9;
const TRANSACTION = 10;
const HASH = 11;
/** Length of a column that is NULL. */
const NULL_LENGTH = -1;

/** Epoch of PostgreSQL timestamps (2000-01-01) in microseconds since 1970. */
const POSTGRES_EPOCH_MICROS = 946_684_800_000_000n;
/** Greatest time of a Date in microseconds since 1970; the least is its negative. */
const MAX_DATE_MICROS = 8_640_000_000_000_000_000n;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * Reads events from binary rows, and hashes them without converting stored bytes to strings: the bytes of a json column are the bytes
 * that were hashed. Takes a third of the time of text rows.
 */
export class BinaryEvent {
  private row!: BinaryRow;
  private scratch = Buffer.allocUnsafe(64 * 1024);
  private at = 0;
  private lastTime = { micros: -1n, text: '' };

  /** Sets the row that all members refer to. */
  read(row: BinaryRow): this {
    this.row = row;
    return this;
  }

  get version(): number {
    return this.integer(VERSION);
  }

  get position(): number {
    return this.integer(POSITION);
  }

  get transactionId(): bigint {
    return this.row.buffer.readBigUInt64BE(this.row.starts[TRANSACTION]!);
  }

  get type(): string {
    return this.text(TYPE);
  }

  get schemaVersion(): number {
    return this.row.buffer.readInt32BE(this.row.starts[SCHEMA_VERSION]!);
  }

  get correlationBytes(): Buffer {
    return this.bytes(CORRELATION);
  }

  get streamBytes(): Buffer {
    return this.bytes(STREAM);
  }

  get hashBytes(): Buffer {
    return this.bytes(HASH);
  }

  /** Time of recording as ISO 8601 text with microseconds. */
  get recordedAt(): string {
    const micros = this.row.buffer.readBigInt64BE(this.row.starts[RECORDED_AT]!);
    if (micros !== this.lastTime.micros) this.lastTime = { micros, text: toIso(micros) };
    return this.lastTime.text;
  }

  /** Converts the row to an event with strings. */
  toHashedEvent(): HashedEvent {
    return { ...this.toAttributes(), data: this.text(DATA) };
  }

  /** Converts the row to an event with strings, without its data. */
  toAttributes(): Omit<HashedEvent, 'data'> {
    return {
      streamId: this.text(STREAM),
      version: this.version,
      eventId: this.eventId,
      type: this.text(TYPE),
      schemaVersion: this.row.buffer.readInt32BE(this.row.starts[SCHEMA_VERSION]!),
      recordedAt: this.recordedAt,
      correlationId: this.text(CORRELATION),
      metadata: this.text(METADATA),
    };
  }

  /** The stored bytes of `data`. */
  get dataBytes(): Buffer {
    return this.bytes(DATA);
  }

  /** Computes the hash of the event after one with the hash `previous`; the same as `eventHash`. */
  hashAfter(previous: Uint8Array): Buffer {
    const { lengths } = this.row;
    const maxBytes =
      1_024 + lengths[STREAM]! + lengths[TYPE]! + lengths[CORRELATION]! + lengths[DATA]! + lengths[METADATA]!;
    if (this.scratch.length < maxBytes) this.scratch = Buffer.allocUnsafe(maxBytes * 2);
    this.scratch.set(toChainLink(previous), 0);
    this.at = 32;
    this.putColumn(STREAM);
    this.putText(String(this.version));
    this.putText(this.eventId);
    this.putColumn(TYPE);
    this.putText(String(this.row.buffer.readInt32BE(this.row.starts[SCHEMA_VERSION]!)));
    this.putText(this.recordedAt);
    this.putColumn(CORRELATION);
    this.putColumn(DATA);
    this.putColumn(METADATA);
    return hash('sha256', this.scratch.subarray(0, this.at), 'buffer');
  }

  private get eventId(): EventId {
    const start = this.row.starts[EVENT_ID]!;
    const hex = this.row.buffer.toString('hex', start, start + 16);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  /** Omits NULL, which the table does not allow. The resulting hash matches no event, not even one with an empty string. */
  private putColumn(column: number): void {
    const { buffer, starts, lengths } = this.row;
    const start = starts[column]!;
    const length = lengths[column]!;
    if (length === NULL_LENGTH) return;
    this.putLength(length);
    buffer.copy(this.scratch, this.at, start, start + length);
    this.at += length;
    this.scratch[this.at++] = COMMA;
  }

  /** Writes a string that is known to be ASCII. */
  private putText(text: string): void {
    this.putLength(text.length);
    this.at += this.scratch.write(text, this.at, 'latin1');
    this.scratch[this.at++] = COMMA;
  }

  private putLength(length: number): void {
    this.at += this.scratch.write(String(length), this.at, 'latin1');
    this.scratch[this.at++] = COLON;
  }

  private bytes(column: number): Buffer {
    const { buffer, starts, lengths } = this.row;
    return buffer.subarray(starts[column], starts[column]! + Math.max(0, lengths[column]!));
  }

  private text(column: number): string {
    const { buffer, starts, lengths } = this.row;
    return buffer.toString('utf8', starts[column], starts[column]! + Math.max(0, lengths[column]!));
  }

  /** Reads a bigint that fits into a JavaScript number. */
  private integer(column: number): number {
    const { buffer, starts } = this.row;
    const start = starts[column]!;
    return buffer.readInt32BE(start) * 2 ** 32 + buffer.readUInt32BE(start + 4);
  }
}

function toIso(postgresMicros: bigint): string {
  const micros = postgresMicros + POSTGRES_EPOCH_MICROS;
  // `infinity`, or a year that a Date cannot represent. No valid event has it, but verification of the log must continue.
  if (micros > MAX_DATE_MICROS || micros < -MAX_DATE_MICROS) return `${postgresMicros} microseconds`;
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = new Date(Number((micros - fraction) / 1_000n)).toISOString().slice(0, 19);
  return `${seconds}.${String(fraction).padStart(6, '0')}Z`;
}
