import type { CallRecord } from './call-record.js';
import type { CallCheck } from './check.js';
import type { CheckInput } from './check-input.js';
import { buildFails, buildHolds, type CheckResult } from './check-result.js';
import { describeMatcher, findMismatches, type Matchers } from './matcher.js';
import { matchesGlob } from './pattern.js';

/** Evaluates whether calls were made and ended as the check demands. */
export function evaluateCallCheck(check: { readonly call: CallCheck }, input: CheckInput): CheckResult {
  const { call } = check;
  const min = call.min ?? 1;
  const candidates = input.calls.filter((record) => isInTime(call, record, input));
  const found = candidates.filter((record) => isWanted(call, record));
  if (found.length >= min) return buildHolds(check, { events: found.slice(0, min).map(({ event }) => event) });
  return buildFails(check, describeCall(call), describeFound(call, candidates, found.length));
}

function isInTime({ since = 'todo', before }: CallCheck, { order }: CallRecord, input: CheckInput): boolean {
  if (since === 'todo' && order <= input.todoFrom) return false;
  return before === undefined || order < (input.lastWrite(before) ?? 0);
}

function isWanted(call: CallCheck, record: CallRecord): boolean {
  const { args = {}, result = {}, outcome = 'completed' } = call;
  return (
    isNamed(call, record) &&
    (outcome === 'any' || record.outcome === outcome) &&
    findMismatches(args, record.arguments).length === 0 &&
    findMismatches(result, record.result).length === 0
  );
}

/** Whether a call is of a tool that the check names, whatever became of it. */
function isNamed({ tool, work }: CallCheck, { name, bookkeeping }: CallRecord): boolean {
  if (work && bookkeeping !== undefined) return false;
  return (typeof tool === 'string' ? [tool] : tool).some((one) => matchesGlob(one, name));
}

/** Describes the calls that a check demands. */
export function describeCall({ tool, args, result, outcome, since, before, work, min = 1 }: CallCheck): string {
  const anyTool = work ? 'a tool that works on the task' : 'any tool';
  const names = tool === '*' ? anyTool : [tool].flat().join(' or ');
  return [
    min === 1 ? `a call of ${names}` : `${min} calls of ${names}`,
    ...(args ? [`with ${describeMatchers(args)}`] : []),
    outcome === 'any' ? 'that has ended' : `that ${outcome ?? 'completed'}`,
    ...(result ? [`with the result ${describeMatchers(result)}`] : []),
    since === 'phase' ? 'in this phase' : 'for this todo',
    ...(before === undefined ? [] : [`before ${before} was written`]),
  ].join(' ');
}

function describeMatchers(matchers: Matchers): string {
  return Object.entries(matchers)
    .map(([name, matcher]) => `${name} that ${describeMatcher(matcher)}`)
    .join(' and ');
}

function describeFound(call: CallCheck, candidates: readonly CallRecord[], found: number): string {
  if (found > 0) return `${found} of them`;
  const named = candidates.filter((record) => isNamed(call, record));
  const last = named.at(-1);
  if (!last) return 'none';
  const { outcome = 'completed', args = {}, result = {} } = call;
  if (outcome !== 'any' && last.outcome !== outcome) return `${named.length}, the last of which ${last.outcome}`;
  const other = [...findMismatches(args, last.arguments), ...findMismatches(result, last.result)];
  return `${named.length}, the last of which had other values of ${other.join(', ')}`;
}
