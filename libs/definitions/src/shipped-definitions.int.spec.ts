import { fileURLToPath } from 'node:url';
import { listOfferedTools } from '@phaseline/domain';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadDefinitions, type Definitions } from './definition/load-definitions.js';

const dir = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url));

let shipped: Definitions<{ name: string }>;

beforeAll(async () => {
  shipped = await loadDefinitions({
    agentsDir: dir('agents'),
    workflowsDir: dir('workflows'),
    modelsDir: dir('models'),
    modelSchema: z.looseObject({ name: z.string() }),
  });
});

describe('the shipped definitions', () => {
  it('load and are consistent with each other', () => {
    expect(shipped.agents.names).toContain('creator');
    expect(shipped.workflows.names).toContain('phase-alternation');
    expect(shipped.models.names).toEqual(expect.arrayContaining(['default', 'rehearsal']));
  });

  it('alternate strategic and tactical phases in the default workflow, which starts and ends with a strategic one', () => {
    const { start, states } = shipped.workflows.get('phase-alternation').definition;
    expect(states[start]?.kind).toBe('strategic');
    for (const state of Object.values(states)) {
      for (const [name, outcome] of Object.entries(state.outcomes)) {
        // The plan's last list is followed by the final todos, which also belong to a strategic phase.
        if (name === state.exhausted) expect(outcome).toMatchObject({ to: 'conclude', gates: ['plan-exhausted'] });
        else if ('to' in outcome) expect(states[outcome.to]?.kind).not.toBe(state.kind);
        else expect(state.kind).toBe('strategic');
      }
    }
  });

  it.each([
    ['feature-loop', ['initialise', 'code', 'report'], ['initializer-agent', 'coding-agent', 'feature-lead']],
    ['phase-alternation', ['plan', 'review', 'conclude'], ['creator', 'creator-research', 'validator']],
  ])('look for precedents first in %s', (name, states, agents) => {
    const { definition } = shipped.workflows.get(name);
    const precedent = { call: { tool: 'query_traces', since: 'phase' } };
    for (const [index, one] of states.entries()) {
      const state = definition.states[one]!;
      expect((state.todos as { checks: unknown[] }[])[0]!.checks[0], one).toEqual(precedent);
      // In the loop each state has an agent of its own; elsewhere every agent passes through every state.
      for (const agent of name === 'feature-loop' ? [agents[index]!] : agents)
        expect(listOfferedTools(shipped.agents.get(agent).definition, state.kind, state)).toContain('query_traces');
    }
  });

  it('offer no planning or completion in tactical phases, and no domain tools in strategic ones', () => {
    const agent = shipped.agents.get('creator').definition;
    const { plan, execute, review } = shipped.workflows.get('phase-alternation').definition.states;
    const tactical = listOfferedTools(agent, 'tactical', execute!);
    const todoTools = ['todo_complete', 'block_todo', 'unblock_todo', 'todo_rewind'];
    expect(tactical).toEqual([...agent.tools.workspace, ...todoTools, ...agent.tools.domain]);
    for (const state of [plan!, review!]) {
      expect(listOfferedTools(agent, 'strategic', state)).toEqual([
        ...agent.tools.workspace,
        'todo_write',
        'todo_complete',
        'job_complete',
        'query_traces',
        'get_trace',
      ]);
    }
  });
});
