import { describe, expect, it } from 'vitest';
import { askAboutCall, buildGuard, buildRule, buildScript, buildState } from './guards.fixture.js';

const denyFetch = buildRule(
  'no-fetch',
  { tool: 'fetch' },
  { deny: 'no {tool} of {args.url}', suggest: 'use the cache' },
);
const file = (hash: string, size = 10) => ({ hash, size, writtenAt: '2026-01-01T00:00:00.000Z' });

describe('a rule', () => {
  it('denies a call with its reason, and leaves other calls alone', async () => {
    const { merged, recorded } = await askAboutCall([denyFetch], 'fetch', { url: 'http://a' });
    expect(merged).toMatchObject({ kind: 'deny', reason: 'no fetch of http://a', suggest: 'use the cache' });
    expect(recorded).toMatchObject([{ kind: 'deny', guard: { name: 'no-fetch', stage: 'production' } }]);
    expect(await askAboutCall([denyFetch], 'note', {})).toEqual({
      merged: { kind: 'allow', context: [] },
      recorded: [],
    });
  });

  it.each([
    ['the agent', { agent: 'tester' }, true],
    ['another agent', { agent: 'coder' }, false],
    ['one of several agents', { agent: { in: ['coder', 'tester'] } }, true],
    ['the state', { state: 'execute' }, true],
    ['another state', { state: 'plan' }, false],
    ['the kind of phase', { phaseKind: 'tactical' }, true],
    ['another kind of phase', { phaseKind: 'strategic' }, false],
    ['a glob of tools', { tool: 'wr*_file' }, true],
    ['a list of tools', { tool: ['read_file', 'write_file'] }, true],
    ['an argument', { args: { path: { glob: 'src/**' } } }, true],
    ['an argument that is absent', { args: { other: { exists: true } } }, false],
    ['all of several conditions', { tool: 'write_file', agent: 'coder' }, false],
    ['a negation', { not: { agent: 'coder' } }, true],
    ['alternatives', { any: [{ agent: 'coder' }, { state: 'execute' }] }, true],
    ['alternatives that do not hold', { any: [{ agent: 'coder' }, { state: 'plan' }] }, false],
    ['nested conditions', { all: [{ tool: 'write_file' }, { not: { phaseKind: 'strategic' } }] }, true],
    ['nested conditions that do not hold', { all: [{ tool: 'write_file' }, { phaseKind: 'strategic' }] }, false],
  ])('matches %s', async (_what, when, isMatching) => {
    const { merged } = await askAboutCall([buildRule('r', when, { deny: 'no' })], 'write_file', { path: 'src/a.ts' });
    expect(merged.kind).toBe(isMatching ? 'deny' : 'allow');
  });

  it.each(['./src/a.ts', 'src//a.ts', '/src/a.ts', './/./src/./a.ts'])(
    'cannot be passed with another spelling of a path: %s',
    async (path) => {
      const rule = buildRule('r', { args: { path: { glob: 'src/**' } } }, { deny: 'no' });
      expect((await askAboutCall([rule], 'write_file', { path })).merged.kind).toBe('deny');
    },
  );

  it('counts the lines of a file that a call names', async () => {
    const when = { tool: 'read_file', file: { path: '{args.path}', lines: { gt: 3 } } };
    const state = buildState({
      workspace: { tree: { 'a.log': file('h4'), 'b.log': file('h3'), 'c.log': file('open') } },
    });
    const files = { h4: '1\n2\n3\n4\n', h3: '1\n2\n3\n', open: '1\n2\n3\n4' };
    const ask = (path: string) =>
      askAboutCall([buildRule('r', when, { deny: 'long' })], 'read_file', { path }, state, { files });
    expect((await ask('./a.log')).merged.kind).toBe('deny');
    expect((await ask('c.log')).merged.kind).toBe('deny');
    expect((await ask('b.log')).merged.kind).toBe('allow');
    expect((await ask('absent.log')).merged.kind).toBe('allow');
  });

  it('reads no file if its other conditions do not hold', async () => {
    const read: string[] = [];
    const readTexts = async (wanted: ReadonlyMap<string, string>) => {
      read.push(...wanted.values());
      return new Map([...wanted.keys()].map((hash) => [hash, '']));
    };
    const state = buildState({ workspace: { tree: { 'a.log': file('h') } } });
    const rule = buildRule('r', { agent: 'coder', file: { path: 'a.log', lines: 1 } }, { deny: 'no' });
    await askAboutCall([rule], 'read_file', {}, state, { readTexts });
    expect(read).toEqual([]);
    await askAboutCall(
      [{ ...rule, body: { ...rule.body, when: { file: { path: 'a.log', lines: 1 } } } }],
      'x',
      {},
      state,
      { readTexts },
    );
    expect(read).toEqual(['a.log']);
  });

  it('fails closed if a file cannot be read, and is skipped with onFailure: continue', async () => {
    const state = buildState({ workspace: { tree: { 'a.log': file('h', 9_000_000) } } });
    const rule = buildRule('r', { file: { path: 'a.log', lines: { gt: 1 } } }, { ask: 'sure?' });
    const closed = await askAboutCall([rule], 'read_file', {}, state);
    expect(closed.merged).toMatchObject({ kind: 'deny', reason: expect.stringContaining('too large') });
    const open = await askAboutCall([{ ...rule, onFailure: 'continue' }], 'read_file', {}, state);
    expect(open.merged.kind).toBe('allow');
    expect(open.recorded).toMatchObject([{ kind: 'allow', failure: { code: 'undecidable' } }]);
  });

  it('uses checks over the phase', async () => {
    const when = { not: { checks: [{ call: { tool: 'run_tests', since: 'phase', outcome: 'any' } }] } };
    const rule = buildRule('r', when, { deny: 'no test ran' });
    expect((await askAboutCall([rule], 'finish', {})).merged.kind).toBe('deny');
    const ran = buildState({}, [
      {
        type: 'ModelResponded',
        data: {
          step: 1,
          model: 'm',
          content: '',
          calls: [{ callId: 't', name: 'run_tests', arguments: {} }],
          end: 'calls',
          usage: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, estimated: false },
          costMicroUsd: 0,
          durationMs: 1,
        },
      },
      {
        type: 'ToolCallRequested',
        data: {
          callId: 't',
          step: 1,
          name: 'run_tests',
          arguments: {},
          lane: 'inline',
          effect: 'pure',
          traits: [],
          timeoutMs: 1,
        },
      },
      { type: 'ToolCallFailed', data: { callId: 't', code: 'x', message: 'x', attempts: 1, durationMs: 1 } },
    ]);
    expect((await askAboutCall([rule], 'finish', {}, ran)).merged.kind).toBe('allow');
  });

  it('adds context for the model', async () => {
    const rule = buildRule('r', { tool: 'fetch' }, { context: 'cite {args.url}' });
    expect((await askAboutCall([rule], 'fetch', { url: 'u' })).merged).toEqual({ kind: 'allow', context: ['cite u'] });
  });

  it('is asked only at its hook points, and only in shadow or production', async () => {
    expect((await askAboutCall([{ ...denyFetch, points: ['Stop'] }], 'fetch', {})).merged.kind).toBe('allow');
    for (const stage of ['draft', 'backtest'] as const)
      expect(await askAboutCall([{ ...denyFetch, stage }], 'fetch', {})).toEqual({
        merged: { kind: 'allow', context: [] },
        recorded: [],
      });
  });

  it('in shadow records what it would have done, and blocks nothing', async () => {
    const { merged, recorded } = await askAboutCall([{ ...denyFetch, stage: 'shadow' }], 'fetch', { url: 'u' });
    expect(merged).toEqual({ kind: 'allow', context: [] });
    expect(recorded).toMatchObject([{ kind: 'deny', guard: { stage: 'shadow' } }]);
  });
});

describe('an amendment', () => {
  const amend = buildRule(
    'safe-paths',
    { tool: 'write_file', not: { args: { path: { startsWith: 'notes/' } } } },
    { amend: { path: 'notes/{args.path|basename}' }, reason: 'notes go to one folder' },
  );

  it('changes the named arguments and keeps the others', async () => {
    const { merged, recorded } = await askAboutCall([amend], 'write_file', { path: 'x/a.md', content: 'hello' });
    expect(merged).toMatchObject({ kind: 'allow', amended: { arguments: { path: 'notes/a.md', content: 'hello' } } });
    expect(recorded).toMatchObject([
      { kind: 'amend', arguments: { path: 'notes/a.md' }, reason: 'notes go to one folder' },
    ]);
  });

  it('is seen by all guards once more: another guard may deny the result', async () => {
    const deny = buildRule('no-notes', { args: { path: { startsWith: 'notes/' } } }, { deny: 'notes are closed' });
    const { merged, recorded } = await askAboutCall([amend, deny], 'write_file', { path: 'a.md', content: '' });
    expect(merged).toMatchObject({ kind: 'deny', by: { name: 'no-notes' } });
    expect(recorded.map(({ guard, kind }) => [guard.name, kind])).toEqual([
      ['safe-paths', 'amend'],
      ['no-notes', 'deny'],
    ]);
  });

  it('that differs from that of another guard denies the call', async () => {
    const other = buildRule('z', { tool: 'write_file' }, { amend: { path: 'other.md' }, reason: 'r' });
    const { merged } = await askAboutCall([amend, other], 'write_file', { path: 'a.md', content: '' });
    expect(merged).toMatchObject({ kind: 'deny', reason: expect.stringMatching(/safe-paths and z demand different/) });
  });

  it('that equals that of another guard is made once', async () => {
    const twin = { ...amend, name: 'twin' };
    const { merged } = await askAboutCall([amend, twin], 'write_file', { path: 'a.md', content: '' });
    expect(merged).toMatchObject({ kind: 'allow', amended: { by: [{ name: 'safe-paths' }, { name: 'twin' }] } });
  });

  it('that is made again on its own result denies the call', async () => {
    const endless = buildRule('endless', { tool: 'write_file' }, { amend: { path: 'x/{args.path}' }, reason: 'r' });
    const { merged } = await askAboutCall([endless], 'write_file', { path: 'a' });
    expect(merged).toMatchObject({ kind: 'deny', reason: expect.stringContaining('again') });
  });

  it('that does not fit the tool denies the call and names the problem', async () => {
    const { merged } = await askAboutCall([amend], 'write_file', { path: 'a.md' }, undefined, {
      parseAmended: () => ({ problem: 'content is missing' }),
    });
    expect(merged).toMatchObject({ kind: 'deny', reason: expect.stringContaining('content is missing') });
  });

  it('is not made again if the tool only writes it in another form', async () => {
    const rule = buildRule('r', { tool: 'write_file' }, { amend: { content: 7 }, reason: 'r' });
    const { merged, recorded } = await askAboutCall([rule], 'write_file', { content: 'x' }, undefined, {
      parseAmended: ({ content }) => ({ arguments: { content: String(content) } }),
    });
    expect(merged).toMatchObject({ kind: 'allow', amended: { arguments: { content: '7' } } });
    expect(recorded).toHaveLength(1);
  });

  it('comes before the question to a person, who sees the final arguments', async () => {
    const ask = buildRule('ask', { tool: 'write_file' }, { ask: 'write {args.path}?' });
    const { merged } = await askAboutCall([amend, ask], 'write_file', { path: 'x/a.md' });
    expect(merged).toMatchObject({
      kind: 'ask',
      reason: 'write notes/a.md?',
      amended: { arguments: { path: 'notes/a.md' } },
    });
  });
});

describe('several guards', () => {
  const ask = buildRule('ask', {}, { ask: 'sure?' }, { scope: 'system' });
  const deny = buildRule('deny', {}, { deny: 'no' });
  const context = buildRule('context', {}, { context: 'be careful' });

  it('deny beats ask, and ask beats allow, whatever the scope', async () => {
    expect((await askAboutCall([ask, deny], 'note', {})).merged.kind).toBe('deny');
    expect((await askAboutCall([ask, context], 'note', {})).merged).toMatchObject({
      kind: 'ask',
      context: ['be careful'],
    });
    const allow = buildScript('allow', '() => ({ decision: "allow" })');
    expect((await askAboutCall([ask, allow], 'note', {})).merged.kind).toBe('ask');
  });

  it('run in the order of scope and name', async () => {
    const guards = [
      buildRule('b', {}, { context: 'agent b' }),
      buildRule('a', {}, { context: 'agent a' }),
      buildRule('z', {}, { context: 'tenant z' }, { scope: 'tenant' }),
      buildRule('y', {}, { context: 'system y' }, { scope: 'system' }),
    ];
    const { merged } = await askAboutCall(guards, 'note', {});
    expect(merged).toMatchObject({ context: ['system y', 'tenant z', 'agent a', 'agent b'] });
  });

  it('an override takes the effect of one guard away, and its decision is still recorded', async () => {
    const overrides = [
      { guard: 'deny', scope: 'agent' as const, actor: 'ada', reason: 'urgent', expiresAt: '2030-01-01T00:00:00.000Z' },
    ];
    const { merged, recorded } = await askAboutCall([deny], 'note', {}, undefined, { overrides });
    expect(merged.kind).toBe('allow');
    expect(recorded).toMatchObject([{ kind: 'deny', override: { actor: 'ada', reason: 'urgent' } }]);
    const system = { ...deny, scope: 'system' as const };
    expect((await askAboutCall([system], 'note', {}, undefined, { overrides })).merged.kind).toBe('deny');
  });
});

describe('a script', () => {
  it('decides from the event and the state', async () => {
    const guard = buildScript(
      's',
      `({ event, state }) => {
         if (event.tool !== 'write_file') return;
         if (state.agent === 'tester' && event.arguments.path.endsWith('.ts')) return { decision: 'deny', reason: 'no code', suggest: 'ask the coder' };
         return null;
       };`,
    );
    expect((await askAboutCall([guard], 'write_file', { path: 'a.ts' })).merged).toMatchObject({
      kind: 'deny',
      reason: 'no code',
      suggest: 'ask the coder',
    });
    expect((await askAboutCall([guard], 'write_file', { path: 'a.md' })).merged.kind).toBe('allow');
    expect((await askAboutCall([guard], 'note', {})).merged.kind).toBe('allow');
  });

  it('can ask, amend and add context', async () => {
    const asks = buildScript('s', '() => ({ decision: "ask", reason: "sure?" })');
    expect((await askAboutCall([asks], 'note', {})).merged).toMatchObject({ kind: 'ask', reason: 'sure?' });
    const amends = buildScript('s', '() => ({ decision: "amend", arguments: { a: [1] }, reason: "r" })');
    expect((await askAboutCall([amends], 'note', { a: 0 })).merged).toMatchObject({
      amended: { arguments: { a: [1] } },
    });
    const adds = buildScript('s', 'async () => ({ decision: "context", context: "c" })');
    expect((await askAboutCall([adds], 'note', {})).merged).toMatchObject({ kind: 'allow', context: ['c'] });
  });

  it.each([
    ['throws', '() => { throw new Error("broken") }', 'broken'],
    ['never ends', '() => { for (;;) {} }', 'step limit'],
    ['returns something else', '() => ({ decision: "maybe" })', 'expected null'],
    ['denies without a reason', '() => ({ decision: "deny" })', 'expected null'],
    ['is no function', '42', 'not a function'],
    ['does not parse', '() => {', 'SyntaxError'],
    ['uses the time', '() => Date.now()', 'Date'],
    ['uses randomness', '() => Math.random()', 'not available'],
    ['calls a tool', 'async () => tools.note({})', 'tool calls'],
  ])('that %s denies the call', async (_what, code, message) => {
    const { merged, recorded } = await askAboutCall([buildScript('s', code)], 'note', {});
    expect(merged).toMatchObject({ kind: 'deny', reason: expect.stringContaining(message) });
    expect(recorded).toMatchObject([{ failure: { message: expect.stringContaining(message) } }]);
    const open = await askAboutCall([buildScript('s', code, { onFailure: 'continue' })], 'note', {});
    expect(open.merged.kind).toBe('allow');
  });

  it('cannot read its input except through its parameter, and cannot change what other guards see', async () => {
    const first = buildScript('a', '({ event }) => { event.arguments.path = "changed"; Object.prototype.tool = "x"; }');
    const second = buildScript('b', '({ event }) => ({ decision: "deny", reason: event.arguments.path + event.tool })');
    expect((await askAboutCall([first, second], 'note', { path: 'p' })).merged).toMatchObject({ reason: 'pnote' });
  });
});

describe('the index of guards', () => {
  it('asks no rule that names only other tools', async () => {
    let asked = 0;
    const readTexts = async (wanted: ReadonlyMap<string, string>) => {
      asked += wanted.size;
      return new Map<string, string>();
    };
    const state = buildState({ workspace: { tree: { f: file('h') } } });
    const guards = Array.from({ length: 50 }, (_, index) =>
      buildRule(
        `g${index}`,
        { tool: index < 10 ? 'note' : 'other', file: { path: 'f', lines: 1 } },
        { deny: 'no' },
        { onFailure: 'continue' },
      ),
    );
    const { recorded } = await askAboutCall(guards, 'note', {}, state, { readTexts });
    expect(recorded).toHaveLength(10);
    expect(asked).toBe(1);
  });

  it('denies what a guard concerns that this release cannot read', async () => {
    const newer = buildRule('newer', { moon: 'full' }, { deny: 'no' });
    const { merged } = await askAboutCall([newer], 'note', {});
    expect(merged).toMatchObject({ kind: 'deny', reason: expect.stringContaining('cannot be read by this release') });
    expect((await askAboutCall([{ ...newer, onFailure: 'continue' }], 'note', {})).merged.kind).toBe('allow');
  });

  it('does not run guards of other kinds', async () => {
    const command = buildGuard('c', { kind: 'command', body: {} });
    expect((await askAboutCall([command], 'note', {})).merged.kind).toBe('allow');
  });
});
