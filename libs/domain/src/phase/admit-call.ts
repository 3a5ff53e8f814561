import { clip } from '@phaseline/basics';
import { isUnloaded, SEARCH_TOOLS } from '../discovery/on-demand-tools.js';
import type { JsonObject } from '@phaseline/basics';
import type { ToolSpec } from '@phaseline/contracts';
import type { DenialCode } from './call-events.js';
import type { PhaseEvent, PhaseEventData } from './phase-events.js';
import type { PhaseState } from './phase-state.js';

type Answer = Pick<PhaseEventData<'ModelResponded'>, 'step' | 'calls' | 'end'>;
type AnsweredCall = Answer['calls'][number];

/** The arguments of a call as its tool accepts them, or why they are invalid. */
export type ParsedArguments =
  | {
      readonly arguments: JsonObject;
      /** Names of arguments that the tool does not know and ignores. */
      readonly ignoredArguments: readonly string[];
    }
  | {
      /** Explains the error to the model, so that it can correct itself. */
      readonly problem: string;
    };

/** Looks up tools by name and parses their arguments. */
export interface ToolLookup {
  find(name: string): ToolSpec | undefined;
  parseArguments(name: string, args: JsonObject): ParsedArguments;
}

/**
 * Decides about one call of an answer: `ToolCallRequested`, `ApprovalRequested` if a person has to approve it first, or
 * `ToolCallDenied` with a reason that helps the model to correct itself. The most helpful reason is checked first.
 */
export function admitCall(
  state: PhaseState,
  answer: Answer,
  index: number,
  tools: ToolLookup,
  now: Date,
  offered = state.start.terms.tools,
): PhaseEvent {
  const call = answer.calls[index]!;
  const deny = (code: DenialCode, message: string): PhaseEvent => ({
    type: 'ToolCallDenied',
    data: { callId: call.callId, step: answer.step, name: call.name, code, message: `Call denied: ${message}` },
  });
  if (answer.end === 'truncated') {
    return deny(
      'response_truncated',
      'your response was cut off before it was complete. Send a shorter response with fewer or smaller calls.',
    );
  }
  if (index >= state.start.terms.limits.callsPerResponse) {
    return deny(
      'too_many_calls',
      `a response may contain at most ${state.start.terms.limits.callsPerResponse} calls. Send the remaining calls again.`,
    );
  }
  const spec = tools.find(call.name);
  if (!spec || !offered.includes(call.name)) {
    const list = `Tools of this phase: ${offered.join(', ')}.`;
    return spec
      ? deny('not_offered', `${call.name} is not available in a ${state.start.identity.kind} phase. ${list}`)
      : deny('unknown_tool', `there is no tool named ${quoteName(call.name)}. ${list}`);
  }
  if (isUnloaded(state, call.name))
    return deny(
      'not_offered',
      `${call.name} was not in your list of tools, so you could not know its parameters. It has been added: read its description and call it again. Call ${SEARCH_TOOLS} to find other tools.`,
    );
  if (!call.arguments) {
    return deny(
      'malformed_arguments',
      `the arguments of ${call.name} are not a complete JSON object. Send them again.`,
    );
  }
  const read = tools.parseArguments(call.name, call.arguments);
  if ('problem' in read) return deny('bad_arguments', `the arguments of ${call.name} are invalid. ${read.problem}`);
  const request = buildRequest(call, read, answer.step, spec);
  const { approvals } = state.start.terms;
  if (!approvals?.tools.includes(call.name)) return { type: 'ToolCallRequested', data: request };
  const expiresAt = new Date(now.getTime() + approvals.expireAfterMs).toISOString();
  return { type: 'ApprovalRequested', data: { ...request, expiresAt } };
}

function buildRequest(
  call: AnsweredCall,
  { arguments: args, ignoredArguments }: Extract<ParsedArguments, { readonly arguments: JsonObject }>,
  step: number,
  spec: ToolSpec,
): PhaseEventData<'ToolCallRequested'> {
  const { lane, effect, traits, timeoutMs } = spec;
  const ignoredNames =
    ignoredArguments.length > 0 ? { ignoredArguments: ignoredArguments.slice(0, MAX_IGNORED_NAMES) } : {};
  return {
    callId: call.callId,
    step,
    name: call.name,
    arguments: args,
    ...ignoredNames,
    lane,
    effect,
    traits: [...traits],
    timeoutMs,
  };
}

/** Maximum number of ignored argument names that are recorded. The first ones show what is wrong. */
const MAX_IGNORED_NAMES = 10;

/** Quotes an unknown tool name, shortened: a made-up name can have any length. */
function quoteName(name: string): string {
  return JSON.stringify(clip(name, 64));
}
