import { setTimeout as sleep } from 'node:timers/promises';
import type { EventId, StreamId } from '@phaseline/contracts';
import { getSchemaVersion, type JobEvent, type PhaseEvent } from '@phaseline/domain';
import {
  type createPool,
  DatabaseUnreachable,
  EventStore,
  type AppendResult,
  type NewEvent,
  type StreamAppend,
} from '@phaseline/event-store';
import { SeededRandom } from '@phaseline/harness';
import { FATES, Journal } from './journal.js';
import { SOAK_JOB_END, drawJobEvent, SOAK_PHASE_END, drawPhaseEvent, createSoakSubmitted } from './soak-events.js';
import {
  ANY_WRITER,
  PHASES_PER_JOB,
  createSoakEventId,
  createSoakJobId,
  createSoakStreamId,
  toStreamNumber,
} from './soak-ids.js';

type Pool = ReturnType<typeof createPool>;

export interface WriterOptions {
  readonly pool: Pool;
  readonly seed: number;
  /** Number of the writer, from 0. */
  readonly writer: number;
  /** Number of commands of this writer. */
  readonly commands: number;
  /** Number of commands after which a new job replaces the oldest one. */
  readonly commandsPerJob: number;
  /** Time for which an append is retried while the database is unreachable; with 0, its outcome may stay unknown. */
  readonly retryForMs: number;
  readonly onProgress?: (commands: number) => void;
}

export interface WriterFigures {
  acknowledged: number;
  /** Repetitions of acknowledged appends, answered with the same versions. */
  repeated: number;
  /** Number of refused appends by error code. */
  readonly refused: Record<string, number>;
  /** Number of appends with unknown outcome. */
  unknown: number;
  /** Wrong responses of the store; empty if there are none. */
  readonly violations: string[];
}

/** Number of jobs that receive commands at the same time, from all writers. */
const CONCURRENT_JOBS = 24;
/** Concurrent commands per writer. */
const CONCURRENT_COMMANDS = 8;
/** Error codes that random commands are expected to cause. */
const EXPECTED_CODES = new Set([
  'wrong_expected_version',
  'stream_closed',
  'duplicate_event_id',
  'correlation_mismatch',
]);

interface Sent {
  readonly appends: readonly StreamAppend[];
  /** Numbers of the events in the journal, append by append. */
  readonly sequences: readonly (readonly number[])[];
}

/**
 * Sends random commands: appends with the right, a stale or any expected version, to one or several streams, closing appends, repetitions,
 * reused ids, wrong correlations. Records the responses in a journal.
 */
export class SoakWriter {
  readonly journal = Journal.empty();
  readonly figures: WriterFigures = { acknowledged: 0, repeated: 0, refused: {}, unknown: 0, violations: [] };
  private readonly random: SeededRandom;
  private readonly store: EventStore;
  /** Last known version by stream number. */
  private readonly versions = new Map<number, number>();
  private readonly begun = new Set<number>();
  private recent: { sent: Sent; results: readonly AppendResult[] }[] = [];
  private command = 0;

  constructor(private readonly options: WriterOptions) {
    this.random = new SeededRandom(options.seed * 7_919 + options.writer);
    this.store = new EventStore(options.pool, { unreachableRetryMs: options.retryForMs });
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: CONCURRENT_COMMANDS }, () => this.runCommands()));
    await this.store.close();
  }

  private async runCommands(): Promise<void> {
    while (this.command < this.options.commands) {
      const command = this.command++;
      await this.runCommand(command);
      if (command % 500 === 0) this.options.onProgress?.(command);
    }
  }

  private async runCommand(command: number): Promise<void> {
    const { random } = this;
    const job = Math.floor(command / this.options.commandsPerJob) + random.between(0, CONCURRENT_JOBS - 1);
    if (!this.begun.has(job)) {
      await this.begin(job);
      return;
    }
    if (this.recent.length > 0 && random.chance(0.08)) {
      await this.repeat(random.pick(this.recent));
      return;
    }
    await this.send(this.draw(command, job));
  }

  /** Submits a job. Every writer sends this event; only one of them is recorded. */
  private async begin(job: number): Promise<void> {
    const jobId = createSoakJobId(this.options.seed, job);
    const event = this.event(createSoakSubmitted(jobId), createSoakEventId(ANY_WRITER, job));
    const append = {
      streamId: createSoakStreamId(this.options.seed, toStreamNumber(job, 0)),
      correlationId: jobId,
      expectedVersion: 0,
      events: [event],
    };
    for (;;) {
      try {
        const [result] = await this.store.append(append);
        if (result!.version !== 1) this.figures.violations.push(`job ${job} began at version ${result!.version}`);
        this.begun.add(job);
        this.figures.acknowledged += 1;
        return;
      } catch (error) {
        if (!(error instanceof DatabaseUnreachable)) throw error;
        await sleep(50);
      }
    }
  }

  /** Repeats an append, which must change nothing and return the same result. */
  private async repeat({ sent, results }: { sent: Sent; results: readonly AppendResult[] }): Promise<void> {
    try {
      const again = await this.store.append(sent.appends);
      const isSame = again.every(
        (result, index) =>
          result.alreadyDone &&
          result.version === results[index]!.version &&
          result.position === results[index]!.position,
      );
      if (!isSame)
        this.figures.violations.push(
          `a repeated append returned ${JSON.stringify(again)} instead of ${JSON.stringify(results)}`,
        );
      this.figures.repeated += 1;
    } catch (error) {
      if (!(error instanceof DatabaseUnreachable))
        this.figures.violations.push(`a repeated append was refused: ${String(error)}`);
    }
  }

  private draw(command: number, job: number): Sent {
    const { random } = this;
    const { seed } = this.options;
    const streams = random.chance(0.2)
      ? [0, random.between(1, PHASES_PER_JOB)]
      : [random.chance(0.15) ? 0 : random.between(1, PHASES_PER_JOB)];
    const reused = random.chance(0.005) ? this.recent[0]?.sent.sequences[0]?.[0] : undefined;
    const sequences: number[][] = [];
    const appends = streams.map((phase, place): StreamAppend => {
      const stream = toStreamNumber(job, phase);
      const isClosing = random.chance(phase === 0 ? 0.004 : 0.006);
      const drawn = Array.from({ length: random.between(1, 3) }, () =>
        phase === 0 ? drawJobEvent(random) : drawPhaseEvent(random),
      );
      if (isClosing) drawn.push(phase === 0 ? SOAK_JOB_END : SOAK_PHASE_END);
      const numbers = drawn.map(() => this.journal.add(command, stream));
      sequences.push(numbers);
      const events = drawn.map((event, index) =>
        this.event(event, createSoakEventId(this.options.writer, numbers[index]!)),
      );
      if (reused !== undefined && place === 0)
        events.push(this.event(drawn[0]!, createSoakEventId(this.options.writer, reused)));
      return {
        streamId: createSoakStreamId(seed, stream),
        // Sometimes the correlation of another job, for existing streams only: a new stream would belong to that job forever.
        correlationId: createSoakJobId(seed, this.versions.has(stream) && random.chance(0.005) ? job + 1 : job),
        expectedVersion: this.expectedVersion(stream),
        events,
        closesStream: isClosing,
      };
    });
    return { appends, sequences };
  }

  private expectedVersion(stream: number): number | 'any' {
    const seen = this.versions.get(stream) ?? 0;
    if (this.random.chance(0.5)) return 'any';
    return this.random.chance(0.1) ? Math.max(0, seen - this.random.between(1, 3)) : seen;
  }

  private async send(sent: Sent): Promise<void> {
    for (;;) {
      try {
        this.acknowledge(sent, await this.store.append(sent.appends));
        return;
      } catch (error) {
        if (!(error instanceof DatabaseUnreachable)) return this.refuse(sent, error as Error & { code?: string });
        this.figures.unknown += 1;
        // Half of them are not retried, as if the caller had died: the log may contain them completely or not at all.
        if (this.random.chance(0.5)) return;
        await sleep(20);
      }
    }
  }

  private acknowledge(sent: Sent, results: readonly AppendResult[]): void {
    for (const [index, { version }] of results.entries()) {
      const numbers = sent.sequences[index]!;
      for (const [place, number] of numbers.entries())
        this.journal.setFate(number, FATES.acknowledged, version - numbers.length + 1 + place);
      const { stream } = this.journal.entry(numbers[0]!);
      this.versions.set(stream, Math.max(version, this.versions.get(stream) ?? 0));
    }
    this.figures.acknowledged += 1;
    this.recent.push({ sent, results });
    if (this.recent.length > 40) this.recent = this.recent.slice(20);
  }

  private refuse(sent: Sent, error: Error & { code?: string; actual?: number; streamId?: StreamId }): void {
    const code = error.code ?? error.name;
    this.figures.refused[code] = (this.figures.refused[code] ?? 0) + 1;
    if (!EXPECTED_CODES.has(code)) this.figures.violations.push(`an append failed: ${String(error)}`);
    for (const numbers of sent.sequences) for (const number of numbers) this.journal.setFate(number, FATES.refused);
    if (error.actual === undefined) return;
    const index = sent.appends.findIndex(({ streamId }) => streamId === error.streamId);
    const number = sent.sequences[index]?.[0];
    if (number !== undefined) this.versions.set(this.journal.entry(number).stream, error.actual);
  }

  private event({ type, data }: JobEvent | PhaseEvent, eventId: EventId): NewEvent {
    return {
      eventId,
      type,
      schemaVersion: getSchemaVersion(type),
      data: data as NewEvent['data'],
      metadata: { actor: { id: 'soak', kind: 'process' } },
    };
  }
}
