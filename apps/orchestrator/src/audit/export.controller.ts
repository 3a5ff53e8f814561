import type { Readable } from 'node:stream';
import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProduces, ApiTags } from '@nestjs/swagger';
import { exportQuerySchema, type ExportQuery } from '@phaseline/client';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { jobIdOf } from '../jobs/job-id.js';
import { JobExports } from './job-exports.js';

@ApiTags('audit')
@Controller('v1/jobs/:jobId/export')
export class ExportController {
  constructor(private readonly exports: JobExports) {}

  @Get()
  @Requires('audit:read')
  @ApiOperation({
    operationId: 'exportJob',
    summary: 'A job as an archive that can be verified without a database',
    description:
      'A folder as `phaseline audit export` writes it (tar, gzip): events, anchors, a signed manifest, the program that checks them, and ' +
      'with `files=true` the content of files. The response begins when the folder is complete.',
  })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiProduces('application/gzip')
  @ApiOkResponse({ schema: { type: 'string', format: 'binary' } })
  @ApiProblems('invalid_request', 'forbidden', 'job_not_found', 'request_refused')
  async export(
    @Param('jobId') id: string,
    @Query({ schema: toDescribableQuery(exportQuerySchema) }) { files }: ExportQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable | undefined> {
    const jobId = jobIdOf(id);
    const isHead = request.method === 'HEAD';
    const closed = new AbortController();
    reply.raw.once('close', () => closed.abort());
    const archive = isHead
      ? undefined
      : await this.exports.create(jobId, { withFiles: files === 'true', signal: closed.signal });
    void reply.headers({
      'content-type': 'application/gzip',
      'content-disposition': `attachment; filename="job-${jobId}.tar.gz"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    return archive;
  }
}
