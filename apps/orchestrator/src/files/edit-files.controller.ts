import { Readable } from 'node:stream';
import { applyDecorators, Controller, Delete, Headers, Param, Put, Query, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  controlResponseSchema,
  deleteFileQuerySchema,
  writeFileQuerySchema,
  type ControlResponse,
  type DeleteFileQuery,
  type WriteFileQuery,
} from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { hasJobEnded, type FileEdit } from '@phaseline/domain';
import { EventStore } from '@phaseline/event-store';
import { JobDriver } from '@phaseline/orchestration';
import { JobViews } from '@phaseline/projections';
import { JobRepository } from '@phaseline/repository';
import { normaliseNewPath, normalisePath } from '@phaseline/workspace';
import type { FastifyRequest } from 'fastify';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import {
  ApiControlHeaders,
  ControlHeadersParam,
  requireJobOutcome,
  type ControlHeaders,
} from '../jobs/control-headers.js';
import { jobIdOf } from '../jobs/job-id.js';
import { toJobSummary } from '../jobs/to-job-summary.js';
import { ApiProblem, jobNotFound } from '../problem/api-problem.js';
import { invalidRequest } from '../problem/validation.pipe.js';
import { JobHistory } from '../state/job-history.js';
import { limitFileBody } from './file-body.js';

const ApiEdit = (): MethodDecorator =>
  applyDecorators(
    Requires('files:write'),
    ApiParam({ name: 'path', type: String, description: 'Relative to the workspace, with "/".' }),
    ApiHeader({ name: 'if-match', required: false, description: 'ETag of the content that may be replaced.' }),
    ApiOkResponse({ standardSchema: controlResponseSchema }),
    ApiControlHeaders(),
  );

/** Changes of the files of a job by people, or by services acting for them. */
@ApiTags('files')
@ApiParam({ name: 'jobId', format: 'uuid' })
@Controller('v1/jobs/:jobId/files')
export class EditFilesController {
  constructor(
    private readonly driver: JobDriver,
    private readonly repository: JobRepository,
    private readonly history: JobHistory,
    private readonly views: JobViews,
    private readonly store: EventStore,
  ) {}

  @Put('*')
  @ApiEdit()
  @ApiOperation({
    operationId: 'writeFile',
    summary: 'Write a file of a job that has not ended',
    description:
      'The agent sees it in its next step, and is told who wrote it. Files that only the system writes are refused.',
  })
  @ApiConsumes('application/octet-stream')
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @ApiHeader({ name: 'if-none-match', required: false, description: '`*`: only if there is no such file.' })
  @ApiProblems(
    'invalid_request',
    'job_not_found',
    'request_refused',
    'file_changed',
    'request_too_large',
    'unsupported_media_type',
    'idempotency_conflict',
    'not_ready',
  )
  async write(
    @Param('jobId') id: string,
    @Req() request: FastifyRequest,
    @ControlHeadersParam() order: ControlHeaders,
    @Query({ schema: toDescribableQuery(writeFileQuerySchema) }) { reason, mode }: WriteFileQuery,
    @Headers('if-match') ifMatch: string | undefined,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
  ): Promise<ControlResponse> {
    const jobId = jobIdOf(id);
    const path = normaliseNewPath((request.params as { '*': string })['*']);
    if (!(request.body instanceof Readable))
      throw new ApiProblem('unsupported_media_type', 'Send the bytes of the file as application/octet-stream.');
    const expected = readExpected(ifMatch, ifNoneMatch);
    await this.assertEditable(jobId);
    const { hash, size } = await this.store.blobs.forJob(jobId).putStream(limitFileBody(request.body));
    const current = (await this.history.files(jobId))[path]?.mode;
    const isExecutable = mode === 'executable' || (mode === undefined && current === 'executable');
    const file = { hash, size, ...(isExecutable ? { mode: 'executable' as const } : {}) };
    return this.edit(jobId, { path, file, ...withoutAbsent({ reason, expected }) }, order);
  }

  @Delete('*')
  @ApiEdit()
  @ApiOperation({
    operationId: 'deleteFile',
    summary: 'Delete a file of a job that has not ended',
    description: 'The agent is told who deleted it. The content stays in the history.',
  })
  @ApiProblems(
    'invalid_request',
    'job_not_found',
    'file_not_found',
    'request_refused',
    'file_changed',
    'idempotency_conflict',
    'not_ready',
  )
  async remove(
    @Param('jobId') id: string,
    @Req() request: FastifyRequest,
    @ControlHeadersParam() order: ControlHeaders,
    @Query({ schema: toDescribableQuery(deleteFileQuerySchema) }) { reason }: DeleteFileQuery,
    @Headers('if-match') ifMatch: string | undefined,
  ): Promise<ControlResponse> {
    const jobId = jobIdOf(id);
    const path = normalisePath((request.params as { '*': string })['*']);
    return this.edit(jobId, { path, ...withoutAbsent({ reason, expected: readExpected(ifMatch, undefined) }) }, order);
  }

  /** Refuses before the content is stored. The decision checks the same again. */
  private async assertEditable(jobId: JobId): Promise<void> {
    const job = await this.repository.loadJob(jobId);
    if (!job) throw jobNotFound(jobId);
    if (hasJobEnded(job)) throw new ApiProblem('request_refused', `Not done: the job has ended: it is ${job.status}.`);
  }

  private async edit(jobId: JobId, edit: FileEdit, order: ControlHeaders): Promise<ControlResponse> {
    const request = { action: 'edit-file', actor: order.actor, edit } as const;
    const outcome = requireJobOutcome(jobId, await this.driver.control(jobId, request, order));
    if (outcome.kind === 'refused') throw new ApiProblem('request_refused', `Not done: ${outcome.reason}.`);
    if (outcome.kind === 'nothing-to-do' && !edit.file)
      throw new ApiProblem('file_not_found', `There is no file ${JSON.stringify(edit.path)} to delete.`);
    const view = await this.views.get(jobId);
    if (!view) throw jobNotFound(jobId);
    return { jobId, changed: outcome.kind === 'recorded', status: toJobSummary(view).status };
  }
}

/** Reads what the caller saw: a hash, or that there was no such file. */
function readExpected(ifMatch: string | undefined, ifNoneMatch: string | undefined): string | undefined {
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  if (ifMatch === undefined && ifNoneMatch?.trim() === '*') return 'none';
  const [, hash] = /^\s*"([0-9a-f]{64})"\s*$/.exec(ifMatch ?? '') ?? [];
  if (hash !== undefined && ifNoneMatch === undefined) return hash;
  throw invalidRequest([
    {
      path: ifMatch === undefined ? 'if-none-match' : 'if-match',
      message: 'expected one ETag in quotation marks as if-match, or * as if-none-match',
    },
  ]);
}

function withoutAbsent<Values extends object>(values: Values): { [Key in keyof Values]?: NonNullable<Values[Key]> } {
  const present = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [Key in keyof Values]?: NonNullable<Values[Key]> };
}
