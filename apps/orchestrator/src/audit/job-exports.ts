import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { exportLog, readAuditKey } from '@phaseline/audit';
import type { JobId } from '@phaseline/contracts';
import { createPool, openColdStorage } from '@phaseline/event-store';
import { InjectConfig, InjectShutdownSignal } from '@phaseline/service';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { ApiProblem } from '../problem/api-problem.js';

/** Number of exports at a time. Each needs a connection, and room for the job and its archive on the disk. */
const MAX_EXPORTS = 2;

/** Makes verifiable exports of jobs, as one compressed archive each. */
@Injectable()
export class JobExports {
  private running = 0;

  constructor(
    @InjectConfig() private readonly config: OrchestratorConfig,
    @InjectShutdownSignal() private readonly shutdown: AbortSignal,
  ) {}

  /**
   * Exports a job to a temporary folder, and returns it as a stream (tar, gzip). The folder is removed when the stream ends or is
   * destroyed. Throws ApiProblem if no key can sign the export, or too many are being made.
   */
  async create(
    jobId: JobId,
    { withFiles, signal }: { readonly withFiles: boolean; readonly signal: AbortSignal },
  ): Promise<Readable> {
    const keyFile = this.config.PHASELINE_AUDIT_KEY_FILE;
    if (keyFile === undefined)
      throw new ApiProblem(
        'request_refused',
        `This server has no key that could sign an export: set PHASELINE_AUDIT_KEY_FILE, or run: phaseline audit export ${jobId}`,
      );
    if (this.running >= MAX_EXPORTS)
      throw new ApiProblem('request_refused', `The server makes ${this.running} exports already. Try again later.`);
    this.running += 1;
    const folder = await mkdtemp(join(tmpdir(), 'phaseline-export-'));
    const finish = async (): Promise<void> => {
      this.running -= 1;
      await rm(folder, { recursive: true, force: true });
    };
    try {
      const name = `job-${jobId}`;
      await this.write(jobId, {
        ...{ folder: join(folder, name), keyFile, withFiles },
        signal: AbortSignal.any([signal, this.shutdown]),
      });
      // Few processes ever export, so the package is loaded only then.
      const { create } = await import('tar');
      const file = join(folder, 'archive');
      // `portable` leaves out the accounts of this machine.
      await create({ file, cwd: folder, gzip: true, portable: true }, [name]);
      return createReadStream(file).once('close', () => void finish());
    } catch (error) {
      await finish();
      throw error;
    }
  }

  private async write(
    jobId: JobId,
    options: {
      readonly folder: string;
      readonly keyFile: string;
      readonly withFiles: boolean;
      readonly signal: AbortSignal;
    },
  ): Promise<void> {
    const { folder, keyFile, withFiles, signal } = options;
    const key = await readAuditKey(keyFile);
    const pool = createPool(this.config.DATABASE_URL, { max: 1, applicationName: 'phaseline-audit' });
    try {
      const cold = openColdStorage(this.config);
      await exportLog(pool, { folder, key, now: () => new Date(), jobs: [jobId], cold, withFiles, signal });
    } finally {
      await pool.end();
    }
  }
}
