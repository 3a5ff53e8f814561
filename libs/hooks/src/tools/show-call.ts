import type { JsonObject, JsonValue } from '@phaseline/basics';
import { quoteWord } from '../settings/shell-words.js';
import { toAbsolute, type CallSurroundings, type OwnCall } from './tool-call.js';

/** A call as the protocol shows it: their tool, and its input. */
export interface ProtocolCall {
  readonly tool: string;
  readonly input: JsonObject;
}

/** Our tools with the tools of the protocol under which hooks see them. All others, and MCP tools, keep their names. */
const shownTools = {
  read_file: 'Read',
  write_file: 'Write',
  append_file: 'Write',
  edit_file: 'Edit',
  delete_file: 'Bash',
  run_command: 'Bash',
  list_files: 'Glob',
  file_exists: 'Glob',
  search_files: 'Grep',
  fetch_url: 'WebFetch',
  web_search: 'WebSearch',
  delegate: 'Agent',
} as const satisfies Record<string, string>;
type ShownTool = keyof typeof shownTools;

export function isShownTool(tool: string): tool is ShownTool {
  return Object.hasOwn(shownTools, tool);
}

/** Name of a tool as hooks see it. */
export function getShownTool(tool: string): string {
  return isShownTool(tool) ? shownTools[tool] : tool;
}

/** Ends the text that a command reads from a here-document. */
const END_OF_INPUT = 'PHASELINE_END_OF_INPUT';

/** Shows a call of one of our tools as the protocol would. */
export function showCall(call: OwnCall, surroundings: CallSurroundings): ProtocolCall {
  if (!isShownTool(call.tool)) return { tool: call.tool, input: call.args };
  return { tool: shownTools[call.tool], input: withoutAbsent(showInput(call.tool, call.args, surroundings)) };
}

/** Returns the directory in which a call runs, as hooks see it. */
export function getDirectory({ tool, args }: OwnCall, root: string): string {
  return tool === 'run_command' && typeof args['cwd'] === 'string' ? toAbsolute(root, args['cwd']) : root;
}

type Members = Record<string, JsonValue | undefined>;

function showInput(tool: ShownTool, args: JsonObject, { root, readText }: CallSurroundings): Members {
  const text = (name: string): string => (typeof args[name] === 'string' ? args[name] : '');
  const path = text('path');
  const file = toAbsolute(root, path);
  switch (tool) {
    case 'read_file':
      return { file_path: file, ...showLines(args) };
    case 'write_file':
      return { file_path: file, content: text('content') };
    case 'append_file':
      return { file_path: file, content: (readText(path) ?? '') + text('content') };
    case 'edit_file':
      return {
        file_path: file,
        old_string: text('old_text'),
        new_string: text('new_text'),
        replace_all: args['replace_all'] === true,
        content: computeEdited(readText(path), args),
      };
    case 'delete_file':
      return { command: `rm ${quoteWord(file)}`, description: 'Deletes a file of the workspace' };
    case 'run_command':
      return { command: showCommand(args), timeout: showTimeout(args), description: 'Runs a command in the workspace' };
    case 'list_files':
      return { pattern: '**/*', path: file };
    case 'file_exists':
      return { pattern: file, path: root };
    case 'search_files':
      return {
        pattern: args['regex'] === true ? text('query') : text('query').replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
        path: file,
        output_mode: 'content',
        '-i': args['case_sensitive'] !== true,
        '-n': true,
      };
    case 'fetch_url':
      return { url: text('url'), prompt: '' };
    case 'web_search':
      return { query: text('query') };
    case 'delegate':
      return { prompt: text('task'), description: text('task').slice(0, 80), subagent_type: text('agent') };
  }
}

/** Returns the text of a file after an edit; `undefined` if the edit does not apply. */
function computeEdited(current: string | undefined, args: JsonObject): string | undefined {
  const { old_text: from, new_text: to } = args;
  if (current === undefined || typeof from !== 'string' || typeof to !== 'string' || from === '') return undefined;
  if (!current.includes(from)) return undefined;
  return args['replace_all'] === true ? current.replaceAll(from, () => to) : current.replace(from, () => to);
}

function showLines({ from_line: from, to_line: to }: JsonObject): Members {
  return {
    offset: typeof from === 'number' ? from : undefined,
    limit: typeof to === 'number' ? Math.max(1, to - (typeof from === 'number' ? from : 1) + 1) : undefined,
  };
}

/** A command line that does what the call does. The input of a program is a here-document, so that hooks see it too. */
function showCommand({ program, args, command, stdin }: JsonObject): string {
  const words = [program, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string');
  const line = typeof command === 'string' ? command : words.map(quoteWord).join(' ');
  return typeof stdin === 'string' ? `${line} <<'${END_OF_INPUT}'\n${stdin}\n${END_OF_INPUT}` : line;
}

function showTimeout({ timeout_seconds: seconds }: JsonObject): number | undefined {
  return typeof seconds === 'number' ? seconds * 1_000 : undefined;
}

function withoutAbsent(members: Members): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
}
