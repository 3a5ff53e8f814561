import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { explainQuerySchema, explanationSchema, type ExplainQuery, type ExplanationResponse } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { isEncryptedJob } from '@phaseline/domain';
import { ContentErased, EventStore } from '@phaseline/event-store';
import { explainFile, EXPLAIN_LIMITS, type Unexplained } from '@phaseline/time-travel';
import { normalisePath } from '@phaseline/workspace';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { jobIdOf } from '../jobs/job-id.js';
import { ApiProblem, jobNotFound } from '../problem/api-problem.js';
import { JobHistory } from '../state/job-history.js';

/** Explains who wrote the lines of a file, and what they cite. */
@ApiTags('files')
@ApiParam({ name: 'jobId', format: 'uuid' })
@Requires('files:read')
@Controller('v1/jobs/:jobId/explain')
export class ExplainController {
  constructor(
    private readonly history: JobHistory,
    private readonly store: EventStore,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'explainFile',
    summary: 'Who wrote each line of a file, from which prompt, and what it cites',
    description: `For text files of up to ${EXPLAIN_LIMITS.bytes} bytes and ${EXPLAIN_LIMITS.lines} lines.`,
  })
  @ApiOkResponse({ standardSchema: explanationSchema })
  @ApiProblems(
    ...(['invalid_request', 'job_not_found', 'job_unreadable', 'file_not_found', 'file_not_explainable'] as const),
    ...(['content_erased', 'file_removed', 'file_damaged'] as const),
  )
  async explain(
    @Param('jobId') id: string,
    @Query({ schema: toDescribableQuery(explainQuerySchema) }) query: ExplainQuery,
  ): Promise<ExplanationResponse> {
    const jobId = jobIdOf(id);
    const path = normalisePath(query.path);
    if (isEncryptedJob(jobId) && (await this.history.at(jobId)).job.erased) throw new ContentErased(jobId);
    const options = { path, line: query.line, position: query.at };
    const found = await this.history.read(jobId, () => explainFile(this.store, jobId, options));
    if (found.kind === 'no-such-job') return this.history.throwNotFound(jobId, query.at);
    if (found.kind !== 'explained') throw toProblem(jobId, path, query, found);
    const { kind: _kind, ...explanation } = found;
    return explanationSchema.parse({ jobId, ...explanation });
  }
}

function toProblem(jobId: JobId, path: string, { at, line }: ExplainQuery, found: Unexplained): ApiProblem {
  const file = JSON.stringify(path);
  switch (found.kind) {
    case 'no-such-job':
      return jobNotFound(jobId);
    case 'no-such-file': {
      const when = at === undefined ? 'has' : `had at position ${at}`;
      const hint =
        found.similar.length > 0
          ? `Did you mean ${found.similar.map((one) => JSON.stringify(one)).join(' or ')}?`
          : `List its files with: phaseline files list ${jobId} (GET /v1/jobs/${jobId}/files).`;
      return new ApiProblem('file_not_found', `Job ${jobId} ${when} no file ${file}. ${hint}`);
    }
    case 'no-such-line': {
      const message = `${file} has ${found.lines} ${found.lines === 1 ? 'line' : 'lines'}, so it has no line ${line}.`;
      return new ApiProblem('invalid_request', message, { errors: [{ path: 'line', message }] });
    }
    case 'not-text':
      return new ApiProblem(
        'file_not_explainable',
        `${file} is not a text file in UTF-8, so it has no lines. Find the events that wrote it with: phaseline events ${jobId} --type FileWritten.`,
      );
    case 'too-large': {
      const size = found.lines === undefined ? `${found.size} bytes` : `${found.lines} lines`;
      return new ApiProblem(
        'file_not_explainable',
        `${file} has ${size}. Files of up to ${EXPLAIN_LIMITS.bytes} bytes and ${EXPLAIN_LIMITS.lines} lines can be explained. ` +
          `Find the events that wrote it with: phaseline events ${jobId} --type FileWritten.`,
      );
    }
  }
}
