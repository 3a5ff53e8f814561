import type { JsonObject, JsonValue } from '@phaseline/basics';
import { isShownTool, showCall } from './show-call.js';
import type { CallSurroundings, OwnCall } from './tool-call.js';

/** What a call returned: the text for the model, and the structured result of tools that have one. */
export interface OwnResult {
  readonly text: string;
  readonly result?: JsonObject | undefined;
}

/** Shows the result of a call in the shape that hooks know. Surroundings are those after the call. */
export function showResponse(
  call: OwnCall,
  { text, result = {} }: OwnResult,
  surroundings: CallSurroundings,
): JsonValue {
  if (!isShownTool(call.tool)) {
    if (call.tool.startsWith('mcp__')) return [{ type: 'text', text }];
    return { content: text, ...(Object.keys(result).length > 0 ? { result } : {}) };
  }
  const { input } = showCall(call, surroundings);
  const file = input['file_path'] ?? '';
  switch (call.tool) {
    case 'run_command':
      return {
        stdout: result['stdout'] ?? text,
        stderr: result['stderr'] ?? '',
        interrupted: result['timedOut'] === true,
        isImage: false,
      };
    case 'delete_file':
      return { stdout: text, stderr: '', interrupted: false, isImage: false };
    case 'read_file':
      return {
        type: 'text',
        file: { filePath: file, content: text, numLines: countLines(text), startLine: input['offset'] ?? 1 },
      };
    case 'write_file':
    case 'append_file':
      return {
        type: 'update',
        filePath: file,
        content: call.tool === 'write_file' ? (input['content'] ?? '') : (readCurrent(call, surroundings) ?? ''),
        structuredPatch: [],
      };
    case 'edit_file':
      return {
        filePath: file,
        oldString: input['old_string'] ?? '',
        newString: input['new_string'] ?? '',
        replaceAll: input['replace_all'] ?? false,
        userModified: false,
        structuredPatch: [],
      };
    case 'fetch_url':
      return { url: input['url'] ?? '', code: 200, result: text };
    case 'web_search':
      return { query: input['query'] ?? '', results: [text] };
    case 'list_files':
    case 'file_exists':
      return { filenames: text.split('\n').filter(Boolean), truncated: false };
    case 'search_files':
      return { mode: 'content', content: text, numLines: countLines(text) };
    case 'delegate':
      return { content: [{ type: 'text', text }] };
  }
}

/** Turns an `updatedToolOutput` into the text for the model. */
export function readUpdatedOutput(output: JsonValue): string {
  if (typeof output === 'string') return output;
  if (isList(output)) return output.map(readUpdatedOutput).join('\n');
  if (typeof output !== 'object' || output === null) return JSON.stringify(output);
  const { stdout, stderr, content, text, result, file } = output;
  if (typeof stdout === 'string')
    return typeof stderr === 'string' && stderr !== '' ? `stdout:\n${stdout}\nstderr:\n${stderr}` : stdout;
  for (const value of [text, content, result])
    if (typeof value === 'string' || (value !== undefined && isList(value))) return readUpdatedOutput(value);
  if (typeof file === 'object' && file !== null) return readUpdatedOutput(file);
  return JSON.stringify(output);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function readCurrent({ args }: OwnCall, { readText }: CallSurroundings): string | undefined {
  return typeof args['path'] === 'string' ? readText(args['path']) : undefined;
}

function countLines(text: string): number {
  return text === '' ? 0 : text.split('\n').length;
}
