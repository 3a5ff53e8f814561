import type { HookPoint } from '@phaseline/domain';
import { pointRules, toolPoints } from '../protocol/hook-event.js';
import { matchesRule, parsePermissionRule } from './condition.js';
import type { HookHandler } from './hook-handler.js';
import { compileMatcher } from './matcher.js';

/** The members of a hook's input that matchers and conditions are compared with. */
export interface MatchedInput {
  readonly hook_event_name: HookPoint;
  readonly cwd: string;
  readonly [name: string]: unknown;
}

/**
 * Returns the handlers that an input fires, in order. `root` is the working directory as hooks see it. Handlers that are identical but for
 * their matcher run once.
 */
export function selectHandlers<Handler extends HookHandler>(
  handlers: readonly Handler[],
  input: MatchedInput,
  root: string,
): readonly Handler[] {
  const seen = new Set<string>();
  return handlers.filter((handler) => {
    if (handler.point !== input.hook_event_name || !isMatched(handler, input) || !meetsCondition(handler, input, root))
      return false;
    const { name: _name, matcher: _matcher, ...rest } = handler;
    const key = JSON.stringify(rest);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function isMatched({ point, matcher }: HookHandler, input: MatchedInput): boolean {
  const { matched } = pointRules[point];
  if (matched === undefined) return true;
  const matches = compileMatcher(matcher);
  const value = input[matched];
  // A matcher that is not valid is refused at the import.
  return typeof matches !== 'function' || matches(typeof value === 'string' ? value : '');
}

function meetsCondition({ point, condition }: HookHandler, input: MatchedInput, root: string): boolean {
  if (condition === undefined) return true;
  if (!toolPoints.has(point)) return false;
  const rule = parsePermissionRule(condition);
  const tool = input['tool_name'];
  if (!rule || typeof tool !== 'string') return true;
  return matchesRule(rule, { tool, input: (input['tool_input'] ?? {}) as Readonly<Record<string, unknown>> }, root);
}
