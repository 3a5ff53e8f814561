import { randomUUID } from 'node:crypto';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { readReceipts, verifyLog } from '@phaseline/audit';
import type { Verification } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { createPool, openColdStorage } from '@phaseline/event-store';
import { InjectConfig, InjectLogger, InjectShutdownSignal } from '@phaseline/service';
import type { Logger } from 'pino';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { ApiProblem } from '../problem/api-problem.js';
import { toVerificationReport } from './to-audit-records.js';

/** Number of verifications that are remembered, with their reports. */
const MAX_REMEMBERED = 20;

interface Scope {
  readonly jobId?: JobId | undefined;
  readonly files: boolean;
  readonly claims: boolean;
}

/** A verification while it runs: the progress changes. */
type Run = { -readonly [Key in keyof Verification]: Verification[Key] };

/**
 * Verifies the log in this process, one verification at a time. It reads rows as the database sends them, on connections of its own, so
 * requests are served between them and memory stays bounded.
 */
@Injectable()
export class LogVerifications implements BeforeApplicationShutdown {
  private readonly runs = new Map<string, Run>();
  private current: { readonly run: Run; readonly scope: Scope; readonly ended: Promise<void> } | undefined;

  constructor(
    @InjectConfig() private readonly config: OrchestratorConfig,
    @InjectLogger() private readonly logger: Logger,
    @InjectShutdownSignal() private readonly shutdown: AbortSignal,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.current?.ended;
  }

  get(id: string): Verification | undefined {
    return this.runs.get(id);
  }

  /** Starts a verification, or returns the running one if it is the same. Throws ApiProblem if another one runs. */
  start(scope: Scope): Verification {
    if (this.current) {
      const { run, scope: other } = this.current;
      if (other.jobId === scope.jobId && other.files === scope.files && other.claims === scope.claims) return run;
      throw new ApiProblem(
        'request_refused',
        `The server is verifying ${describeScope(other)}. Wait until it has ended, or run: phaseline audit verify`,
      );
    }
    const run: Run = {
      ...{ id: randomUUID(), status: 'running', startedAt: new Date().toISOString() },
      ...(scope.jobId === undefined ? {} : { jobId: scope.jobId }),
      progress: { events: 0, totalEvents: 0, files: 0, bytes: 0, claims: 0 },
    };
    this.runs.set(run.id, run);
    // Maps iterate in insertion order, so this forgets the oldest.
    for (const id of this.runs.keys()) if (this.runs.size > MAX_REMEMBERED) this.runs.delete(id);
    this.current = { run, scope, ended: this.execute(run, scope) };
    return run;
  }

  /** Never rejects: the outcome is in the run. */
  private async execute(run: Run, scope: Scope): Promise<void> {
    try {
      run.report = toVerificationReport(await this.verify(run, scope));
      run.status = 'completed';
    } catch (error) {
      run.status = this.shutdown.aborted ? 'cancelled' : 'failed';
      run.failure = this.shutdown.aborted ? 'The process was stopped.' : describeFailure(error);
      if (!this.shutdown.aborted) this.logger.warn({ error, verification: run.id }, 'the log could not be verified');
    }
    run.endedAt = new Date().toISOString();
    this.current = undefined;
  }

  private async verify(run: Run, { jobId, files, claims }: Scope): ReturnType<typeof verifyLog> {
    const pool = createPool(this.config.DATABASE_URL, { max: 2, applicationName: 'phaseline-audit' });
    const advance = (done: Partial<Verification['progress']>): void => {
      run.progress = { ...run.progress, ...done };
    };
    try {
      return await verifyLog(pool, {
        correlationId: jobId,
        cold: openColdStorage(this.config),
        receipts: jobId === undefined ? await this.readReceipts() : [],
        withFiles: files,
        withClaims: claims,
        signal: this.shutdown,
        onProgress: (events, totalEvents) => advance({ events, totalEvents }),
        onFiles: (count, bytes) => advance({ files: count, bytes }),
        onClaims: (_jobs, count) => advance({ claims: count }),
      });
    } finally {
      await pool.end();
    }
  }

  private async readReceipts(): ReturnType<typeof readReceipts> {
    const folder = this.config.PHASELINE_AUDIT_RECEIPTS_DIR;
    return folder === undefined ? [] : readReceipts(folder);
  }
}

function describeScope({ jobId }: Scope): string {
  return jobId === undefined ? 'the whole log' : `job ${jobId}`;
}

function describeFailure(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
