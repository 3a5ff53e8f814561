import { expect, it } from 'vitest';
import type { WorkflowState } from '../workflow/workflow.js';
import { agentDefinitionSchema } from './agent-definition.js';
import { listOfferedTools } from './list-offered-tools.js';

const state = { kind: 'strategic', todos: [], outcomes: {} } as unknown as WorkflowState;

const tool = (name: string, effect: 'pure' | 'idempotent' | 'once') => ({
  ...{ name, offeredName: `mcp__tracker__${name}`, description: name, effect },
  parameters: { type: 'object' },
});

const tools = [tool('search', 'pure'), tool('label', 'idempotent'), tool('create', 'once')];

const offer = (kind: 'strategic' | 'tactical', phases: readonly string[], unsafe?: object): readonly string[] => {
  const settings = { mcp: { servers: { tracker: { command: 'tracker', phases, tools } } } };
  const none = { workspace: [], strategic: [], tactical: [], domain: [] };
  const agent = agentDefinitionSchema.parse({ name: 'a', displayName: 'A', tools: none, settings, unsafe });
  return listOfferedTools(agent, kind, state).map((name) => name.replace('mcp__tracker__', ''));
};

it('offers tools of MCP servers to a phase that plans only if the agent and the server say that they read', () => {
  expect(offer('strategic', ['tactical'])).toEqual([]);
  expect(offer('strategic', ['strategic', 'tactical'])).toEqual(['search']);
  expect(offer('tactical', ['strategic', 'tactical'])).toEqual(['search', 'label', 'create']);
  expect(offer('strategic', ['strategic'], { phases: true })).toEqual(['search', 'label', 'create']);
});
