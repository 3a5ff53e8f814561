import type { JsonObject } from '@phaseline/basics';
import type { Matchers } from '@phaseline/checks';
import type { Pattern, PatternGroup } from '../patterns/extract-patterns.js';
import { describeCalls } from './describe-calls.js';
import { deriveRule } from './derive-rule.js';
import { quote, quoteName } from './quote.js';

/**
 * States in one line of Markdown what the agent should do about a pattern. The sentence is chosen by codes; what models and people wrote is quoted. Calls
 * are forbidden only if their predicate matches no accepted call of a completed job.
 */
export function describeLesson({ pattern, violations }: PatternGroup, accepted: readonly JsonObject[]): string {
  const calls = violations.flatMap(({ call }) => (call ? [call.arguments] : []));
  const derived = deriveRule(calls, accepted);
  const alternatives = 'alternatives' in derived ? derived.alternatives : undefined;
  const why = violations.findLast((one) => one.why !== undefined)?.why;
  const reason = why === undefined ? '' : ` The newest reason, quoted: ${quote(why)}.`;
  return `- ${chooseSentence(pattern, alternatives)}${reason}`;
}

function chooseSentence(pattern: Pattern, alternatives: readonly Matchers[] | undefined): string {
  const { reason, tool, files, support, point, guard } = pattern;
  const times = `${support} times`;
  const calls = tool === undefined ? undefined : describeCalls(tool, alternatives ?? []);
  if (reason === 'person_edited')
    return `Take care with files such as ${quote(files ?? '*')}: people changed them in your work ${times}.`;
  if (reason === 'person_steered')
    return calls === undefined
      ? `People corrected you with a message ${times}.`
      : `Take care with calls of ${calls}: people corrected you with a message after such calls ${times}.`;
  if (calls !== undefined && reason === 'person_amended')
    return `Check the arguments before you call ${calls}: people changed them ${times} before they approved the call.`;
  if (calls !== undefined && (point === 'PreToolUse' || point === 'PermissionRequest')) {
    const outcome = describeOutcome(reason, guard);
    return alternatives === undefined
      ? `Take care with calls of ${calls}: ${outcome} ${times}, while similar calls were accepted.`
      : `Do not call ${calls}: ${outcome} ${times}.`;
  }
  if (point === 'TaskCompleted')
    return `Make sure that the checks of a todo hold before you complete it: that was refused ${times} (${reason}).`;
  if (point === 'Stop')
    return `Make sure that the checks of a phase hold before you end it: that was refused ${times} (${reason}).`;
  return `Avoid what was found ${times} (${reason}).`;
}

function describeOutcome(reason: string, guard: string | undefined): string {
  if (reason === 'person_refused') return 'people refused it';
  if (reason === 'approval_expired') return 'nobody approved it in time, which happened';
  return guard === undefined ? `it was denied (${reason})` : `the guard ${quoteName(guard)} denied it`;
}
