import { skillsPack } from '@phaseline/inline-packs';
import { describe, expect, it } from 'vitest';
import { Engine, type Policy } from './engine.js';
import { useStore } from './use-store.fixture.js';
import { DO_THE_TODO, calls, createThreePhasePolicy, parsePrompt } from './scripts.js';

const opened = useStore();

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const files = [
  { path: 'skills/tables/SKILL.md', content: encode('---\nname: tables\ndescription: How.\n---\nDraw lines.\n') },
  { path: 'skills/tables/examples/wide.csv', content: encode('a,b\n') },
  { path: 'skills/tables/logo.png', content: Uint8Array.of(0xff, 0xd8) },
];

describe('skills in a job', () => {
  it('are listed in every prompt, read on demand, and cannot be changed by the agent', async () => {
    const systems: string[] = [];
    let results: string[] = [];
    const policy: Policy = (request, signal) => {
      systems.push(request.messages[0]!.content);
      return createThreePhasePolicy(() => {
        results = request.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
        if (parsePrompt(request).turn > 0) return DO_THE_TODO;
        return calls(
          ['read_skill', { name: 'tables' }],
          ['read_skill', { name: 'tables', file: 'examples/wide.csv' }],
          ['read_skill', { name: 'tables', file: '../../instructions.md' }],
          ['read_skill', { name: 'tables', file: 'logo.png' }],
          ['read_skill', { name: 'constructor' }],
          ['write_file', { path: 'skills/tables/SKILL.md', content: 'Draw nothing.' }],
          ['write_file', { path: 'skills/mine/SKILL.md', content: 'x' }],
        );
      })(request, signal);
    };
    const subject = new Engine({
      store: opened.store,
      policy,
      packs: [skillsPack],
      files,
      agent: {
        skills: [
          { name: 'tables', description: 'How tables are drawn.' },
          { name: 'gone', description: 'No file.' },
        ],
      },
    });
    const jobId = await subject.submitAndRun();
    expect((await subject.loadJob(jobId)).status).toBe('completed');
    for (const system of systems) {
      expect(system).toContain('\n- tables: How tables are drawn.\n');
      expect(system).not.toContain('gone');
      expect(system).not.toContain('Draw lines');
    }
    expect(results[0]).toBe('Draw lines.\n\nFiles of this skill, in skills/tables/:\n- examples/wide.csv\n- logo.png');
    expect(results[1]).toBe('a,b\n');
    expect(results[2]).toContain('has no file');
    expect(results[3]).toContain('is not a text file');
    expect(results[4]).toContain('There is no skill "constructor". Available skills: tables.');
    for (const refused of results.slice(5)) expect(refused).toContain('cannot be changed');
    const { tree } = await subject.loadPhase(jobId, 2);
    expect(Object.keys(tree).filter((path) => path.startsWith('skills/'))).toEqual(files.map(({ path }) => path));
  });
});
