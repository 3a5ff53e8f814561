import type { Call } from './workflow-policy.js';

/** A call whose pattern or input would take forever, or all memory, without limits. */
interface PatternBomb {
  readonly name: string;
  readonly call: Call;
  /** Possible ends of the call: `completed` or an error code; several if the speed of the machine matters. */
  readonly allowedEnds: readonly string[];
}

/** A set of tools and the bombs for them. */
export interface BombFamily {
  readonly name: string;
  readonly tools: readonly string[];
  readonly bombs: readonly PatternBomb[];
  /** Text that one of the results contains. */
  readonly resultText?: string;
}

/** Documents with lines on which patterns backtrack, and with unclosed brackets and elements. */
export const BOMB_DOCUMENTS: readonly { readonly name: string; readonly content: string }[] = [
  { name: 'lines.txt', content: Array.from({ length: 400 }, () => `${'a'.repeat(3_990)}!`).join('\n') },
  { name: 'brackets.md', content: `# Brackets\n\n${'['.repeat(60_000)}\n\n${'> '.repeat(20_000)}x must be kept.\n` },
  { name: 'nested.html', content: `<html><body>${'<div><table><tr><td>'.repeat(5_000)}It must be kept.` },
];

const bomb = (name: string, call: Call, ...ends: string[]): PatternBomb => ({ name, call, allowedEnds: ends });
const searchBomb = (name: string, query: string, ...ends: string[]): PatternBomb =>
  bomb(name, ['search_files', { query, regex: true }], ...ends);
const scriptBomb = (name: string, code: string, ...ends: string[]): PatternBomb =>
  bomb(name, ['run_script', { code }], ...ends);

const SLOW = ['pattern_too_slow', 'completed'];

export const BOMB_FAMILIES: readonly BombFamily[] = [
  {
    name: 'searches',
    tools: ['search_files', 'list_files', 'read_file', 'write_file', 'edit_file'],
    bombs: [
      searchBomb('nested repetition', '(a+)+$', 'pattern_too_slow'),
      searchBomb('repetition of alternatives that overlap', '^(?:a|a)*$', 'pattern_too_slow'),
      searchBomb('repetition of classes that overlap', '^(([a-z])+.)+[A-Z]([a-z])+$', 'pattern_too_slow'),
      searchBomb('back reference', '^(a+)+\\1+b$', 'pattern_too_slow'),
      searchBomb('look-behind', '(?<=^(?:a+)+)b', ...SLOW),
      searchBomb('many stars', `${'.*'.repeat(200)}x$`, 'pattern_too_slow'),
      searchBomb('counted repetition', '(?:a{1,200}){1,200}b', ...SLOW),
      searchBomb('brackets that never close', '('.repeat(400), 'bad_pattern'),
      searchBomb('ten thousand alternatives', 'a|'.repeat(5_000), 'denied'),
      bomb(
        'a folder of stars',
        ['list_files', { path: `${'**/'.repeat(120)}{a,b}{a,b}{a,b}` }],
        'completed',
        'invalid_path',
      ),
      bomb('a path of dots', ['read_file', { path: '../'.repeat(150) }], 'invalid_path'),
      bomb('a text for replacing', ['write_file', { path: 'work/a.txt', content: 'a'.repeat(8_000) }], 'completed'),
      bomb(
        'a replacement that grows to 80 MB',
        ['edit_file', { path: 'work/a.txt', old_text: 'a', new_text: 'b'.repeat(10_000), replace_all: true }],
        'too_large',
      ),
    ],
  },
  {
    name: 'scripts',
    tools: ['run_script', 'read_file', 'write_file'],
    bombs: [
      scriptBomb('a pattern', `return /^(a+)+$/.test('a'.repeat(60) + '!');`, 'script_steps', 'script_time'),
      scriptBomb('a loop', 'while (true) {}', 'script_steps', 'script_time'),
      scriptBomb('a recursion', 'const f = () => f(); return f();', 'script_failed'),
      scriptBomb('a text that doubles', `let s = 'x'; while (true) s += s;`, 'script_failed'),
      scriptBomb(
        'a list that grows',
        'const l = []; while (true) l.push(new Array(100000).fill(l));',
        'script_time',
        'script_steps',
        'script_failed',
      ),
      scriptBomb('nested JSON', `return JSON.parse('['.repeat(1000000));`, 'script_failed'),
      scriptBomb('promises without an end', 'const f = () => Promise.resolve().then(f); await f();', 'script_steps'),
    ],
  },
  {
    name: 'documents',
    tools: ['extract_document_text'],
    bombs: [
      bomb('brackets', ['extract_document_text', { path: 'documents/brackets.md' }], 'document_too_deep'),
      bomb('nesting', ['extract_document_text', { path: 'documents/nested.html' }], 'document_too_deep'),
      bomb('one long word per line', ['extract_document_text', { path: 'documents/lines.txt' }], 'completed'),
    ],
  },
  {
    name: 'queries',
    tools: ['execute_cypher_query'],
    bombs: [
      bomb(
        'a pattern',
        ['execute_cypher_query', { query: `RETURN '${'a'.repeat(60)}!' =~ '(a+)+$' AS x` }],
        'cypher_unsupported',
      ),
      bomb(
        'ten billion rows',
        [
          'execute_cypher_query',
          { query: 'UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(*)' },
        ],
        'cypher_too_broad',
      ),
      bomb(
        'brackets',
        ['execute_cypher_query', { query: `RETURN ${'('.repeat(1_500)}1${')'.repeat(1_500)} AS x` }],
        'cypher_syntax',
      ),
      bomb(
        'a list of a billion',
        ['execute_cypher_query', { query: 'RETURN size(range(1, 1000000000)) AS x' }],
        'cypher_too_broad',
      ),
    ],
  },
  {
    name: 'commands',
    tools: ['run_command'],
    resultText: 'Stopped because it exceeded its time limit',
    bombs: [
      bomb(
        'a pattern',
        ['run_command', { program: 'node', args: ['-e', `/^(a+)+$/.test('a'.repeat(60) + '!')`] }],
        'completed',
      ),
      bomb(
        'an output without an end',
        ['run_command', { program: 'node', args: ['-e', `while (true) console.log('x'.repeat(9999))`] }],
        'completed',
      ),
    ],
  },
];
