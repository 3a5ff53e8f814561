import { z } from 'zod';
import type { CallId, JobId } from '@phaseline/contracts';
import type { ControlRequest } from '@phaseline/domain';
import { hashArguments } from '@phaseline/orchestration';
import type { Engine } from './engine.js';
import { offerTool } from './offer-tool.js';

/** Sends a control request of the person `ada`. */
export async function requestControl(subject: Engine, jobId: JobId, request: object) {
  const argumentsHash = 'callId' in request ? await hashArgumentsOf(subject, jobId, String(request.callId)) : undefined;
  return subject.driver.control(jobId, {
    actor: 'ada',
    reason: '',
    argumentsHash,
    ...request,
  } as unknown as ControlRequest);
}

/** Returns the hash of the arguments of a call in the active phase, to which an approval is bound. */
export async function hashArgumentsOf(
  subject: Pick<Engine, 'repository'>,
  jobId: JobId,
  callId: CallId,
): Promise<string> {
  const job = await subject.repository.loadJob(jobId);
  const phase = job?.active && (await subject.repository.loadPhase(jobId, job.active.phase));
  const call = phase?.calls.byId[callId];
  return hashArguments(call && call.status !== 'denied' ? call.arguments : {});
}

/** Options of an engine whose agent has a remote tool `fetch` that adds the id of each call to `runs`. */
export const withFetchTool = (runs: string[]) =>
  offerTool({
    name: 'fetch',
    effect: 'pure',
    timeoutMs: 5_000,
    input: z.object({}),
    run: async (context) => {
      runs.push(context.callId);
      return { content: 'fetched' };
    },
  });
