import type { ChatMessage } from '@phaseline/contracts';
import type { Roll } from '@phaseline/harness';

/** Beginning of a request to reflect on a failed attempt. */
const REQUEST = 'You reflect on an attempt';

/** The agent that is asked to reflect on a failed attempt; `undefined` for any other request. */
export function findReflectingAgent([system, attempt]: readonly ChatMessage[]): string | undefined {
  if (!system?.content.startsWith(REQUEST)) return undefined;
  return /^Tried again by the agent: (\S+)$/m.exec(attempt?.content ?? '')?.[1];
}

/** What the model answers: most answers name a file of the attempt. */
export function drawReflection(roll: Roll): string {
  return roll.happens(0.8) ? 'output/report.md was not there; write it first.' : 'I will be more careful next time.';
}
