import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallId, JobId } from '@phaseline/contracts';
import { faultPoint } from '@phaseline/fault-points';
import { defineRemoteTool, type RemoteToolContext, type ToolPack } from '@phaseline/tools';
import { z } from 'zod';
import { partFile, partText } from './chaos-job.js';

/** One effect of a tool outside the system; one line of the effects file. */
export interface Effect {
  readonly tool: string;
  readonly jobId: JobId;
  readonly callId: CallId;
  /** Milliseconds since 1970 on the machine's real clock. */
  readonly at: number;
  readonly pid: number;
}

/** Time that a tool spends before its effect, and again after it. */
const PAUSE_AROUND_EFFECT_MS = 40;

const place = z.object({ round: z.int().min(1), todo: z.int().min(1) });

/**
 * Tools of the chaos agent, one per kind of effect. Each appends a line to a file that Phaseline does not know, so that real
 * effects can be compared with the log.
 */
export function createChaosPack(effectsFile: string): ToolPack {
  const recordEffect = async (tool: string, { jobId, callId, signal }: RemoteToolContext): Promise<void> => {
    await sleep(PAUSE_AROUND_EFFECT_MS, undefined, { signal });
    const subject = `${jobId}/${callId}`;
    if (tool === ONCE_TOOL) faultPoint('tool.before-effect', subject);
    const line: Effect = { tool, jobId, callId, at: Date.now(), pid: process.pid };
    appendFileSync(effectsFile, `${JSON.stringify(line)}\n`);
    if (tool === ONCE_TOOL) faultPoint('tool.after-effect', subject);
    else faultPoint('tool.during-repeatable', subject);
    await sleep(PAUSE_AROUND_EFFECT_MS, undefined, { signal });
  };
  return {
    name: 'chaos',
    tools: [
      defineRemoteTool({
        name: ONCE_TOOL,
        description: 'Does something that must not be done twice.',
        input: place,
        effect: 'once',
        timeoutMs: 30_000,
        run: async (context, { round, todo }) => {
          await recordEffect(ONCE_TOOL, context);
          return { content: `ok: paid for round ${round}, todo ${todo}` };
        },
      }),
      defineRemoteTool({
        name: 'look_up',
        description: 'Looks something up.',
        input: place,
        effect: 'pure',
        timeoutMs: 30_000,
        run: async (context, { round, todo }) => {
          await recordEffect('look_up', context);
          return { content: `ok: round ${round}, todo ${todo}` };
        },
      }),
      defineRemoteTool({
        name: 'put_part',
        description: 'Writes a part of the result.',
        input: place,
        effect: 'idempotent',
        timeoutMs: 30_000,
        run: async (context, { round, todo }) => {
          await recordEffect('put_part', context);
          const content = new TextEncoder().encode(partText(round, todo));
          return { content: 'ok: written', files: [{ path: partFile(round, todo), content }] };
        },
      }),
    ],
  };
}

/** The tool with effect `once`. */
export const ONCE_TOOL = 'pay_once';

/** The shipped tool that runs commands. */
export const COMMAND_TOOL = 'run_command';

/** The shipped tool that delegates to another agent. */
export const DELEGATE_TOOL = 'delegate';

/** The shipped tool that asks a person. */
export const ASK_TOOL = 'ask_person';
