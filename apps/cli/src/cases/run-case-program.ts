import { caseMessageSchema, type CaseMessage, type CaseRequest } from '@phaseline/contracts';
import type { CommandContext } from '../command/command-context.js';
import { CasesFailed } from '../command/command-errors.js';
import { runEngineProgram } from '../process/run-engine-program.js';

/** Variables of this process that a real model needs. */
const OF_MODEL = ['OPENAI_BASE_URL', 'OPENAI_API_KEY', 'PHASELINE_MODEL', 'PHASELINE_CONTEXT_TOKENS'];

/** Runs the program that runs and makes cases, and yields what it reports. Throws NotBuilt, CasesFailed, or the reason of the signal. */
export function runCaseProgram(
  request: CaseRequest,
  { signal }: CommandContext,
  variables: Readonly<Record<string, string>> = {},
): AsyncGenerator<CaseMessage, void, undefined> {
  return runEngineProgram({
    program: 'case-program',
    request,
    messages: caseMessageSchema,
    variables,
    passedOn: OF_MODEL,
    signal,
    fail: (reason) => new CasesFailed(`The program of the cases ended early. ${reason}`),
  });
}
