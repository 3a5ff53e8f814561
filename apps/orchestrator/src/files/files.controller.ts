import { Readable } from 'node:stream';
import { Controller, Get, Headers, Param, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiProduces, ApiTags } from '@nestjs/swagger';
import { atQuerySchema, fileListSchema, type AtQuery, type FileList } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { isEncryptedJob } from '@phaseline/domain';
import { ContentErased, EventStore } from '@phaseline/event-store';
import { BlobMissing, normalisePath } from '@phaseline/workspace';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { jobIdOf } from '../jobs/job-id.js';
import { ApiProblem } from '../problem/api-problem.js';
import { JobHistory } from '../state/job-history.js';
import { toFileList } from '../state/state-response.js';
import { parseByteRange } from './byte-range.js';
import { etagOf, buildFileHeaders, matchesEtag } from './file-headers.js';

/** Number of bytes that are read to distinguish text from other content. */
const SNIFFED_BYTES = 64 * 1024;

@ApiTags('files')
@Requires('files:read')
@Controller('v1/jobs/:jobId/files')
export class FilesController {
  constructor(
    private readonly history: JobHistory,
    private readonly store: EventStore,
  ) {}

  @Get()
  @ApiOperation({ operationId: 'listFiles', summary: "The files of a job's workspace, as of an event" })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiOkResponse({ standardSchema: fileListSchema })
  @ApiProblems('invalid_request', 'job_not_found', 'job_unreadable')
  async list(
    @Param('jobId') id: string,
    @Query({ schema: toDescribableQuery(atQuerySchema) }) { at }: AtQuery,
  ): Promise<FileList> {
    const jobId = jobIdOf(id);
    return { jobId, items: toFileList(await this.history.files(jobId, at)) };
  }

  @Get('*')
  @ApiOperation({
    operationId: 'readFile',
    summary: 'The bytes of a file, as of an event',
    description: 'Always an attachment, never of a type that a browser runs. Supports Range.',
  })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiParam({ name: 'path', type: String, description: 'Relative to the workspace, with "/".' })
  @ApiHeader({ name: 'if-none-match', required: false })
  @ApiHeader({ name: 'range', required: false })
  @ApiProduces('text/plain', 'application/octet-stream')
  @ApiOkResponse({ schema: { type: 'string', format: 'binary' } })
  @ApiProblems(
    ...(['invalid_request', 'job_not_found', 'job_unreadable', 'file_not_found'] as const),
    ...(['content_erased', 'file_removed', 'file_damaged'] as const),
  )
  async content(
    @Param('jobId') id: string,
    // Taken from the request: a decorator for the rest of a path would add a parameter named "*" to the OpenAPI
    // document.
    @Req() request: FastifyRequest,
    @Query({ schema: toDescribableQuery(atQuerySchema) }) { at }: AtQuery,
    @Headers('if-none-match') ifNoneMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable | undefined> {
    const jobId = jobIdOf(id);
    const path = normalisePath((request.params as { '*': string })['*']);
    const files = await this.history.files(jobId, at);
    const entry = Object.hasOwn(files, path) ? files[path] : undefined;
    if (!entry && isEncryptedJob(jobId) && (await this.history.at(jobId)).job.erased) throw new ContentErased(jobId);
    if (!entry) throw fileNotFound(jobId, path, at);
    if (matchesEtag(ifNoneMatch, entry.hash)) {
      void reply.status(304).header('etag', etagOf(entry.hash));
      return undefined;
    }
    const blobs = this.store.blobs.forJob(jobId);
    const beginning = await this.history.read(jobId, async () => {
      const bytes = await blobs.read(entry.hash, { offset: 0, length: SNIFFED_BYTES });
      if (!bytes) throw new BlobMissing(path, entry.hash);
      return bytes;
    });
    const range = parseByteRange(request.headers.range, entry.size);
    const parts = range === 'unsatisfiable' ? undefined : blobs.stream(entry.hash, range);
    // Every part is verified before it is sent, and the first one before any header is sent.
    const first = request.method === 'HEAD' ? undefined : await parts?.next();
    void reply.headers(buildFileHeaders(path, entry.hash, beginning));
    if (range === 'unsatisfiable') {
      void reply.status(416).headers({ 'content-range': `bytes */${entry.size}`, 'content-length': '0' });
      return undefined;
    }
    if (range) {
      const last = range.offset + range.length - 1;
      void reply.status(206).header('content-range', `bytes ${range.offset}-${last}/${entry.size}`);
    }
    void reply.header('content-length', String(range?.length ?? entry.size));
    if (!parts || !first || first.done) return Readable.from([]);
    return Readable.from(concat(first.value, parts), { objectMode: false });
  }
}

async function* concat(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

function fileNotFound(jobId: JobId, path: string, at: number | undefined): ApiProblem {
  const when = at === undefined ? 'has' : `had at position ${at}`;
  return new ApiProblem(
    'file_not_found',
    `Job ${jobId} ${when} no file ${JSON.stringify(path)}. List its files with: phaseline files list ${jobId} (GET /v1/jobs/${jobId}/files).`,
  );
}
