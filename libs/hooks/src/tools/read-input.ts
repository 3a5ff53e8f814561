import { toCanonicalJson, type JsonObject, type JsonValue } from '@phaseline/basics';
import { splitSimpleCommand } from '../settings/shell-words.js';
import { isShownTool, showCall } from './show-call.js';
import { toRelative, type CallSurroundings, type OwnCall } from './tool-call.js';

/** The arguments of a call after an amendment, or why it cannot be applied. */
export type ReadInput = { readonly args: JsonObject } | { readonly problem: string };

/** Members of each tool of the protocol: required, and others that are read here. */
const members: Readonly<Record<string, readonly [required: readonly string[], optional: readonly string[]]>> = {
  Read: [['file_path'], ['offset', 'limit']],
  Write: [['file_path', 'content'], []],
  Edit: [
    ['file_path', 'old_string', 'new_string'],
    ['replace_all', 'content'],
  ],
  Bash: [['command'], ['timeout', 'description', 'run_in_background']],
  Glob: [['pattern'], ['path']],
  Grep: [['pattern'], ['path', 'output_mode', '-i', '-n']],
  WebFetch: [['url', 'prompt'], []],
  WebSearch: [['query'], []],
  Agent: [['prompt', 'description', 'subagent_type'], []],
};

class DoesNotFit extends Error {}

/**
 * Turns an `updatedInput` back into arguments of our tool. It replaces the whole input, so a required member that is missing, or a member that
 * our tool has no argument for, is a problem, which names the member. The arguments still have to be checked against the schema of the tool.
 */
export function readUpdatedInput(call: OwnCall, updated: JsonObject, surroundings: CallSurroundings): ReadInput {
  if (!isShownTool(call.tool)) return { args: updated };
  const shown = showCall(call, surroundings);
  if (toCanonicalJson(shown.input) === toCanonicalJson(updated)) return { args: call.args };
  const [required, optional] = members[shown.tool] ?? [[], []];
  const missing = required.find((name) => updated[name] === undefined);
  if (missing !== undefined)
    return { problem: `updatedInput replaces the whole input of ${shown.tool}, and has no member '${missing}'` };
  const known = new Set([...required, ...optional]);
  const unknown = Object.keys(updated).find((name) => !known.has(name) && updated[name] !== null);
  if (unknown !== undefined) return { problem: `updatedInput has the member '${unknown}', which cannot be applied` };
  try {
    return { args: readMembers(call, updated, shown.input, surroundings) };
  } catch (error) {
    if (error instanceof DoesNotFit) return { problem: error.message };
    throw error;
  }
}

function readMembers(
  { tool, args }: OwnCall,
  updated: JsonObject,
  shown: JsonObject,
  { root, readText }: CallSurroundings,
): JsonObject {
  const text = (name: string): string => {
    const value = updated[name];
    if (typeof value === 'string') return value;
    throw new DoesNotFit(`the member '${name}' of updatedInput must be a text`);
  };
  const path = (name: string): string => {
    const found = toRelative(root, text(name));
    if (found !== undefined) return found;
    throw new DoesNotFit(`the member '${name}' of updatedInput leads out of the working directory: ${text(name)}`);
  };
  switch (tool) {
    case 'read_file':
      return { ...args, ...readLines(updated, args, shown), path: path('file_path') };
    case 'write_file':
      return { ...args, path: path('file_path'), content: text('content') };
    case 'append_file': {
      const present = readText(typeof args['path'] === 'string' ? args['path'] : '') ?? '';
      const content = text('content');
      if (!content.startsWith(present))
        throw new DoesNotFit("the member 'content' of updatedInput must begin with the present text of the file");
      return { ...args, path: path('file_path'), content: content.slice(present.length) };
    }
    case 'edit_file':
      if (updated['content'] !== undefined && updated['content'] !== shown['content'])
        throw new DoesNotFit("the member 'content' shows the result of an Edit; change 'new_string' instead");
      return {
        ...args,
        path: path('file_path'),
        old_text: text('old_string'),
        new_text: text('new_string'),
        replace_all: updated['replace_all'] === true,
      };
    case 'delete_file': {
      const words = splitSimpleCommand(text('command'))?.filter((word) => word !== '-f' && word !== '--');
      const target = words?.[0] === 'rm' && words.length === 2 ? toRelative(root, words[1]!) : undefined;
      if (!target) throw new DoesNotFit("the member 'command' must remain an rm of one file of the working directory");
      return { ...args, path: target };
    }
    case 'run_command':
      return readCommand(args, updated, shown, text('command'));
    case 'list_files':
      if (updated['pattern'] !== shown['pattern'])
        throw new DoesNotFit("the member 'pattern' of updatedInput cannot be applied to list_files");
      return { ...args, path: updated['path'] === undefined ? '' : path('path') };
    case 'file_exists':
      if (/[*?[{]/.test(text('pattern')))
        throw new DoesNotFit("the member 'pattern' of updatedInput must be one file, without placeholders");
      return { ...args, path: path('pattern') };
    case 'search_files': {
      const isSame = updated['pattern'] === shown['pattern'];
      return {
        ...args,
        ...(isSame ? {} : { query: text('pattern'), regex: true }),
        path: updated['path'] === undefined ? '' : path('path'),
        case_sensitive: updated['-i'] !== true,
      };
    }
    case 'fetch_url':
      return { ...args, url: text('url') };
    case 'web_search':
      return { ...args, query: text('query') };
    default:
      return { ...args, task: text('prompt'), agent: text('subagent_type') };
  }
}

function readLines(updated: JsonObject, args: JsonObject, shown: JsonObject): JsonObject {
  const { offset, limit } = updated;
  if (offset === shown['offset'] && limit === shown['limit']) return {};
  const isCount = (value: JsonValue | undefined): value is number => typeof value === 'number' && value >= 1;
  for (const [name, value] of Object.entries({ offset, limit }))
    if (value !== undefined && !isCount(value))
      throw new DoesNotFit(`the member '${name}' of updatedInput must be a number from 1`);
  if ('from_byte' in args || 'to_byte' in args)
    throw new DoesNotFit("the members 'offset' and 'limit' of updatedInput cannot be applied to a range of bytes");
  return {
    ...(isCount(offset) ? { from_line: offset } : {}),
    ...(isCount(limit) ? { to_line: (isCount(offset) ? offset : 1) + limit - 1 } : {}),
  };
}

/** A program stays a program with arguments, unless the call already was a command line for a shell. */
function readCommand(args: JsonObject, updated: JsonObject, shown: JsonObject, line: string): JsonObject {
  if (updated['run_in_background'] === true)
    throw new DoesNotFit("the member 'run_in_background' of updatedInput cannot be applied");
  const { timeout_seconds: _timeout, ...rest } = args;
  const { timeout } = updated;
  if (timeout !== undefined && typeof timeout !== 'number')
    throw new DoesNotFit("the member 'timeout' of updatedInput must be a number of milliseconds");
  const limited = {
    ...rest,
    ...(timeout === undefined ? {} : { timeout_seconds: Math.max(1, Math.ceil(timeout / 1_000)) }),
  };
  if (line === shown['command']) return limited;
  const { program: _program, args: _args, command, stdin: _stdin, ...others } = limited as JsonObject;
  if (command !== undefined) return { ...others, command: line };
  const words = splitSimpleCommand(line);
  if (!words || words.length === 0)
    throw new DoesNotFit("the member 'command' of updatedInput needs a shell, and the call runs a program without one");
  return { ...others, program: words[0]!, args: words.slice(1) };
}
