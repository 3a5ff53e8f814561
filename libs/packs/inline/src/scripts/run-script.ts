import { scriptsSpec } from '@phaseline/pack-specs';
import { implementPack, type ToolRun } from '@phaseline/tools';
import { listNestedCalls, type CallState } from '@phaseline/domain';
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

const runScript: ToolRun<typeof scriptsSpec, 'run_script'> = async ({ state, callId }, { code }) => {
  const answers = listNestedCalls(state, callId).map(toAnswer);
  const outcome = await runInThread({ code, results: answers, limits: SCRIPT_LIMITS });
  if (outcome.kind === 'calls') return { content: '', nestedCalls: outcome.calls };
  const printed = outcome.printed.length > 0 ? `\n\nPrinted:\n${outcome.printed.join('\n')}` : '';
  if (outcome.kind === 'failed') throw new ToolError(outcome.code, `${outcome.message}${printed}`);
  return { content: `${outcome.text}${printed}` };
};

/** Tool that runs scripts which call other tools. */
export const scriptsPack = implementPack(scriptsSpec, { run_script: runScript });

function toAnswer(call: CallState): ScriptCallResult {
  const { name, status, result = '' } = call;
  const isRefused = call.status === 'denied';
  return { name, arguments: isRefused ? {} : call.arguments, isOk: status === 'completed', result, isRefused };
}
