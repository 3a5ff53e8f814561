import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { faultPoint } from '@phaseline/fault-points';
import { runnerTool, type RunnerContext, type ToolPack } from '@phaseline/tools';
import { z } from 'zod';
import { partFile, partText } from './chaos-job.js';

/** What a tool did outside of the system; one line each in the file of effects. */
export interface Effect {
  readonly tool: string;
  readonly jobId: string;
  readonly callId: string;
  /** Milliseconds since 1970, by the clock of this machine. */
  readonly at: number;
  readonly pid: number;
}

/** How long a tool takes before and after its effect. */
const HALF_MS = 40;

const place = z.object({ round: z.int().min(1), todo: z.int().min(1) });

/**
 * The tools of the chaos agent, one for each effect. Each writes a line to a file that Phaseline knows nothing of, so that what
 * really happened can be compared with what the log says.
 */
export function chaosPack(effectsFile: string): ToolPack {
  const effect = async (tool: string, { jobId, callId, signal }: RunnerContext): Promise<void> => {
    await sleep(HALF_MS, undefined, { signal });
    const subject = `${jobId}/${callId}`;
    if (tool === ONCE_TOOL) faultPoint('tool.before-effect', subject);
    const line: Effect = { tool, jobId, callId, at: Date.now(), pid: process.pid };
    appendFileSync(effectsFile, `${JSON.stringify(line)}\n`);
    if (tool === ONCE_TOOL) faultPoint('tool.after-effect', subject);
    else faultPoint('tool.during-repeatable', subject);
    await sleep(HALF_MS, undefined, { signal });
  };
  return {
    name: 'chaos',
    tools: [
      runnerTool({
        name: ONCE_TOOL,
        description: 'Does something that must not be done twice.',
        input: place,
        effect: 'once',
        timeoutMs: 30_000,
        run: async (context, { round, todo }) => {
          await effect(ONCE_TOOL, context);
          return { content: `ok: paid for round ${round}, todo ${todo}` };
        },
      }),
      runnerTool({
        name: 'look_up',
        description: 'Looks something up.',
        input: place,
        effect: 'pure',
        timeoutMs: 30_000,
        run: async (context, { round, todo }) => {
          await effect('look_up', context);
          return { content: `ok: round ${round}, todo ${todo}` };
        },
      }),
      runnerTool({
        name: 'put_part',
        description: 'Writes a part of the result.',
        input: place,
        effect: 'idempotent',
        timeoutMs: 30_000,
        run: async (context, { round, todo }) => {
          await effect('put_part', context);
          const content = new TextEncoder().encode(partText(round, todo));
          return { content: 'ok: written', files: [{ path: partFile(round, todo), content }] };
        },
      }),
    ],
  };
}

/** The tool with effect `once`. */
export const ONCE_TOOL = 'pay_once';
