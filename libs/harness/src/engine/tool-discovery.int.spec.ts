import { describe, expect, it } from 'vitest';
import { discoveryPack } from '@phaseline/inline-packs';
import { defineRemoteTool, type ToolPack } from '@phaseline/tools';
import { z } from 'zod';
import { Engine, type Policy } from './engine.js';
import { useStore } from './use-store.fixture.js';
import { call, calls, createThreePhasePolicy, parsePrompt } from './scripts.js';

const opened = useStore();

const tool = (name: string, description: string) =>
  defineRemoteTool<{ id: number }>({
    name,
    description,
    input: z.object({ id: z.int() }),
    effect: 'pure',
    timeoutMs: 1_000,
    run: async (_context, { id }) => ({ content: `${name} ran on ${id}` }),
  });

const shop: ToolPack = {
  name: 'shop',
  tools: [
    tool('cancel_order', 'Cancels an order of a customer.'),
    tool('ship_parcel', 'Hands a parcel to the carrier.'),
    tool('weigh_parcel', 'Tells how heavy a parcel is.'),
  ],
};
const domain = ['weigh_parcel', 'cancel_order', 'ship_parcel'];

function engine(policy: Policy): Engine {
  const tools = {
    workspace: [],
    strategic: ['todo_write', 'todo_complete', 'job_complete'],
    tactical: ['todo_complete'],
    domain,
    onDemand: ['cancel_order', 'ship_parcel'],
  };
  return new Engine({ store: opened.store, policy, packs: [shop, discoveryPack], agent: { tools } });
}

describe('tools on demand', () => {
  it('are appended to the permanent tools once found, for that phase only', async () => {
    const lists: { phase: number; names: string[] }[] = [];
    let system = '';
    const policy: Policy = (request, signal) => {
      lists.push({ phase: parsePrompt(request).phase, names: request.tools.map(({ name }) => name) });
      return createThreePhasePolicy(({ messages }) => {
        system = messages[0]!.content;
        const { turn } = parsePrompt(request);
        if (turn === 0) return call('search_tools', { query: 'cancel an order', limit: 1 });
        return turn === 1 ? call('cancel_order', { id: 7 }) : call('todo_complete');
      })(request, signal);
    };
    const subject = engine(policy);
    const jobId = await subject.submitAndRun();
    const tactical = lists.filter(({ phase }) => phase === 2).map(({ names }) => names);
    const core = ['todo_complete', 'weigh_parcel', 'search_tools'];
    expect(tactical[0]).toEqual(core);
    expect(tactical[1]).toEqual([...core, 'cancel_order']);
    expect(lists.filter(({ phase }) => phase !== 2).flatMap(({ names }) => names)).not.toContain('search_tools');
    expect(system).toContain('- cancel_order, ship_parcel');
    const events = await subject.phaseEvents(jobId, 2);
    expect(events.find(({ type }) => type === 'ToolsLoaded')?.data).toEqual({
      names: ['cancel_order'],
      callId: 'call_2_1_1',
    });
    expect(events.filter(({ type }) => type === 'ToolCallCompleted').map(({ data }) => data['content'])).toContain(
      'cancel_order ran on 7',
    );
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('called without a search are denied once, because their arguments are guessed, and then offered', async () => {
    const policy = createThreePhasePolicy((request) => {
      const { turn } = parsePrompt(request);
      // Twice in one answer: the arguments of both calls are guessed.
      if (turn === 0) return calls(['ship_parcel', { parcel: 'P1' }], ['ship_parcel', { id: 1 }]);
      return turn === 1 ? call('ship_parcel', { id: 2 }) : call('todo_complete');
    });
    const subject = engine(policy);
    const jobId = await subject.submitAndRun();
    const events = await subject.phaseEvents(jobId, 2);
    const denied = events.filter(({ type }) => type === 'ToolCallDenied').map(({ data }) => data['code']);
    expect(denied).toEqual(['not_offered', 'not_offered']);
    expect(events.filter(({ type }) => type === 'ToolsLoaded').map(({ data }) => data['names'])).toEqual([
      ['ship_parcel'],
    ]);
    expect(events.find(({ type }) => type === 'ToolCallCompleted')?.data).toMatchObject({
      content: 'ship_parcel ran on 2',
    });
  });

  it('are neither found nor loaded by a strategic phase', async () => {
    const said: string[] = [];
    const policy: Policy = (request, signal) => {
      const { kind, turn, phase } = parsePrompt(request);
      if (kind !== 'strategic' || phase !== 1) return createThreePhasePolicy()(request, signal);
      said.push(...request.messages.filter(({ role }) => role === 'tool').map(({ content }) => content));
      if (turn === 0) return calls(['cancel_order', { id: 1 }], ['search_tools', { query: 'cancel an order' }]);
      return createThreePhasePolicy()(request, signal);
    };
    const subject = engine(policy);
    const jobId = await subject.submitAndRun();
    const events = await subject.phaseEvents(jobId, 1);
    expect(events.filter(({ type }) => type === 'ToolCallDenied')).toHaveLength(2);
    expect(events.map(({ type }) => type)).not.toContain('ToolsLoaded');
    expect(said.join(' ')).toContain('cancel_order is not available in a strategic phase');
  });
});
