import type { JobId } from '@phaseline/contracts';
import { anyAgentPolicy, REHEARSAL_MODEL, startRehearsalServer } from '@phaseline/rehearsal';
import { expect } from 'vitest';
import { startAgentStack, type AgentStack } from '../system/agent-stack.fixture.js';
import { startBrowser, type DashboardBrowser } from './browser.fixture.js';

const ASKER = `name: asker
displayName: Asker
description: Asks a person which colour the result should have.
tools:
  workspace: [read_file, write_file, append_file]
  domain: [ask_person]
deliverables: [output/result.md]
`;

const CAREFUL = `name: careful
displayName: Careful
description: Writes a result that a person has to approve.
tools:
  workspace: [read_file, write_file, append_file]
approvals: { tools: [write_file] }
deliverables: [output/result.md]
`;

const WRITER = `name: writer
displayName: Writer
description: Writes a result about a document.
tools:
  workspace: [read_file, write_file, append_file]
deliverables: [output/result.md]
`;

export interface DashboardSystem extends AgentStack {
  readonly browser: DashboardBrowser;
  /** Submits a job with a short document, and waits until it has the status or waits for a person. */
  runJob(agent: string, until: 'completed' | 'waiting', labels?: Readonly<Record<string, string>>): Promise<JobId>;
}

/** Starts all services with three agents and a scripted model, and a browser. Needs compiled sources (`npm run compile`). */
export async function startDashboardSystem(
  options: { readonly latencyMs?: number; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<DashboardSystem> {
  const model = await startRehearsalServer({ policies: [anyAgentPolicy], latencyMs: options.latencyMs ?? 20 });
  const system = await startAgentStack({ asker: ASKER, careful: CAREFUL, writer: WRITER }, model.baseUrl, {
    env: { PHASELINE_MODEL: REHEARSAL_MODEL, ...options.env },
  });
  const browser = await startBrowser(system.stack.apiUrl);
  const { client } = system;
  return {
    ...system,
    browser,
    runJob: async (agent, until, labels = {}) => {
      const { jobId } = await client.submit({
        agent,
        labels,
        documents: [{ name: 'note.md', content: '# Note\n\nThe report must be blue.\n' }],
      });
      await expect
        .poll(async () => describeProgress(await client.get(jobId)), { timeout: 60_000, interval: 200 })
        .toBe(until);
      return jobId;
    },
    close: async () => {
      await browser.close();
      await system.close();
      await model.close();
    },
  };
}

function describeProgress({ status, waitsFor }: Awaited<ReturnType<AgentStack['client']['get']>>): string {
  return waitsFor?.kind === 'approval' || waitsFor?.kind === 'question' ? 'waiting' : status;
}
