import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FIXTURE, HookBench, readSet } from './hook-bench.fixture.js';
import { importSettings } from '../settings/import-settings.js';

const bench = (): HookBench => new HookBench(readSet(FIXTURE));
const write = (path: string, content = 'text') => ({ tool: 'write_file', args: { path, content } });
const tester = { id: 'phase-1-2', type: 'tester-agent' };

describe('the hooks of document 003, imported unchanged', () => {
  it('is imported without anything that never fires', () => {
    const imported = importSettings(JSON.parse(readFileSync(join(FIXTURE, 'settings.json'), 'utf8')));
    expect(imported).toMatchObject({ unsupported: [], problems: [], notes: [] });
    expect(imported.handlers.map(({ name, matcher }) => [name, matcher])).toEqual([
      ['PreToolUse-1', 'Write'],
      ['PreToolUse-2', 'Write'],
      ['PreToolUse-3', 'Write'],
      ['PreToolUse-4', 'Edit'],
      ['PreToolUse-5', 'Write|Edit'],
      ['PreToolUse-6', '^Read$'],
      ['SubagentStop-1', undefined],
    ]);
  });

  it('block-tested-true denies a feature marked as tested without evidence, also by an edit of one word', async () => {
    const one = bench();
    const marked = write('feature-list.json', '[{"id":1,"tested": true}]');
    const denied = { decision: 'deny', reason: expect.stringContaining('No feature is tested without evidence.') };
    expect(await one.askCall(marked)).toEqual([denied]);
    one.put('feature-list.json', '[{"id":1,"tested": false}]');
    const edit = { tool: 'edit_file', args: { path: 'feature-list.json', old_text: 'false', new_text: 'true' } };
    expect(await one.askCall(edit)).toEqual([denied]);
    const append = { tool: 'append_file', args: { path: 'feature-list.json', content: ', {"tested":true}' } };
    expect(await one.askCall(append)).toEqual([denied]);
    one.put('/tmp/test-evidence/run.log', 'ok');
    expect(await one.askCall(marked)).toEqual([]);
    expect(await one.askCall(write('other.json', '{"tested": true}'))).toEqual([]);
  });

  it('force-tester-completion lets the tester end, also failed, once a test ran', async () => {
    const one = bench();
    const end = { point: 'SubagentStop', isRepeated: false } as const;
    const ask = async (agent: typeof tester) => (await one.ask(end, { agent })).map(({ decision }) => decision);
    expect(await ask(tester)).toEqual([{ decision: 'deny', reason: expect.stringMatching(/^No test ran\./) }]);
    expect(await ask({ ...tester, type: 'coding-agent' })).toEqual([undefined]);
    one.put('/tmp/test-state.json', '{"tests_run": 3, "tests_passed": 0}');
    expect(await ask(tester)).toEqual([undefined]);
  });

  it('enforce-log-tool denies reading a log of more than 1,000 lines', async () => {
    const one = bench();
    one.put('logs/long.log', 'line\n'.repeat(1_001));
    one.put('logs/short.log', 'line\n'.repeat(1_000));
    const read = (path: string) => one.askCall({ tool: 'read_file', args: { path } });
    expect(await read('logs/long.log')).toEqual([
      { decision: 'deny', reason: '/workspace/logs/long.log has 1001 lines. Search it with Grep instead.' },
    ]);
    expect(await read('logs/short.log')).toEqual([]);
    expect(await read('logs/none.log')).toEqual([]);
  });

  it('block-direct-edit lets only the coding agent write source code', async () => {
    const one = bench();
    const denied = [{ decision: 'deny', reason: expect.stringContaining('Only coding-agent writes under src/.') }];
    expect(await one.askCall(write('src/a.ts'))).toEqual(denied);
    expect(await one.askCall(write('src/a.ts'), tester)).toEqual(denied);
    expect(await one.askCall(write('src/a.ts'), { id: 'phase-1-3', type: 'coding-agent' })).toEqual([]);
    expect(await one.askCall(write('docs/src/a.ts'))).toEqual([]);
  });

  it('enforce-safe-paths amends the path of a summary and keeps its content', async () => {
    const one = bench();
    expect(await one.askCall(write('out/summary.md', 'all'))).toEqual([
      {
        decision: 'amend',
        reason: 'Summaries are kept in summaries/.',
        amended: { path: 'summaries/summary.md', content: 'all' },
      },
    ]);
    expect(await one.askCall(write('summaries/summary.md', 'all'))).toEqual([]);
  });

  it('an amendment without a required member denies the call and names the member', async () => {
    expect(await bench().askCall(write('a-note.md'))).toEqual([
      { decision: 'deny', reason: expect.stringContaining("has no member 'content'") },
    ]);
  });
});
