import { z } from 'zod';
import type { JobId } from '@phaseline/contracts';
import type { ControlRequest } from '@phaseline/domain';
import type { Engine } from './engine.js';
import { offerTool } from './offer-tool.js';

/** Sends a control request of the person `ada`. */
export const requestControl = (subject: Engine, jobId: JobId, request: object) =>
  subject.driver.control(jobId, { actor: 'ada', reason: '', ...request } as ControlRequest);

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
