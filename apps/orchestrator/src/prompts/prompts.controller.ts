import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  modelCallListSchema,
  promptQuerySchema,
  promptSchema,
  type ModelCallList,
  type PromptQuery,
  type PromptResponse,
} from '@phaseline/client';
import { PROMPT_BUILDER } from '@phaseline/context';
import type { JobId } from '@phaseline/contracts';
import { ContentErased } from '@phaseline/event-store';
import { RecordedPrompts } from '@phaseline/time-travel';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { jobIdOf } from '../jobs/job-id.js';
import { ApiProblem } from '../problem/api-problem.js';
import { JobHistory } from '../state/job-history.js';

/** Shows what the model saw: the requests of model calls, rebuilt from the log. */
@ApiTags('prompts')
@ApiParam({ name: 'jobId', format: 'uuid' })
@ApiParam({ name: 'phase', type: Number })
@Requires('jobs:read')
@Controller('v1/jobs/:jobId/phases/:phase/steps')
export class PromptsController {
  constructor(
    private readonly history: JobHistory,
    private readonly prompts: RecordedPrompts,
  ) {}

  @Get()
  @ApiOperation({ operationId: 'listModelCalls', summary: 'The model calls of a phase, in order' })
  @ApiOkResponse({ standardSchema: modelCallListSchema })
  @ApiProblems('invalid_request', 'job_not_found', 'job_unreadable', 'model_call_not_found')
  async list(@Param('jobId') id: string, @Param('phase') phase: string): Promise<ModelCallList> {
    const jobId = await this.requireJob(id);
    const calls = await this.prompts.list(jobId, parseOrdinal(phase));
    if (calls.length === 0) throw callNotFound(`Phase ${clipPart(phase)} of job ${jobId} made no model call.`);
    return { items: [...calls] };
  }

  @Get(':step/prompt')
  @ApiOperation({
    operationId: 'readPrompt',
    summary: 'The request of a model call',
    description: 'Rebuilt from the log. "isExact" says whether its hash equals the recorded one.',
  })
  @ApiParam({ name: 'step', type: Number })
  @ApiOkResponse({ standardSchema: promptSchema })
  @ApiProblems(
    ...(['invalid_request', 'job_not_found', 'job_unreadable', 'model_call_not_found'] as const),
    ...(['content_erased', 'file_removed', 'file_damaged'] as const),
  )
  async read(
    @Param('jobId') id: string,
    @Param('phase') phase: string,
    @Param('step') step: string,
    @Query({ schema: toDescribableQuery(promptQuerySchema) }) { attempt }: PromptQuery,
  ): Promise<PromptResponse> {
    const jobId = await this.requireJob(id);
    const rebuilt = await this.history.read(jobId, () =>
      this.prompts.rebuild(jobId, parseOrdinal(phase), parseOrdinal(step), attempt),
    );
    if (!rebuilt) {
      const which = attempt === undefined ? '' : `, attempt ${attempt}`;
      throw callNotFound(
        `Job ${jobId} made no model call in phase ${clipPart(phase)}, step ${clipPart(step)}${which}. List the calls of the phase with: phaseline prompt ${jobId} --phase ${clipPart(phase)} (GET /v1/jobs/${jobId}/phases/${clipPart(phase)}/steps).`,
      );
    }
    return promptSchema.parse({ jobId, phase: Number(phase), rebuiltBy: PROMPT_BUILDER, ...rebuilt });
  }

  /** Throws ApiProblem `job_not_found`, and ContentErased, because the texts of an erased job are gone. */
  private async requireJob(id: string): Promise<JobId> {
    const jobId = jobIdOf(id);
    if ((await this.history.at(jobId)).job.erased) throw new ContentErased(jobId);
    return jobId;
  }
}

/** Returns a number that no phase or step has for text that is not a number, so that it is not found like any other. */
function parseOrdinal(text: string): number {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
}

function clipPart(text: string): string {
  return JSON.stringify(text.slice(0, 20)).slice(1, -1);
}

function callNotFound(message: string): ApiProblem {
  return new ApiProblem('model_call_not_found', message);
}
