import { describe, expect, it } from 'vitest';
import { buildPhaseState, InlineToolBench } from '@phaseline/tools/testing';
import { memoryPack } from './memory-pack.js';

const todos = [
  { id: 1, content: 'Read', status: 'done' as const },
  { id: 2, content: 'Write\nit', status: 'open' as const },
];
const bench = () =>
  new InlineToolBench(memoryPack, buildPhaseState({ plan: { todos }, identity: { name: 'Work', kind: 'tactical' } }));

describe('the memory of a job', () => {
  it('adds accomplishments and notes without changing what a person wrote', async () => {
    const tools = bench();
    tools.put('workspace.md', '# My job\n\nBy hand.\n\n## Notes\n\n- kept\n\n## Mine\n\ntext\n');
    await tools.call('add_note', { text: 'Section 4 is\n## odd' });
    await tools.call('add_accomplishment', { text: '47 pages read' });
    expect(await tools.call('add_note', { text: 'kept' })).toContain('already');
    expect(await tools.readText('workspace.md')).toBe(
      '# My job\n\nBy hand.\n\n## Notes\n\n- kept\n- Section 4 is ## odd\n\n## Mine\n\ntext\n\n## Accomplishments\n\n- 47 pages read\n',
    );
  });

  it('updates state and files repeatedly, keeps the purposes of files, and leaves the rest unchanged', async () => {
    const tools = bench();
    tools.put('documents/a.md', '12345');
    await tools.call('add_note', { text: 'stays' });
    await tools.call('generate_workspace_summary');
    await tools.call('describe_file', { path: './documents/a.md', purpose: 'What to\ncheck' });
    await tools.call('generate_workspace_summary');
    const text = await tools.readText('workspace.md');
    expect(text).toMatch(/^# Workspace\n\n## Notes\n\n- stays\n\n<!-- summary: [\s\S]*<!-- end of the summary -->\n$/);
    expect(text).toMatch(/- Phase 1: Work \(tactical\)\n- Todos: 1 of 2 done\n- Current todo: 2\. Write it\n/);
    expect(text.match(/- `documents\/a\.md` \(5 bytes, changed \S+\): What to check\n/g)).toHaveLength(1);
    const summary = await tools.call('get_workspace_summary');
    expect(summary).toMatch(
      /## Current state[\s\S]*1 of 2[\s\S]*## Notes\n- stays[\s\S]*## Files\n- `documents\/a\.md/,
    );
    await tools.call('describe_file', { path: 'documents/a.md', purpose: '' });
    expect(await tools.readText('workspace.md')).not.toContain('What to check');
    await expect(tools.call('describe_file', { path: 'none.md', purpose: 'x' })).rejects.toMatchObject({
      code: 'file_missing',
    });
  });

  it('has a maximum size', async () => {
    const tools = bench();
    tools.put('workspace.md', `# W\n\n${'x'.repeat(99_990)}\n`);
    await expect(tools.call('add_note', { text: 'more' })).rejects.toMatchObject({ code: 'memory_full' });
    const many = bench();
    for (let number = 0; number < 200; number += 1) many.put(`output/${number}.md`, 'x');
    expect(await many.call('get_workspace_summary')).toContain('- `output/`: 170 more files');
  });
});

describe('add_experience', () => {
  it('records a lesson once, in the file and as an event', async () => {
    const tools = bench();
    const outcome = await tools.run('add_experience', { kind: 'lesson', text: 'Look\n- twice' });
    expect(outcome.events).toEqual([
      { type: 'ExperienceNoted', data: { kind: 'lesson', text: 'Look - twice', callId: 'call_1' } },
    ]);
    expect(await tools.readText('experiences.md')).toContain('## Lessons learned\n\n- Look - twice\n');
    expect((await tools.run('add_experience', { kind: 'lesson', text: 'Look - twice' })).events).toBeUndefined();
    await expect(tools.call('add_experience', { kind: 'works', text: ' \n ' })).rejects.toMatchObject({
      code: 'empty',
    });
  });
});
