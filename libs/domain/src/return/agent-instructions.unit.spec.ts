import { expect, it } from 'vitest';
import type { AgentsOfJob } from '../agent/state-agents.js';
import type { PhaseTree } from '../phase/state/tree.js';
import { agentInstructionsPath, INSTRUCTIONS_FILE, showInstructions } from './agent-instructions.js';

const file = (hash: string): PhaseTree[string] => ({ hash, size: 1, writtenAt: '2030-01-01T00:00:00.000Z' });
const submitted = { [INSTRUCTIONS_FILE]: file('own'), [agentInstructionsPath('tester')]: file('of tester') };
// Only the names are read.
const both = { agent: { name: 'writer' }, agents: { tester: {} } } as unknown as AgentsOfJob;
const alone = { agent: both.agent } as AgentsOfJob;
const show = (current: string, agents: AgentsOfJob, name: string, replaced?: readonly string[]) =>
  showInstructions({ [INSTRUCTIONS_FILE]: file(current) }, submitted, agents, name, replaced)[INSTRUCTIONS_FILE]?.hash;

it('each agent finds its own instructions, unless a person or an agent has changed the file', () => {
  expect(show('own', both, 'tester')).toBe('of tester');
  expect(show('of tester', both, 'writer')).toBe('own');
  expect(show('changed', both, 'tester')).toBe('changed');
});

it('a fork exchanges the instructions of its parents, and nothing that was changed', () => {
  expect(show('of the parent', alone, 'writer', ['of the parent'])).toBe('own');
  expect(show('of the parent', both, 'tester', ['of the parent'])).toBe('of tester');
  expect(show('changed', alone, 'writer', ['of the parent'])).toBe('changed');
});
