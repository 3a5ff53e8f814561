import type { JsonObject } from '@phaseline/basics';
import { describe, expect, it } from 'vitest';
import { readUpdatedInput } from './read-input.js';
import { getDirectory, showCall } from './show-call.js';
import { readUpdatedOutput, showResponse } from './show-response.js';
import type { CallSurroundings } from './tool-call.js';

const surroundings: CallSurroundings = {
  root: '/workspace',
  readText: (path) => ({ 'a.txt': 'one two two', 'log.txt': 'first\n' })[path],
};
const show = (tool: string, args: JsonObject) => showCall({ tool, args }, surroundings);
const amend = (tool: string, args: JsonObject, change: (input: JsonObject) => JsonObject) =>
  readUpdatedInput({ tool, args }, change(show(tool, args).input), surroundings);

const edit = { path: 'a.txt', old_text: 'two', new_text: '2' };

describe('a call as hooks see it', () => {
  it.each<[string, JsonObject, string, JsonObject]>([
    ['read_file', { path: 'a.txt' }, 'Read', { file_path: '/workspace/a.txt' }],
    [
      'read_file',
      { path: './a.txt', from_line: 10, to_line: 19 },
      'Read',
      { file_path: '/workspace/a.txt', offset: 10, limit: 10 },
    ],
    ['write_file', { path: 'b.txt', content: 'x' }, 'Write', { file_path: '/workspace/b.txt', content: 'x' }],
    [
      'append_file',
      { path: 'log.txt', content: 'second' },
      'Write',
      { file_path: '/workspace/log.txt', content: 'first\nsecond' },
    ],
    ['append_file', { path: 'new.txt', content: 'x' }, 'Write', { file_path: '/workspace/new.txt', content: 'x' }],
    [
      'edit_file',
      edit,
      'Edit',
      { file_path: '/workspace/a.txt', old_string: 'two', new_string: '2', replace_all: false, content: 'one 2 two' },
    ],
    [
      'edit_file',
      { ...edit, replace_all: true },
      'Edit',
      { file_path: '/workspace/a.txt', old_string: 'two', new_string: '2', replace_all: true, content: 'one 2 2' },
    ],
    [
      'edit_file',
      { ...edit, path: 'none' },
      'Edit',
      { file_path: '/workspace/none', old_string: 'two', new_string: '2', replace_all: false },
    ],
    [
      'delete_file',
      { path: 'my file' },
      'Bash',
      { command: "rm '/workspace/my file'", description: 'Deletes a file of the workspace' },
    ],
    [
      'run_command',
      { program: 'npm', args: ['test', '--', 'a b', "it's"], timeout_seconds: 5 },
      'Bash',
      { command: `npm test -- 'a b' 'it'\\''s'`, timeout: 5_000, description: 'Runs a command in the workspace' },
    ],
    [
      'run_command',
      { command: 'ls | wc' },
      'Bash',
      { command: 'ls | wc', description: 'Runs a command in the workspace' },
    ],
    [
      'run_command',
      { program: 'sh', stdin: 'rm x' },
      'Bash',
      {
        command: "sh <<'PHASELINE_END_OF_INPUT'\nrm x\nPHASELINE_END_OF_INPUT",
        description: 'Runs a command in the workspace',
      },
    ],
    ['list_files', {}, 'Glob', { pattern: '**/*', path: '/workspace' }],
    ['file_exists', { path: 'a.txt' }, 'Glob', { pattern: '/workspace/a.txt', path: '/workspace' }],
    [
      'search_files',
      { query: 'a.b', path: 'src' },
      'Grep',
      { pattern: 'a\\.b', path: '/workspace/src', output_mode: 'content', '-i': true, '-n': true },
    ],
    ['fetch_url', { url: 'https://x.org' }, 'WebFetch', { url: 'https://x.org', prompt: '' }],
    ['web_search', { query: 'q' }, 'WebSearch', { query: 'q' }],
    ['delegate', { agent: 'tester', task: 't' }, 'Agent', { prompt: 't', description: 't', subagent_type: 'tester' }],
    ['mcp__memory__store', { key: 1 }, 'mcp__memory__store', { key: 1 }],
    ['todo_complete', { id: 1 }, 'todo_complete', { id: 1 }],
  ])('%s %j', (tool, args, shown, input) => {
    expect(show(tool, args)).toEqual({ tool: shown, input });
  });

  it('runs in its working directory', () => {
    expect(getDirectory({ tool: 'run_command', args: { program: 'ls', cwd: 'sub/' } }, '/workspace')).toBe(
      '/workspace/sub',
    );
    expect(getDirectory({ tool: 'read_file', args: { path: 'x' } }, '/workspace')).toBe('/workspace');
  });
});

describe('an amended input as arguments of our tool', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['write_file', { path: 'a', content: 'x' }, { file_path: '/workspace/b' }, { path: 'b', content: 'x' }],
    ['write_file', { path: 'a', content: 'x' }, { file_path: './b', content: 'y' }, { path: 'b', content: 'y' }],
    ['append_file', { path: 'log.txt', content: 'x' }, { content: 'first\nz' }, { path: 'log.txt', content: 'z' }],
    ['edit_file', edit, { new_string: 'zwei' }, { ...edit, new_text: 'zwei', replace_all: false }],
    ['delete_file', { path: 'a' }, { command: 'rm -f /workspace/b' }, { path: 'b' }],
    [
      'run_command',
      { program: 'rm', args: ['x'] },
      { command: "trash 'my file'" },
      { program: 'trash', args: ['my file'] },
    ],
    ['run_command', { command: 'a | b', cwd: 's' }, { command: 'a | c' }, { command: 'a | c', cwd: 's' }],
    [
      'run_command',
      { program: 'npm', args: ['t'] },
      { timeout: 1_500 },
      { program: 'npm', args: ['t'], timeout_seconds: 2 },
    ],
    ['read_file', { path: 'a' }, { offset: 5, limit: 10 }, { path: 'a', from_line: 5, to_line: 14 }],
    [
      'search_files',
      { query: 'a' },
      { pattern: 'a|b' },
      { query: 'a|b', regex: true, path: '', case_sensitive: false },
    ],
    ['file_exists', { path: 'a' }, { pattern: '/workspace/b' }, { path: 'b' }],
    ['list_files', {}, { path: '/workspace/src' }, { path: 'src' }],
    ['fetch_url', { url: 'http://x' }, { url: 'https://x' }, { url: 'https://x' }],
    ['mcp__m__t', { a: 1 }, { a: 2 }, { a: 2 }],
  ])('%s %j with %j', (tool, args, change, expected) => {
    expect(amend(tool, args, (input) => ({ ...input, ...change }))).toEqual({ args: expected });
  });

  it('that repeats the input changes nothing', () => {
    for (const args of [edit, { ...edit, replace_all: false }])
      expect(amend('edit_file', args, (input) => ({ ...input }))).toEqual({ args });
  });

  it.each<[string, JsonObject, JsonObject, RegExp]>([
    ['write_file', { path: 'a', content: 'x' }, { file_path: '/workspace/b' }, /no member 'content'/],
    ['edit_file', edit, { file_path: '/workspace/b', content: 'x' }, /no member 'old_string'/],
    ['run_command', { program: 'ls' }, { description: 'x' }, /no member 'command'/],
    ['write_file', { path: 'a', content: 'x' }, { file_path: '/etc/x', content: 'x' }, /'file_path' .* leads out/],
    ['write_file', { path: 'a', content: 'x' }, { file_path: 'b', content: 7 }, /'content' .* must be a text/],
    ['write_file', { path: 'a', content: 'x' }, { file_path: 'b', content: '', mode: 1 }, /member 'mode'/],
    ['append_file', { path: 'log.txt', content: 'x' }, { file_path: 'log.txt', content: 'z' }, /must begin with/],
    ['delete_file', { path: 'a' }, { command: 'rm -rf /workspace' }, /must remain an rm/],
    ['run_command', { program: 'ls' }, { command: 'ls | wc' }, /needs a shell/],
    ['run_command', { program: 'ls' }, { command: 'ls', run_in_background: true }, /run_in_background/],
    ['web_search', { query: 'q' }, { query: 'q', allowed_domains: ['x'] }, /allowed_domains/],
  ])('%s %j with %j names what does not fit', (tool, args, updated, problem) => {
    expect(readUpdatedInput({ tool, args }, updated, surroundings)).toEqual({
      problem: expect.stringMatching(problem),
    });
  });
});

describe('results', () => {
  it('have the shapes that scripts know', () => {
    const response = (tool: string, args: JsonObject, text: string, result?: JsonObject) =>
      showResponse({ tool, args }, { text, result }, surroundings);
    expect(
      response('run_command', { program: 'x' }, 't', { exitCode: 1, stdout: 'o', stderr: 'e', timedOut: true }),
    ).toEqual({ stdout: 'o', stderr: 'e', interrupted: true, isImage: false });
    expect(response('write_file', { path: 'b', content: 'x' }, 'ok')).toMatchObject({
      filePath: '/workspace/b',
      content: 'x',
    });
    expect(response('append_file', { path: 'a.txt', content: ' two' }, 'ok')).toMatchObject({ content: 'one two two' });
    expect(response('edit_file', edit, 'ok')).toMatchObject({ filePath: '/workspace/a.txt', oldString: 'two' });
    expect(response('read_file', { path: 'a.txt' }, 'x\ny')).toMatchObject({ file: { content: 'x\ny', numLines: 2 } });
    expect(response('mcp__m__t', {}, 'x')).toEqual([{ type: 'text', text: 'x' }]);
    expect(response('cite_web', {}, 'x', { id: 1 })).toEqual({ content: 'x', result: { id: 1 } });
  });

  it.each([
    ['text', 'text'],
    [{ stdout: 'o', stderr: '' }, 'o'],
    [{ stdout: 'o', stderr: 'e' }, 'stdout:\no\nstderr:\ne'],
    [
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      'a\nb',
    ],
    [{ type: 'text', file: { filePath: 'x', content: 'c' } }, 'c'],
    [{ content: 'c' }, 'c'],
    [{ other: 1 }, '{"other":1}'],
  ])('that replace another become text: %j', (output, text) => {
    expect(readUpdatedOutput(output)).toBe(text);
  });
});
