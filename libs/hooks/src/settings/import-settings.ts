import type { HookPoint } from '@phaseline/domain';
import { isHookPoint, pointRules, toolPoints, unsupportedEvents } from '../protocol/hook-event.js';
import { parsePermissionRule } from './condition.js';
import type { HookHandler } from './hook-handler.js';
import { compileMatcher } from './matcher.js';
import {
  environmentSchema,
  eventsSchema,
  groupSchema,
  handlerSchema,
  type SettingsHandler,
} from './settings-schema.js';

/** A place in a settings file with what there is to say about it. */
export interface ImportNote {
  /** Such as `hooks.PreToolUse[0].hooks[1]`. */
  readonly place: string;
  readonly message: string;
}

export interface ImportedSettings {
  /** In the order of the file. */
  readonly handlers: readonly HookHandler[];
  /** Variables that the hooks receive. */
  readonly environment: Readonly<Record<string, string>>;
  /** Events and handlers that never fire here. */
  readonly unsupported: readonly ImportNote[];
  /** What is invalid. Nothing can be imported then. */
  readonly problems: readonly ImportNote[];
  /** What works differently from the protocol. */
  readonly notes: readonly ImportNote[];
}

/** What is collected while a file is read. */
interface Found {
  handlers: HookHandler[];
  environment: Readonly<Record<string, string>>;
  unsupported: ImportNote[];
  problems: ImportNote[];
  notes: ImportNote[];
}

/** Points at which a model can be asked. At the start of a session the protocol allows commands only. */
const JUDGED: ReadonlySet<HookPoint> = new Set(['TaskCompleted', 'Stop', 'SubagentStop']);
const JUDGE_TIMEOUT_SECONDS = { prompt: 30, agent: 60 } as const;

/**
 * Reads the hooks of a settings file, with the member `hooks` around them or without. Never throws: what is wrong, and what never fires
 * here, is named with its place.
 */
export function importSettings(settings: unknown): ImportedSettings {
  const found: Found = { handlers: [], environment: {}, unsupported: [], problems: [], notes: [] };
  const root = findEvents(settings);
  const events = eventsSchema.safeParse(root?.events);
  if (!root || !events.success) {
    found.problems.push({
      place: 'hooks',
      message: 'expected an object with the names of events, each with a list of matchers and hooks',
    });
    return found;
  }
  const numbers = new Map<string, number>();
  for (const [event, groups] of Object.entries(events.data)) {
    const place = `${root.place}${event}`;
    if (!isHookPoint(event)) {
      const reason = unsupportedEvents[event];
      if (reason === undefined)
        found.problems.push({ place, message: `there is no event '${event}' in the hook protocol` });
      else found.unsupported.push({ place, message: `${event} never fires here: ${reason}` });
      continue;
    }
    for (const [index, group] of groups.entries()) addGroup(found, event, group, `${place}[${index}]`, numbers);
  }
  return addFileSettings(found, settings as Readonly<Record<string, unknown>>);
}

function findEvents(settings: unknown): { readonly events: unknown; readonly place: string } | undefined {
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) return undefined;
  if ('hooks' in settings) return { events: settings.hooks, place: 'hooks.' };
  const names = Object.keys(settings);
  const isEvent = (name: string): boolean => isHookPoint(name) || name in unsupportedEvents;
  return names.length > 0 && names.every(isEvent) ? { events: settings, place: '' } : undefined;
}

function addFileSettings(found: Found, settings: Readonly<Record<string, unknown>>): ImportedSettings {
  if (settings['disableAllHooks'] === true)
    found.unsupported.push({
      place: 'disableAllHooks',
      message: 'the file switches its hooks off; here they fire, because a guard is switched off by its stage',
    });
  if (!('hooks' in settings) || settings['env'] === undefined) return found;
  const environment = environmentSchema.safeParse(settings['env']);
  if (environment.success) found.environment = environment.data;
  else found.problems.push({ place: 'env', message: 'expected an object with names of variables and texts' });
  return found;
}

function addGroup(found: Found, point: HookPoint, value: unknown, place: string, numbers: Map<string, number>): void {
  const group = groupSchema.safeParse(value);
  if (!group.success) {
    const message =
      typeof value === 'object' && value !== null && 'matcher' in value && 'hooks' in value
        ? "the matcher must be a text, or an object with 'tool_name' only; 'hooks' must be a list"
        : "expected an object with 'hooks', and perhaps 'matcher'";
    found.problems.push({ place, message });
    return;
  }
  const { matcher, hooks } = group.data;
  const compiled = compileMatcher(matcher);
  if (typeof compiled !== 'function')
    found.problems.push({ place: `${place}.matcher`, message: `not a valid regular expression: ${compiled.problem}` });
  if (matcher !== undefined && matcher !== '' && matcher !== '*' && pointRules[point].matched === undefined)
    found.notes.push({ place: `${place}.matcher`, message: `${point} has no matcher; its hooks always run` });
  for (const [index, one] of hooks.entries()) {
    const number = (numbers.get(point) ?? 0) + 1;
    numbers.set(point, number);
    const handler = addHandler(found, point, one, `${place}.hooks[${index}]`, `${point}-${number}`);
    if (handler) found.handlers.push(matcher === undefined ? handler : { ...handler, matcher });
  }
}

function addHandler(
  found: Found,
  point: HookPoint,
  value: unknown,
  place: string,
  name: string,
): HookHandler | undefined {
  const parsed = handlerSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = issue && issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
    found.problems.push({ place, message: `${path}${issue?.message ?? 'not a handler'}` });
    return undefined;
  }
  const handler = parsed.data;
  const reason = findUnsupported(handler, point);
  if (reason !== undefined) {
    found.unsupported.push({ place, message: reason });
    return undefined;
  }
  if (handler.once)
    found.notes.push({ place, message: "'once' has a meaning in skills only; the hook runs each time" });
  const terms = {
    name,
    point,
    ...(handler.if === undefined ? {} : { condition: handler.if }),
  };
  if (handler.type === 'command') {
    const observes = handler.async === true || handler.asyncRewake === true;
    if (observes) found.notes.push({ place, message: 'an asynchronous hook only observes; its result is not read' });
    return {
      ...terms,
      kind: 'command',
      command: handler.command,
      ...(handler.args === undefined ? {} : { args: handler.args }),
      shell: handler.shell === 'bash' ? 'bash' : 'sh',
      timeoutSeconds: handler.timeout ?? pointRules[point].timeoutSeconds,
      onFailure: handler.onFailure === 'continue' ? 'continue' : 'deny',
      observes,
    };
  }
  if (handler.type !== 'prompt' && handler.type !== 'agent') return undefined;
  const tools = handler.type === 'agent' ? ' and has no tools' : '';
  found.notes.push({ place, message: `the ${handler.type} becomes a judge, which can only refuse${tools}` });
  found.unsupported.push({ place, message: `jobs do not ask the ${handler.type} of a hook yet; use a command` });
  return {
    ...terms,
    kind: 'judge',
    prompt: handler.prompt,
    ...(handler.model === undefined ? {} : { model: handler.model }),
    timeoutSeconds: handler.timeout ?? JUDGE_TIMEOUT_SECONDS[handler.type],
  };
}

/** Returns why a handler never fires here. */
function findUnsupported(handler: SettingsHandler, point: HookPoint): string | undefined {
  if (handler.type === 'http')
    return 'http handlers are not supported; a command can call what its network list allows';
  if (handler.type === 'mcp_tool') return 'mcp_tool handlers are not supported; use a command';
  if (handler.type === 'command') {
    if (handler.shell !== undefined && !['sh', 'bash'].includes(handler.shell))
      return `the shell '${handler.shell}' is not available; use 'bash'`;
  } else if (!JUDGED.has(point)) return `no model is asked at ${point}; use a command`;
  if (handler.if === undefined) return undefined;
  if (!toolPoints.has(point)) return `a hook with 'if' never runs at ${point}, which is about no tool call`;
  return parsePermissionRule(handler.if) ? undefined : `'if' is no permission rule: ${handler.if}`;
}
