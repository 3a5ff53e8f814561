import { describe, expect, it } from 'vitest';
import { buildPhaseState, InlineToolBench } from '@phaseline/tools/testing';
import { workspacePack } from './workspace-pack.js';

const bench = () => new InlineToolBench(workspacePack);
const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');

describe('read_file', () => {
  it('returns a short file unchanged, and a range by its line numbers', async () => {
    const tools = bench();
    tools.put('a.txt', 'one\ntwo\nthree\n');
    expect(await tools.call('read_file', { path: 'a.txt' })).toBe('one\ntwo\nthree\n');
    expect(await tools.call('read_file', { path: './a.txt', from_line: 2, to_line: 3 })).toBe(
      'two\nthree\n[lines 2 to 3 of 3.]',
    );
  });

  it('cuts a long file and says where to continue, so that all of it can be read', async () => {
    const tools = bench();
    tools.put('long.txt', lines(1_000));
    let next = 1;
    const seen: string[] = [];
    for (let guard = 0; guard < 10 && next <= 1_000; guard += 1) {
      const content = await tools.call('read_file', { path: 'long.txt', from_line: next });
      seen.push(...content.split('\n').filter((line) => line.startsWith('line ')));
      next = Number(/from_line (\d+)/.exec(content)?.[1] ?? 1_001);
    }
    expect(seen).toEqual(lines(1_000).split('\n'));
  });

  it.each([
    ['a missing file, with a suggestion', 'docs/report.md', /no file docs\/report\.md.*output\/report\.md/],
    ['a binary file', 'data.bin', /not a text file/],
    ['a path outside the workspace', '../secret', /leaves the workspace/],
    ['an absolute path', '/etc/passwd', /absolute/],
  ])('rejects %s', async (_what, path, problem) => {
    const tools = bench();
    tools.put('output/report.md', 'x');
    tools.put('data.bin', new Uint8Array([0, 255, 1]));
    await expect(tools.call('read_file', { path })).rejects.toThrow(problem);
  });

  it('rejects lines past the end', async () => {
    const tools = bench();
    tools.put('a.txt', 'one');
    await expect(tools.call('read_file', { path: 'a.txt', from_line: 2 })).rejects.toThrow(/has 1 lines/);
  });
});

describe('writing', () => {
  it('writes, appends, edits and deletes', async () => {
    const tools = bench();
    await tools.call('write_file', { path: 'notes/a.md', content: 'alpha\n' });
    await tools.call('append_file', { path: 'notes/a.md', content: 'beta\n' });
    await tools.call('edit_file', { path: 'notes/a.md', old_text: 'alpha', new_text: 'omega' });
    expect(await tools.readText('notes/a.md')).toBe('omega\nbeta\n');
    expect(await tools.call('file_exists', { path: 'notes/a.md' })).toContain('exists (11 bytes)');
    await tools.call('delete_file', { path: 'notes/a.md' });
    expect(await tools.call('file_exists', { path: 'notes/a.md' })).toContain('does not exist');
  });

  it('edits only text that occurs exactly once, unless replace_all is set', async () => {
    const tools = bench();
    tools.put('a.txt', 'x y x');
    await expect(tools.call('edit_file', { path: 'a.txt', old_text: 'x', new_text: 'z' })).rejects.toThrow(/2 times/);
    await expect(tools.call('edit_file', { path: 'a.txt', old_text: 'q', new_text: 'z' })).rejects.toThrow(
      /does not occur/,
    );
    await tools.call('edit_file', { path: 'a.txt', old_text: 'x', new_text: '$&', replace_all: true });
    expect(await tools.readText('a.txt')).toBe('$& y $&');
  });

  it('replaces lone surrogates and keeps the rest byte for byte', async () => {
    const tools = bench();
    await tools.call('write_file', { path: 'a.txt', content: 'ok \ud800 \u0000 end' });
    expect(await tools.readText('a.txt')).toBe('ok \ufffd \u0000 end');
  });

  it.each(['write_file', 'append_file', 'edit_file', 'delete_file'])(
    'archives and, in tactical phases, the plan cannot be changed by %s',
    async (name) => {
      const tools = new InlineToolBench(workspacePack, buildPhaseState({ identity: { kind: 'tactical' } }));
      for (const path of ['archive/phase_001.md', 'todos.yaml', './todos.yaml']) {
        tools.put(path, 'content');
        await expect(
          tools.call(name, { path, content: 'x', old_text: 'content', new_text: 'x' }),
        ).rejects.toMatchObject({ code: 'read_only' });
      }
    },
  );

  it('rejects a file in place of a folder, and a folder in place of a file', async () => {
    const tools = bench();
    tools.put('a/b.txt', 'x');
    await expect(tools.call('write_file', { path: 'a', content: '' })).rejects.toThrow(/is a folder/);
    await expect(tools.call('write_file', { path: 'a/b.txt/c', content: '' })).rejects.toThrow(/is a file/);
  });
});

describe('list_files', () => {
  it('lists only files below the folder, with sizes', async () => {
    const tools = bench();
    tools.put('a/one.txt', '1');
    tools.put('ab/two.txt', '22');
    expect(await tools.call('list_files', { path: 'a' })).toBe('a/one.txt (1 bytes)');
    expect(await tools.call('list_files')).toBe('a/one.txt (1 bytes)\nab/two.txt (2 bytes)');
  });
});

describe('search_files', () => {
  it('finds texts and patterns with file and line', async () => {
    const tools = bench();
    tools.put('a.md', 'First\nThe system MUST stop.\n');
    tools.put('b.bin', new Uint8Array([0, 1]));
    expect(await tools.call('search_files', { query: 'must stop' })).toBe('a.md:2: The system MUST stop.');
    expect(await tools.call('search_files', { query: '^F\\w+t$', regex: true })).toBe('a.md:1: First');
    expect(await tools.call('search_files', { query: 'must', case_sensitive: true })).toContain('No matches');
  });

  it('does not block the process while a pattern runs forever, and has one time limit for all files', async () => {
    const tools = bench();
    for (let file = 0; file < 40; file += 1) tools.put(`data/${file}.md`, `${'a'.repeat(60)}!`);
    let turns = 0;
    const ticker = setInterval(() => (turns += 1), 5);
    const search = tools.call('search_files', { query: '^(a+)+$', regex: true });
    await expect(search).rejects.toMatchObject({ code: 'pattern_too_slow' });
    clearInterval(ticker);
    // On the main thread there would be one tick per file.
    expect(turns).toBeGreaterThan(100);
    // The terminated thread is replaced.
    expect(await tools.call('search_files', { query: 'a!$', regex: true, path: 'data/3.md' })).toContain(
      'data/3.md:1:',
    );
  });

  it('runs more concurrent searches than it has threads, each with its own pattern', async () => {
    const tools = bench();
    for (let file = 0; file < 300; file += 1) tools.put(`data/${file}.md`, `File ${file}.\n`);
    const found = await Promise.all(
      Array.from({ length: 6 }, (_, index) => tools.call('search_files', { query: `^File ${index}\\.$`, regex: true })),
    );
    expect(found).toEqual(Array.from({ length: 6 }, (_, index) => `data/${index}.md:1: File ${index}.`));
  });

  it('stops a pattern that would run forever, and rejects an invalid one', async () => {
    const tools = bench();
    tools.put('a.md', `${'a'.repeat(60)}!`);
    await expect(tools.call('search_files', { query: '^(a+)+$', regex: true })).rejects.toMatchObject({
      code: 'pattern_too_slow',
    });
    await expect(tools.call('search_files', { query: '(', regex: true })).rejects.toMatchObject({
      code: 'bad_pattern',
    });
  });
});
