import pg from 'pg';
import { BinaryEvent, EVENT_COLUMN_COUNT, EVENT_COLUMNS_BINARY } from './binary-event.js';
import { CHAIN_START } from './canonical-event.js';
import { isClosedRightly, mayFollow } from './after-end.js';
import { copyRows, type BinaryRow } from './copy-rows.js';

export interface ChainPassOptions {
  readonly correlationId?: string | undefined;
  readonly lastSeal: { readonly horizon: bigint } | undefined;
  readonly progressEvery: number;
  readonly onProgress: () => void;
}

const EVENT = 0;
const SEALED = 1;
const HEAD = 2;
const KIND_COLUMN = EVENT_COLUMN_COUNT;
const NUMBER_COLUMN = EVENT_COLUMN_COUNT + 1;

/**
 * One pass over the log in the order of streams and versions, with what seals and `streams` say of each stream merged in behind the
 * event that it is about. It only tells which streams do not fit: what happened to them takes a closer look.
 */
export class ChainPass {
  events = 0;
  streams = 0;
  readonly faulty: string[] = [];

  private readonly event = new BinaryEvent();
  private readonly horizon: bigint;
  private stream: Buffer | undefined;
  private version = 0;
  private position = 0;
  private hash: Buffer = CHAIN_START;
  private fits = true;
  private headSeen = false;
  /** An event as old as this must be in a seal, and no seal that holds it has come yet. */
  private waitsForSeal = false;
  private type: string | undefined;
  private correlation: Buffer | undefined;

  constructor(private readonly options: ChainPassOptions) {
    this.horizon = options.lastSeal?.horizon ?? 0n;
  }

  async run(client: pg.ClientBase): Promise<void> {
    // All three are read along their keys; sorting the whole log would fill the disk of the server first.
    if (this.options.correlationId === undefined) await client.query('SET LOCAL enable_sort = off');
    await copyRows(client, everything(this.options.correlationId), EVENT_COLUMN_COUNT + 2, (row) => this.take(row));
    this.endStream();
  }

  private take(row: BinaryRow): void {
    const event = this.event.read(row);
    const stream = event.streamBytes;
    if (!this.stream?.equals(stream)) {
      this.endStream();
      this.beginStream(stream);
    }
    const kind = row.buffer.readInt32BE(row.starts[KIND_COLUMN]!);
    if (kind === EVENT) this.takeEvent(event);
    else {
      const version = kind === HEAD ? Number(row.buffer.readBigInt64BE(row.starts[NUMBER_COLUMN]!)) : event.version;
      if (version !== this.version || !event.hashBytes.equals(this.hash)) this.fits = false;
      if (kind === HEAD) this.takeHead(event);
      if (kind === SEALED) this.waitsForSeal = false;
    }
  }

  private takeHead(event: BinaryEvent): void {
    this.headSeen = true;
    const { type, stream } = this;
    // A row for a stream without events, whatever it says.
    if (type === undefined || !stream) {
      this.fits = false;
      return;
    }
    if (!isClosedRightly(stream.toString(), type, event.schemaVersion === 1)) this.fits = false;
    if (!this.correlation?.equals(event.correlationBytes)) this.fits = false;
  }

  private takeEvent(event: BinaryEvent): void {
    const { type } = event;
    if (!mayFollow(this.type, type)) this.fits = false;
    this.type = type;
    if (!this.correlation) this.correlation = Buffer.from(event.correlationBytes);
    else if (!this.correlation.equals(event.correlationBytes)) this.fits = false;
    const computed = event.hashAfter(this.hash);
    const { version, position } = event;
    if (computed.equals(event.hashBytes)) {
      this.hash = computed;
    } else {
      this.fits = false;
      this.hash = Buffer.from(event.hashBytes);
    }
    if (version !== this.version + 1 || position <= this.position) this.fits = false;
    if (event.transactionId < this.horizon) this.waitsForSeal = true;
    this.version = version;
    this.position = position;
    this.events += 1;
    if (this.events % this.options.progressEvery === 0) this.options.onProgress();
  }

  private beginStream(stream: Buffer): void {
    this.stream = Buffer.from(stream);
    this.streams += 1;
    this.version = 0;
    this.position = 0;
    this.hash = CHAIN_START;
    this.fits = true;
    this.headSeen = false;
    this.waitsForSeal = false;
    this.type = undefined;
    this.correlation = undefined;
  }

  private endStream(): void {
    if (!this.stream) return;
    if (!this.fits || !this.headSeen || this.waitsForSeal) this.faulty.push(this.stream.toString());
  }
}

/** The streams that the name of a job gives. */
function namedAs(correlationId: string): string {
  const phases = `phase-${correlationId.replaceAll(/[\\%_]/g, String.raw`\$&`)}-%`;
  return `stream_id = ${pg.escapeLiteral(`job-${correlationId}`)} OR stream_id LIKE ${pg.escapeLiteral(phases)}`;
}

/** Events, sealed heads and heads in one result. A head says in the place of the schema version whether its stream is closed. It has the greatest of all versions there, so that it comes last. */
function everything(correlationId: string | undefined): string {
  const literal = correlationId === undefined ? undefined : pg.escapeLiteral(correlationId);
  // Streams of the job's name as well: one that was given to another job, or of which the seals alone know, belongs to it all the same.
  const named = correlationId === undefined ? '' : namedAs(correlationId);
  const own = literal === undefined ? '' : ` WHERE correlation_id = ${literal} OR ${named}`;
  // A job whose row in streams was removed is still told by its events, and the other way round.
  const sealedOwn =
    literal === undefined
      ? ''
      : ` WHERE ${named} OR stream_id IN (SELECT stream_id FROM phaseline.events${own} UNION SELECT stream_id FROM phaseline.streams${own})`;
  const nothing = 'NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL';
  return `SELECT ${EVENT_COLUMNS_BINARY}, ${EVENT} AS kind, 0::bigint AS number FROM phaseline.events${own}
    UNION ALL SELECT stream_id, version, ${nothing}, hash, ${SEALED}, seal FROM phaseline.seal_heads${sealedOwn}
    UNION ALL SELECT stream_id, 9223372036854775807, NULL, NULL, closed::integer, NULL, correlation_id, NULL, NULL, NULL, NULL,
      hash, ${HEAD}, version FROM phaseline.streams${own}
    ORDER BY stream_id, version, kind`;
}
