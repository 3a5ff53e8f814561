import { listNestedCalls, RUN_SCRIPT, type CallState } from '@phaseline/domain';
import { z } from 'zod';
import { defineInlineTool, type ToolPack } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';
import { runInThread, type ScriptCallResult, type ScriptLimits } from '@phaseline/sandbox';

export const SCRIPT_LIMITS: ScriptLimits = {
  calls: 100,
  memoryBytes: 64 * 1024 * 1024,
  stackBytes: 256 * 1024,
  interrupts: 2_000,
  promiseJobs: 200_000,
  argumentCharacters: 200_000,
  printedCharacters: 8_000,
};

export const runScript = defineInlineTool({
  name: RUN_SCRIPT,
  description:
    'Runs JavaScript that calls your tools, so that only what it returns comes back to you: await tools.NAME({…}) gives the text of the result, and throws where the call fails. Promise.all runs calls side by side. End with return. There are no files, network, timers, dates or randomness but through tools.',
  input: z.object({
    code: z
      .string()
      .min(1)
      .max(50_000)
      .describe('The body of an async function, such as: return await tools.read_file({ path: "a.txt" })'),
  }),
  run: async ({ state, callId }, { code }) => {
    const answers = listNestedCalls(state, callId).map(toAnswer);
    const outcome = await runInThread({ code, results: answers, limits: SCRIPT_LIMITS });
    if (outcome.kind === 'asks') return { content: '', nestedCalls: outcome.asks };
    const printed = outcome.printed.length > 0 ? `\n\nPrinted:\n${outcome.printed.join('\n')}` : '';
    if (outcome.kind === 'failed') throw new ToolError(outcome.code, `${outcome.message}${printed}`);
    return { content: `${outcome.text}${printed}` };
  },
});

/** Tool that runs scripts which call other tools. */
export const scriptsPack: ToolPack = { name: 'scripts', tools: [runScript] };

function toAnswer(call: CallState): ScriptCallResult {
  const { name, arguments: args, status, result = '' } = call;
  // A call that a person denied keeps its arguments; one that was never admitted has none.
  const refused = status === 'denied' && call.expiresAt === undefined;
  return { name, arguments: args, isOk: status === 'completed', result, isRefused: refused };
}
