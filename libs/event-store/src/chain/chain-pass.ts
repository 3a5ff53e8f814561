import type { JobId, StreamId } from '@phaseline/contracts';
import pg from 'pg';
import { BinaryEvent, EVENT_COLUMN_COUNT, EVENT_COLUMNS_BINARY } from './binary-event.js';
import { CHAIN_START } from './canonical-event.js';
import { isClosedFlagCorrect, canFollow } from './stream-end.js';
import { copyRows, type BinaryRow } from './copy-rows.js';

export interface ChainPassOptions {
  readonly correlationId?: JobId | undefined;
  readonly lastAnchor: { readonly horizon: bigint } | undefined;
  readonly progressEvery: number;
  readonly onProgress: () => void;
}

const EVENT = 0;
const ANCHORED = 1;
const HEAD = 2;
const KIND_COLUMN = EVENT_COLUMN_COUNT;
const NUMBER_COLUMN = EVENT_COLUMN_COUNT + 1;

/**
 * Reads the log once in the order of streams and versions, merged with the heads in anchors and in `streams`, each after the event it
 * describes. It only finds the faulty streams; `diagnoseStream` determines what is wrong with them.
 */
export class ChainPass {
  events = 0;
  streams = 0;
  readonly faultyStreams: StreamId[] = [];

  private readonly event = new BinaryEvent();
  private readonly horizon: bigint;
  private stream: Buffer | undefined;
  private version = 0;
  private position = 0;
  private hash: Buffer = CHAIN_START;
  private isValid = true;
  private hasHead = false;
  /** Whether an event was old enough to be anchored, but no anchor that covers it has been read yet. */
  private needsAnchor = false;
  private type: string | undefined;
  private correlation: Buffer | undefined;

  constructor(private readonly options: ChainPassOptions) {
    this.horizon = options.lastAnchor?.horizon ?? 0n;
  }

  async run(client: pg.ClientBase): Promise<void> {
    // Read all three tables by their keys; sorting the whole log would need too much disk space on the server.
    if (this.options.correlationId === undefined) await client.query('SET LOCAL enable_sort = off');
    await copyRows(client, buildQuery(this.options.correlationId), EVENT_COLUMN_COUNT + 2, (row) => this.takeRow(row));
    this.endStream();
  }

  private takeRow(row: BinaryRow): void {
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
      if (version !== this.version || !event.hashBytes.equals(this.hash)) this.isValid = false;
      if (kind === HEAD) this.takeHead(event);
      if (kind === ANCHORED) this.needsAnchor = false;
    }
  }

  private takeHead(event: BinaryEvent): void {
    this.hasHead = true;
    const { type, stream } = this;
    // A row in streams without any event is always invalid.
    if (type === undefined || !stream) {
      this.isValid = false;
      return;
    }
    if (!isClosedFlagCorrect(stream.toString(), type, event.schemaVersion === 1)) this.isValid = false;
    if (!this.correlation?.equals(event.correlationBytes)) this.isValid = false;
  }

  private takeEvent(event: BinaryEvent): void {
    const { type } = event;
    if (!canFollow(this.type, type)) this.isValid = false;
    this.type = type;
    if (!this.correlation) this.correlation = Buffer.from(event.correlationBytes);
    else if (!this.correlation.equals(event.correlationBytes)) this.isValid = false;
    const computed = event.hashAfter(this.hash);
    const { version, position } = event;
    if (computed.equals(event.hashBytes)) {
      this.hash = computed;
    } else {
      this.isValid = false;
      this.hash = Buffer.from(event.hashBytes);
    }
    if (version !== this.version + 1 || position <= this.position) this.isValid = false;
    if (event.transactionId < this.horizon) this.needsAnchor = true;
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
    this.isValid = true;
    this.hasHead = false;
    this.needsAnchor = false;
    this.type = undefined;
    this.correlation = undefined;
  }

  private endStream(): void {
    if (!this.stream) return;
    if (!this.isValid || !this.hasHead || this.needsAnchor) this.faultyStreams.push(this.stream.toString());
  }
}

/** Returns the SQL condition for streams named after a job. */
function streamsNamedAfter(correlationId: JobId): string {
  const phases = `phase-${correlationId.replaceAll(/[\\%_]/g, String.raw`\$&`)}-%`;
  return `stream_id = ${pg.escapeLiteral(`job-${correlationId}`)} OR stream_id LIKE ${pg.escapeLiteral(phases)}`;
}

/**
 * Builds the query for events, anchored heads and heads in one result. A head has the closed flag in the column of the schema version,
 * and the greatest possible version so that it is sorted last.
 */
function buildQuery(correlationId: JobId | undefined): string {
  const literal = correlationId === undefined ? undefined : pg.escapeLiteral(correlationId);
  // Includes streams named after the job: they belong to it even if they were moved to another job or exist only in anchors.
  const named = correlationId === undefined ? '' : streamsNamedAfter(correlationId);
  const own = literal === undefined ? '' : ` WHERE correlation_id = ${literal} OR ${named}`;
  // Find streams in both tables, in case the rows of one were removed.
  const anchoredOwn =
    literal === undefined
      ? ''
      : ` WHERE ${named} OR stream_id IN (SELECT stream_id FROM phaseline.events${own} UNION SELECT stream_id FROM phaseline.streams${own})`;
  const nulls = 'NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL';
  return `SELECT ${EVENT_COLUMNS_BINARY}, ${EVENT} AS kind, 0::bigint AS number FROM phaseline.events${own}
    UNION ALL SELECT stream_id, version, ${nulls}, hash, ${ANCHORED}, anchor FROM phaseline.anchored_heads${anchoredOwn}
    UNION ALL SELECT stream_id, 9223372036854775807, NULL, NULL, closed::integer, NULL, correlation_id, NULL, NULL, NULL, NULL,
      hash, ${HEAD}, version FROM phaseline.streams${own}
    ORDER BY stream_id, version, kind`;
}
