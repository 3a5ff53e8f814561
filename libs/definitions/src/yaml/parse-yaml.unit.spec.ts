import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formatProblem, InvalidDefinitions } from '../definition-errors.js';
import { parseYaml } from './parse-yaml.js';

const schema = z.strictObject({
  name: z.string().regex(/^[a-z-]+$/, 'expected lower-case letters and dashes'),
  kind: z.enum(['strategic', 'tactical']).optional(),
  limits: z.strictObject({ steps: z.int().min(1).max(50).default(10), nudges: z.int().min(0).optional() }).prefault({}),
  tools: z.array(z.string().min(1)).max(3).default([]),
  todos: z.union([z.literal('from-file'), z.array(z.string().min(1)).min(1)]).optional(),
  outcomes: z
    .record(
      z.string().regex(/^[a-z]+$/, 'expected lower-case letters'),
      z.union([z.strictObject({ to: z.string() }), z.strictObject({ end: z.enum(['completed', 'failed']) })]),
    )
    .optional(),
});

function problemsOf(text: string, variables?: Record<string, string>): string[] {
  try {
    parseYaml(text, schema, { file: 'a.yaml', variables });
    return [];
  } catch (error) {
    if (!(error instanceof InvalidDefinitions)) throw error;
    return error.problems.map(formatProblem);
  }
}

const lines = (...text: string[]): string => text.join('\n');

describe('a YAML file that violates its schema', () => {
  it.each([
    [
      'a value of the wrong type',
      lines('name: a', 'limits:', '  nudges: 1', '  steps: "five"'),
      'a.yaml:4:11: limits.steps: expected a number, found the text "five"',
    ],
    [
      'a fraction',
      lines('name: a', 'limits: {steps: 1.5}'),
      'a.yaml:2:17: limits.steps: expected a whole number, found the number 1.5',
    ],
    [
      'a number out of bounds',
      lines('name: a', '', '# why so many', 'limits:', '  steps: 99'),
      'a.yaml:5:10: limits.steps: expected at most 50, found the number 99',
    ],
    ['a missing key', lines('# only a comment', 'tools: []'), 'a.yaml:2:1: name: missing; expected text'],
    ['an empty value', lines('name:', 'tools: []'), 'a.yaml:1:1: name: expected text, found nothing'],
    [
      'a misspelt key',
      lines('name: a', 'limits:', '  stpes: 3'),
      "a.yaml:3:3: limits: unknown key 'stpes'; did you mean 'steps'?; known here: steps, nudges",
    ],
    [
      'a misspelt key at the top',
      lines('name: a', 'toools: []'),
      "a.yaml:2:1: unknown key 'toools'; did you mean 'tools'?; known here: name, kind, limits, tools, todos, outcomes",
    ],
    [
      'a value that is none of the choices',
      lines('name: a', 'kind: Tactic'),
      "a.yaml:2:7: kind: expected 'strategic' or 'tactical', found the text \"Tactic\"; did you mean 'tactical'?",
    ],
    [
      'a text with the wrong format',
      'name: My Agent',
      'a.yaml:1:7: name: expected lower-case letters and dashes, found the text "My Agent"',
    ],
    [
      'an item of a list',
      lines('name: a', 'tools:', '  - one', '  -', '    - nested'),
      'a.yaml:5:5: tools[1]: expected text, found a list',
    ],
    [
      'an empty item',
      lines('name: a', 'tools: [one, ""]'),
      'a.yaml:2:15: tools[1]: expected at least 1 character, found the text ""',
    ],
    [
      'too many items',
      lines('name: a', 'tools: [a, b, c, d]'),
      'a.yaml:2:8: tools: expected at most 3 items, found a list',
    ],
    [
      'none of the alternatives',
      lines('name: a', 'todos: 5'),
      "a.yaml:2:8: todos: expected 'from-file' or a list, found the number 5",
    ],
    [
      'a mistake inside the alternative that was meant',
      lines('name: a', 'todos:', '  - fine', '  - 7'),
      'a.yaml:4:5: todos[1]: expected text, found the number 7',
    ],
    [
      'a mistake in one of two mappings',
      lines('name: a', 'outcomes:', '  done: {end: complete}'),
      "a.yaml:3:15: outcomes.done.end: expected 'completed' or 'failed', found the text \"complete\"; did you mean 'completed'?",
    ],
    [
      'a key with the wrong format',
      lines('name: a', 'outcomes:', '  Done: {to: x}'),
      "a.yaml:3:3: outcomes.Done: the key 'Done' cannot be used: expected lower-case letters",
    ],
    ['a list where a mapping belongs', '- name: a', 'a.yaml:1:1: expected a mapping, found a list'],
  ])('is reported with location and reason: %s', (_, text, expected) => {
    expect(problemsOf(text)).toEqual([expected]);
  });

  it('is reported together with all other mistakes', () => {
    expect(problemsOf(lines('name: A', 'limits: {steps: 0, x: 1}'))).toEqual([
      expect.stringMatching(/^a\.yaml:1:7: name: /),
      expect.stringMatching(/^a\.yaml:2:17: limits\.steps: /),
      expect.stringMatching(/^a\.yaml:2:20: limits: unknown key 'x'/),
    ]);
  });

  it('gets suggestions from the alternative that was meant', () => {
    expect(problemsOf(lines('name: a', 'outcomes:', '  done: {too: x}'))).toEqual([
      'a.yaml:3:9: outcomes.done.to: missing; expected text',
      "a.yaml:3:10: outcomes.done: unknown key 'too'; did you mean 'to'?; known here: to",
    ]);
  });

  it('has correct locations with aliases, CRLF line ends and a byte order mark', () => {
    expect(problemsOf('\uFEFFname: a\r\n# x\r\ntools: &t [1]\r\n')).toEqual([
      'a.yaml:3:12: tools[0]: expected text, found the number 1',
    ]);
    expect(problemsOf(lines('name: &n BAD', 'kind: *n'))).toEqual([
      expect.stringMatching(/^a\.yaml:1:10: name/),
      expect.stringMatching(/^a\.yaml:2:8: kind/),
    ]);
  });
});

describe('text that is not YAML', () => {
  it.each([
    [
      'an unquoted colon',
      lines('name: a: b'),
      /^a\.yaml:1:\d+: not valid YAML: .*put a text that contains ': ' in quotes$/,
    ],
    ['a tab', 'limits:\n\tsteps: 1', /^a\.yaml:2:1: not valid YAML: tab.*expected spaces$/],
    [
      'a key twice',
      lines('name: a', 'name: b'),
      /^a\.yaml:2:1: not valid YAML: duplicated mapping key; expected each key once$/,
    ],
    [
      'an open bracket',
      lines('name: a', 'tools: [one,'),
      /^a\.yaml:2:\d+: not valid YAML: .*expected a closing bracket/,
    ],
    [
      'an unknown alias',
      'name: *nobody',
      /^a\.yaml:1:8: not valid YAML: unidentified alias "nobody"; expected an earlier anchor/,
    ],
    ['a tag that would build something', 'name: !!js/function x', /^a\.yaml:1:7: not valid YAML: unknown .*tag/],
    ['NUL', 'name: a\u0000', /^a\.yaml:1:8: not valid YAML: null byte/],
    ['nothing', '# only a comment\n', /^a\.yaml:1:1: expected a mapping, found an empty file$/],
    ['two documents', '---\nname: a\n---\nname: b\n', /^a\.yaml:1:1: expected one document, found 2/],
    ['a mapping as key', '? {a: b}\n: c', /^a\.yaml:1:\d+: not valid YAML: .*complex keys/],
  ])('is reported with location and advice: %s', (_, text, expected) => {
    expect(problemsOf(text)).toEqual([expect.stringMatching(expected)]);
  });
});

describe('malicious YAML', () => {
  it('is rejected before it is built if aliases multiply', () => {
    const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 10; level += 1)
      bomb.push(
        `a${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      );
    expect(problemsOf(bomb.join('\n'))).toEqual([
      expect.stringMatching(/more than 20000 values after expanding aliases/),
    ]);
  });

  it('is rejected if it contains itself', () => {
    expect(problemsOf('name: &n [1, *n]')).toEqual([
      expect.stringMatching(/^a\.yaml:1:15: not valid YAML: alias "n" is inside the value that it refers to/),
    ]);
    expect(problemsOf('&r\nname: {x: [*r]}')).toEqual([expect.stringMatching(/is inside the value/)]);
  });

  it('is rejected with too many aliases, even small ones', () => {
    expect(problemsOf(`name: &n a\ntools: [${Array(200).fill('*n').join(', ')}]`)).toEqual([
      expect.stringMatching(/aliases/),
    ]);
  });

  it('is rejected if it is nested too deeply', () => {
    expect(problemsOf(`name: ${'['.repeat(5_000)}${']'.repeat(5_000)}`)).toEqual([
      expect.stringMatching(/maxDepth.*expected at most 40 levels/),
    ]);
  });

  it('cannot set a prototype', () => {
    const loose = z.record(z.string(), z.unknown());
    const { value } = parseYaml('__proto__: {polluted: true}\nconstructor: x', loose, { file: 'a.yaml' });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(problemsOf('name: a\n__proto__: {steps: 1}')).toEqual([
      expect.stringMatching(/^a\.yaml:2:1: unknown key '__proto__'/),
    ]);
  });
});

describe('a valid YAML file', () => {
  it('gets defaults, YAML 1.2 scalars and ordinary aliases', () => {
    const { value } = parseYaml(lines('name: no', 'tools: &t [yes, "1"]', 'todos: *t'), schema, { file: 'a.yaml' });
    expect(value).toEqual({ name: 'no', limits: { steps: 10 }, tools: ['yes', '1'], todos: ['yes', '1'] });
  });

  it('has a hash of its content, not of its layout', () => {
    const hash = (text: string): string => parseYaml(text, schema, { file: 'a.yaml' }).hash;
    const first = hash(lines('name: a', 'tools: [x]'));
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(hash(lines('# a comment', 'tools:', '  - "x"', 'limits: {steps: 10}', 'name: a'))).toBe(first);
    expect(hash(lines('name: a', 'tools: [y]'))).not.toBe(first);
  });
});

describe('placeholders', () => {
  const profile = z.strictObject({
    model: z.string(),
    context: z.int(),
    thinking: z.boolean().optional(),
    note: z.string().optional(),
  });
  const parse = (text: string, variables?: Record<string, string | undefined>): unknown =>
    parseYaml(text, profile, { file: 'm.yaml', variables }).value;

  it('take the variable, or the default if it is unset or empty', () => {
    const text = lines(
      'model: ${MODEL:-small}',
      'context: ${CONTEXT:-4096}',
      'thinking: ${THINK:-false}',
      'note: "v${A:-1}-${B:-2}"',
    );
    expect(parse(text, {})).toEqual({ model: 'small', context: 4096, thinking: false, note: 'v1-2' });
    expect(parse(text, { MODEL: 'a/b:c', CONTEXT: '8192', THINK: 'true', A: '', B: '$&' })).toEqual({
      model: 'a/b:c',
      context: 8192,
      thinking: true,
      note: 'v1-$&',
    });
  });

  it('stay text in quotes, and never become YAML', () => {
    expect(parse(lines('model: "${MODEL}"', 'context: 1'), { MODEL: '42' })).toEqual({ model: '42', context: 1 });
    expect(parse(lines('model: ${MODEL}', 'context: 1'), { MODEL: '[a]\ncontext: 2' })).toEqual({
      model: '[a]\ncontext: 2',
      context: 1,
    });
  });

  it('report the line of a variable that is not set', () => {
    expect(() => parse(lines('context: 1', 'model: ${MODEL}'), {})).toThrow(
      'm.yaml:2:8: expected the variable MODEL to be set, or a default: ${MODEL:-…}',
    );
  });

  it('see only the given variables, not even members of every object', () => {
    process.env['PHASELINE_SPEC_SECRET'] = 'x';
    expect(() => parse(lines('model: ${PHASELINE_SPEC_SECRET}', 'context: 1'), {})).toThrow(
      /PHASELINE_SPEC_SECRET to be set/,
    );
    expect(() => parse(lines('model: ${constructor}', 'context: 1'), {})).toThrow(/constructor to be set/);
    delete process.env['PHASELINE_SPEC_SECRET'];
  });

  it('are plain text if no variables are passed', () => {
    expect(parse(lines('model: ${MODEL}', 'context: 1'))).toEqual({ model: '${MODEL}', context: 1 });
  });
});
