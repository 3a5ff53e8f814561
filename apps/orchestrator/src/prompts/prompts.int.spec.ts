import { randomUUID } from 'node:crypto';
import { PhaselineClient } from '@phaseline/client';
import { buildModelCallStarted } from '@phaseline/domain/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
let jobId: string;

beforeAll(async () => {
  orchestrator = await startOrchestrator();
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
  ({ jobId } = await client.submit({ agent: 'writer', documents: [{ name: 'in.md', content: 'in' }] }));
  await orchestrator.inPhase(jobId, 1, [buildModelCallStarted(1)]);
});
afterAll(() => orchestrator.stop());

describe('the prompt of a model call', () => {
  it('is shown with the result of comparing its hash with the recorded one', async () => {
    const other = await client.prompt(jobId, 1, 1);
    expect(other).toMatchObject({ isExact: false, call: { step: 1, attempt: 1, purpose: 'work' } });
    expect(other.request.messages[0]?.content).toContain('You are the agent "writer"');
    expect(other.request.tools.map(({ name }) => name)).toContain('read_file');

    await orchestrator.inPhase(jobId, 1, [buildModelCallStarted(1, { requestHash: other.hash })]);
    expect(await client.prompt(jobId, 1, 1)).toMatchObject({ isExact: true, call: { attempt: 2 } });
    expect(await client.prompt(jobId, 1, 1, { attempt: 1 })).toMatchObject({ isExact: false });
    expect((await client.modelCalls(jobId, 1)).map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('is not found for jobs, phases, steps and attempts that do not exist, or that are no numbers', async () => {
    const codes = async (path: string) => {
      const { status, body } = await orchestrator.json(path);
      return [status, body['code']];
    };
    for (const path of ['9/steps', 'x/steps', '1/steps/9/prompt', '1/steps/0/prompt', '1/steps/1e0/prompt', '-1/steps'])
      expect(await codes(`/v1/jobs/${jobId}/phases/${path}`), path).toEqual([404, 'model_call_not_found']);
    expect(await codes(`/v1/jobs/${randomUUID()}/phases/1/steps/1/prompt`)).toEqual([404, 'job_not_found']);
    expect(await codes(`/v1/jobs/${jobId}/phases/1/steps/1/prompt?attempt=0`)).toEqual([400, 'invalid_request']);
    expect(await codes(`/v1/jobs/${jobId}/phases/1/steps/1/prompt?attempt=7`)).toEqual([404, 'model_call_not_found']);
  });
});
