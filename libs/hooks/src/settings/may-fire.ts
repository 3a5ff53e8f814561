import { commandBodySchema, type Guard, type HookPoint } from '@phaseline/domain';
import { pointRules } from '../protocol/hook-event.js';
import { getShownTool } from '../tools/show-call.js';
import { compileMatcher } from './matcher.js';

const compiled = new WeakMap<Guard, ReturnType<typeof compileMatcher>>();

/**
 * Whether a command guard has to be asked at a hook point about a call of this tool. Its condition (`if`) is checked where it runs. A guard
 * that cannot be read is asked, so that it fails.
 */
export function mayFire(guard: Guard, point: HookPoint, tool: string): boolean {
  if (pointRules[point].matched !== 'tool_name') return true;
  const known = compiled.get(guard);
  const matches = known ?? compileMatcher(commandBodySchema.safeParse(guard.body).data?.handler.matcher);
  if (!known) compiled.set(guard, matches);
  return typeof matches !== 'function' || matches(getShownTool(tool));
}
